import { type RequestContext, idInPath, writerOf } from '../http/context.ts';
import { alreadyExists, notFound, requireValid } from '../http/errors.ts';
import { created, noContent, ok, withChange } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import { parseLookupChange, parseNewLookup } from './input.ts';
import type { LookupOutcome, LookupRecord, LookupStore } from './store.ts';

export interface LookupRouteOptions {
  readonly store: LookupStore;
  readonly changeLog: ChangeLog;
  /** The path segment, such as `food-types`. */
  readonly segment: string;
  /** The words of messages, such as `Food type`, and of operation ids, such as `FoodType`. */
  readonly noun: string;
  readonly operation: string;
  readonly operations: string;
  /** Called after each deletion. */
  readonly removed: () => void;
}

/** `/api/categories` or `/api/food-types`: one code for both (SPEC, "Categories and food types"). */
export function lookupRoutes(options: LookupRouteOptions): readonly Route[] {
  const { segment, operation, operations } = options;
  const { list, get, create, update, remove } = createHandlers(options);
  const read = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
  const write = { access: 'catalogueWriter', limit: 'api' } as const;
  const all = `/api/${segment}`;
  const one = `/api/${segment}/:id`;
  return [
    { ...read, pattern: all, operationId: `list${operations}`, handle: list },
    { ...read, pattern: one, operationId: `get${operation}`, handle: get },
    {
      ...write,
      method: 'POST',
      pattern: all,
      body: 'json',
      operationId: `create${operation}`,
      handle: create,
    },
    {
      ...write,
      method: 'PUT',
      pattern: one,
      body: 'json',
      operationId: `update${operation}`,
      handle: update,
    },
    {
      ...write,
      method: 'DELETE',
      pattern: one,
      body: 'none',
      operationId: `delete${operation}`,
      handle: remove,
    },
  ];
}

type Handlers = Readonly<Record<'list' | 'get' | 'create' | 'update' | 'remove', Route['handle']>>;

function createHandlers({ store, changeLog, segment, noun, removed }: LookupRouteOptions): Handlers {
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', noun.toLowerCase());

  function found(record: LookupRecord | undefined): LookupRecord {
    if (!record) throw notFound(noun);
    return record;
  }

  function stored(outcome: LookupOutcome | undefined): LookupRecord {
    if (!outcome) throw notFound(noun);
    if (outcome.outcome === 'done') return outcome.record;
    throw alreadyExists(noun, outcome.of);
  }

  return {
    list: () => ok(store.list()),
    get: (context) => ok(found(store.get(idOf(context)))),
    create: async (context) => {
      const { name } = requireValid(parseNewLookup(context.body));
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.create(name, write),
      );
      const record = stored(result);
      return withChange(created(`/api/${segment}/${record.id}`, record), changeId);
    },
    update: async (context) => {
      const id = idOf(context);
      const { name } = requireValid(parseLookupChange(context.body));
      if (name === undefined) return ok(found(store.get(id)));
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.rename(id, name, write),
      );
      return withChange(ok(stored(result)), changeId);
    },
    remove: async (context) => {
      const id = idOf(context);
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.remove(id, write),
      );
      if (!result) throw notFound(noun);
      removed();
      return withChange(noContent(), changeId);
    },
  };
}
