import { type RequestContext, idInPath, replyOfWrite } from '../../http/context.ts';
import { notFound, requireStored, requireValid } from '../../http/errors.ts';
import { jsonArray } from '../../http/list-replies.ts';
import { type Reply, createdText, noContent, okText } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_READ, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import type { Slice } from '../../kit/slices.ts';
import type { CatalogueParts } from '../parts.ts';
import {
  hoursWarnings,
  parseListQuery,
  parseMapQuery,
  parseNewRestaurant,
  parseOneQuery,
  parsePageQuery,
  parseReferences,
  parseRestaurantChange,
} from './input.ts';
import { choiceOf } from './reads.ts';
import type { RestaurantText } from './texts.ts';

/** `/api/restaurants` and below. */
export function restaurantRoutes(parts: CatalogueParts): readonly Route[] {
  const { index, texts, changeLog, views, reads } = parts;
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

  const page = (context: RequestContext): Promise<Reply> =>
    reads.page(requireValid(parsePageQuery(context.query), context), context);

  const map = (context: RequestContext): Promise<Reply> =>
    reads.map(requireValid(parseMapQuery(context.query), context), context);

  function get(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'restaurant');
    return reads.one(id, requireValid(parseOneQuery(context.query), context), context);
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

  const read = { ...PUBLIC_READ, credentials: SESSION_OR_TOKEN } as const;
  const write = { ...FOR_USER, access: 'catalogueWriter', answers: 'public', body: 'json' } as const;
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
