import { type RequestContext, idInPath, replyOfWrite } from '../../http/context.ts';
import { badRequest, notFound, requireFound, requireStored, requireValid } from '../../http/errors.ts';
import { jsonArray, writePage } from '../../http/list-replies.ts';
import { type Reply, createdText, noContent, okText } from '../../http/reply.ts';
import { PUBLIC_READ, type Route } from '../../http/router.ts';
import type { Choice } from '../../index/request.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import type { Slice } from '../../kit/slices.ts';
import type { CatalogueParts } from '../parts.ts';
import type { OwnPlaces } from './filters.ts';
import {
  type ChosenQuery,
  type CursorScope,
  type PageCursors,
  hoursWarnings,
  parseListQuery,
  parseMapQuery,
  parseNewRestaurant,
  parseOneQuery,
  parsePageQuery,
  parseReferences,
  parseRestaurantChange,
} from './input.ts';
import type { RestaurantText } from './texts.ts';

/** `/api/restaurants` and below. */
export function restaurantRoutes(parts: CatalogueParts, cursors: PageCursors): readonly Route[] {
  const { index, texts, changeLog, views } = parts;
  const store = parts.stores.restaurants;

  /** Returns the parsed value. Throws 400 with the faults of the body and those found by the database. */
  function valid<Value>(result: Parsed<Value>, context: RequestContext, id?: number): Value {
    return requireValid(result, context, () => store.findFaults(parseReferences(context.body), id));
  }

  /** An array sent in slices, so that the JSON of 100,000 restaurants is never in memory at once. */
  async function list(context: RequestContext): Promise<Reply> {
    const asked = requireValid(parseListQuery(context.query), context);
    const now = Date.now();
    const { extras, own, headers } = await views.open(asked, context, now);
    const request = { ...asked, ...choiceOf(asked, context, now, own) };
    const slices = async function* (): AsyncGenerator<Slice<RestaurantText>> {
      for await (const ids of index.ids(request)) {
        yield* texts.inSlices(ids, extras, asked.near);
        await context.work.pause();
      }
    };
    return jsonArray(context, slices(), headers);
  }

  async function page(context: RequestContext): Promise<Reply> {
    const asked = requireValid(parsePageQuery(context.query), context);
    const scope: CursorScope = { sort: asked.sort, centre: asked.near };
    const after = asked.cursor === undefined ? undefined : cursors.open(scope, asked.cursor);
    if (asked.cursor !== undefined && !after) throw badRequest('Invalid cursor');
    const isOpenNow = asked.openAt === 'now';
    const now = (isOpenNow ? after?.now : undefined) ?? Date.now();
    const { extras, own, headers } = await views.open(asked, context, now);
    const { positions, total } = await index.page({
      ...choiceOf(asked, context, now, own),
      withPending: false,
      sort: asked.sort,
      after,
      // One extra, to see whether another page follows.
      limit: asked.limit + 1,
    });
    const positionsById = new Map(positions.map((position) => [position.id, position]));
    const slices = texts.inSlices([...positionsById.keys()], extras, asked.near);
    const cursorBehind = ({ id }: RestaurantText): string => {
      const last = positionsById.get(id);
      if (!last) throw new Error(`restaurant ${id} is not on the page that it ends`);
      return cursors.seal(scope, { ...last, now: isOpenNow ? now : undefined });
    };
    const isPart = positions.length > asked.limit;
    return writePage(context, asked.limit, { slices, cursorBehind, total: () => total, isPart }, headers);
  }

  async function map(context: RequestContext): Promise<Reply> {
    const asked = requireValid(parseMapQuery(context.query), context);
    const now = Date.now();
    const { own, headers } = await views.open(asked, context, now);
    const { box, zoom } = asked;
    const places = await index.map({ ...choiceOf(asked, context, now, own), box, zoom });
    return okText(texts.ofMap(places, asked.includes.includes('mine') ? own : undefined), headers);
  }

  async function get(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'restaurant');
    const wanted = requireValid(parseOneQuery(context.query), context);
    const { extras, headers } = await views.open(wanted, context);
    return okText(requireFound(texts.one(id, extras), 'Restaurant'), headers);
  }

  function create(context: RequestContext): Promise<Reply> {
    const input = valid(parseNewRestaurant(context.body), context);
    context.handling.note({ of: 'fields', sentences: hoursWarnings(input) });
    return replyOfWrite(context, changeLog, (write) => {
      const record = requireStored(store.create(input, write), 'Restaurant');
      return createdText(`/api/restaurants/${record.id}`, texts.written(record.id));
    });
  }

  function update(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'restaurant');
    const change = valid(parseRestaurantChange(context.body), context, id);
    context.handling.note({ of: 'fields', sentences: hoursWarnings(change) });
    return replyOfWrite(context, changeLog, (write) => {
      requireStored(store.update(id, change, write), 'Restaurant');
      return okText(texts.written(id));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'restaurant');
    return replyOfWrite(context, changeLog, (write) => {
      if (!store.remove(id, write)) throw notFound('Restaurant');
      return noContent();
    });
  }

  const read = { ...PUBLIC_READ, knowsCaller: 'onDemand' } as const;
  const write = { access: 'catalogueWriter', body: 'json', limit: 'api' } as const;
  const erase = { ...write, method: 'DELETE', body: 'none' } as const;
  const all = '/api/restaurants';
  const one = '/api/restaurants/:id';
  return [
    { ...read, pattern: all, operationId: 'listRestaurants', handle: list },
    { ...read, pattern: `${all}/paginated`, operationId: 'pageRestaurants', handle: page },
    { ...read, pattern: `${all}/map`, operationId: 'mapRestaurants', handle: map },
    { ...read, pattern: one, operationId: 'getRestaurant', handle: get },
    { ...write, method: 'POST', pattern: all, operationId: 'createRestaurant', handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateRestaurant', handle: update },
    { ...erase, pattern: one, operationId: 'deleteRestaurant', handle: remove },
  ];
}

function choiceOf(
  { filters, words, near, withPending }: ChosenQuery,
  { work }: RequestContext,
  now: number,
  own: OwnPlaces | undefined,
): Choice {
  const conditions = filters.map(({ condition }) => condition(now, own));
  return { conditions, words, near, withPending, work };
}
