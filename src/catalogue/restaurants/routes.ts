import { type RequestContext, type Work, idInPath, writerOf } from '../../http/context.ts';
import { badRequest, notFound, requireStored, requireValid } from '../../http/errors.ts';
import { jsonArray, writePage } from '../../http/list-replies.ts';
import { type Reply, createdText, noContent, okText, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import type { Slice } from '../../kit/slices.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { openView } from './caller-view.ts';
import type { CursorScope, CursorSealer } from './cursor.ts';
import {
  type ChosenQuery,
  parseListQuery,
  parseMapQuery,
  parseNewRestaurant,
  parseOneQuery,
  parsePageQuery,
  parseReferences,
  parseRestaurantChange,
} from './input.ts';
import type { Lists } from './lists.ts';
import type { MapReader } from './map.ts';
import { hoursWarnings } from './opening-texts.ts';
import type { RestaurantText, RestaurantTexts } from './texts.ts';
import type { Choice, ListRequest } from './request.ts';
import type { RestaurantStore } from './store.ts';
import type { Views } from './views.ts';

export interface RestaurantRouteOptions {
  readonly store: RestaurantStore;
  readonly texts: RestaurantTexts;
  readonly lists: Lists;
  readonly map: MapReader;
  readonly cursors: CursorSealer;
  readonly changeLog: ChangeLog;
  /** Finds restaurants by the words of a search; undefined when none can have them. */
  readonly matches: (words: string, pause: () => Promise<void>) => ListRequest['match'];
  readonly views: Views;
}

const EMPTY_MAP = JSON.stringify({ total: 0, points: [], groups: [] });
const EMPTY_PAGE = JSON.stringify({ data: [], next_cursor: null, has_more: false, total: 0 });

/** `/api/restaurants` and below (SPEC, "Restaurants"). */
export function restaurantRoutes(options: RestaurantRouteOptions): readonly Route[] {
  const { get, create, update, remove } = createHandlers(options);
  const caller = { access: 'public', knowsCaller: 'onDemand' } as const;
  const read = { ...caller, method: 'GET', body: 'none', limit: 'api' } as const;
  const write = { access: 'catalogueWriter', body: 'json', limit: 'api' } as const;
  const all = '/api/restaurants';
  const pages = '/api/restaurants/paginated';
  const places = '/api/restaurants/map';
  const one = '/api/restaurants/:id';
  return [
    { ...read, pattern: all, operationId: 'listRestaurants', handle: (context) => list(context, options) },
    { ...read, pattern: pages, operationId: 'pageRestaurants', handle: (context) => page(context, options) },
    { ...read, pattern: places, operationId: 'mapRestaurants', handle: (context) => map(context, options) },
    { ...read, pattern: one, operationId: 'getRestaurant', handle: get },
    { ...write, method: 'POST', pattern: all, operationId: 'createRestaurant', handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateRestaurant', handle: update },
    {
      ...write,
      method: 'DELETE',
      pattern: one,
      body: 'none',
      operationId: 'deleteRestaurant',
      handle: remove,
    },
  ];
}

type Handlers = Readonly<Record<'get' | 'create' | 'update' | 'remove', Route['handle']>>;

function createHandlers(options: RestaurantRouteOptions): Handlers {
  const { store, texts, changeLog } = options;

  /** The parsed value. Throws 400 with the faults of the body and those that the database finds. */
  function valid<Value>(result: Parsed<Value>, context: RequestContext, id?: number): Value {
    return requireValid(result, context, () => store.findFaults(parseReferences(context.body), id));
  }

  return {
    get: async (context) => {
      const id = idInPath(context.parameters, 'id', 'restaurant');
      const wanted = requireValid(parseOneQuery(context.query), context);
      const { extras, headers } = await openView(wanted, context, options.views);
      const text = texts.one(id, extras);
      if (text === undefined) throw notFound('Restaurant');
      return okText(text, headers);
    },
    create: async (context) => {
      const input = valid(parseNewRestaurant(context.body), context);
      context.handling.note({ of: 'fields', sentences: hoursWarnings(input) });
      const { result: reply } = await changeLog.write(writerOf(context), (write) => {
        const record = requireStored(store.create(input, write), 'Restaurant');
        const answer = createdText(`/api/restaurants/${record.id}`, texts.ofRecord(record));
        return context.storeAnswer(withChange(answer, write.changeId()));
      });
      return reply;
    },
    update: async (context) => {
      const id = idInPath(context.parameters, 'id', 'restaurant');
      const change = valid(parseRestaurantChange(context.body), context, id);
      context.handling.note({ of: 'fields', sentences: hoursWarnings(change) });
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.update(id, change, write),
      );
      return withChange(okText(texts.ofRecord(requireStored(result, 'Restaurant'))), changeId);
    },
    remove: async (context) => {
      const id = idInPath(context.parameters, 'id', 'restaurant');
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.remove(id, write),
      );
      if (!result) throw notFound('Restaurant');
      return withChange(noContent(), changeId);
    },
  };
}

/** A bare array, sent slice by slice: the texts of 100,000 restaurants are never in memory at once. */
async function list(context: RequestContext, options: RestaurantRouteOptions): Promise<Reply> {
  const { query, work } = context;
  const asked = requireValid(parseListQuery(query), context);
  const now = Date.now();
  const { extras, own, headers } = await openView(asked, context, options.views, now);
  const match = matchOf(asked, work, options);
  if (!match) return okText('[]', headers);
  const request: ListRequest = { ...asked, ...match, own, now, after: undefined };
  const { texts, lists } = options;
  const slices = async function* (): AsyncGenerator<Slice<RestaurantText>> {
    for await (const ids of lists.ids(request)) {
      yield* texts.inSlices(ids, extras, request.near);
      await work.pause();
    }
  };
  return jsonArray(context, slices(), headers);
}

async function page(context: RequestContext, options: RestaurantRouteOptions): Promise<Reply> {
  const { query, work } = context;
  const asked = requireValid(parsePageQuery(query), context);
  const scope: CursorScope = { sort: asked.sort, centre: asked.near };
  const after = asked.cursor === undefined ? undefined : options.cursors.open(scope, asked.cursor);
  if (asked.cursor !== undefined && !after) throw badRequest('Invalid cursor');
  const now = (asked.openAt === 'now' ? after?.now : undefined) ?? Date.now();
  const { extras, own, headers } = await openView(asked, context, options.views, now);
  const match = matchOf(asked, work, options);
  if (!match) return okText(EMPTY_PAGE, headers);
  const request: ListRequest = { ...asked, ...match, own, now, after };
  // One more than asked for shows whether another page follows.
  const found = await options.lists.page({ ...request, withPending: false, limit: asked.limit + 1 });
  const positions = new Map(found.positions.map((position) => [position.id, position]));
  const slices = options.texts.inSlices([...positions.keys()], extras, request.near);
  const cursorBehind = ({ id }: RestaurantText): string => {
    const last = positions.get(id);
    if (!last) throw new Error(`restaurant ${id} is not on the page that it ends`);
    return options.cursors.seal(scope, { ...last, now: asked.openAt === 'now' ? now : undefined });
  };
  const isPart = found.positions.length > asked.limit;
  const page = { slices, cursorBehind, total: () => found.total, isPart };
  return writePage(context, asked.limit, page, headers);
}

async function map(context: RequestContext, options: RestaurantRouteOptions): Promise<Reply> {
  const asked = requireValid(parseMapQuery(context.query), context);
  const now = Date.now();
  const { own, headers } = await openView(asked, context, options.views, now);
  const match = matchOf(asked, context.work, options);
  if (!match) return okText(EMPTY_MAP, headers);
  const withMine = asked.includes.includes('mine');
  return okText(await options.map({ ...asked, ...match, own, now, withMine }), headers);
}

/** How the words of a query are found, if it has any; undefined when they can match nothing. */
function matchOf(
  { words }: ChosenQuery,
  work: Work,
  { matches }: RestaurantRouteOptions,
): Pick<Choice, 'match' | 'work'> | undefined {
  if (words === undefined) return { match: undefined, work };
  const match = matches(words, work.pause);
  return match && { match, work };
}
