import { type RequestContext, idInPath, writerOf } from '../../http/context.ts';
import { notFound, requireStored, requireValid } from '../../http/errors.ts';
import { created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { parseLookupChange, parseNewLookup } from './input.ts';
import type { LookupRecord, LookupStore } from './store.ts';

/** A category or food type in memory: its JSON text, and its place among all of its kind by name. */
interface Lookup {
  readonly json: string;
  readonly rank: number;
}

export interface LookupRouteOptions {
  readonly store: LookupStore;
  /** All of them by their ids, ordered by name. */
  readonly all: () => ReadonlyMap<number, Lookup>;
  readonly changeLog: ChangeLog;
  /** The path segment, such as `food-types`. */
  readonly segment: string;
  /** The noun of messages, such as `Food type`, and those of operation ids, such as `FoodType` and `FoodTypes`. */
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
  const write = { access: 'catalogueWriter', body: 'json', limit: 'api' } as const;
  const deletion = { ...write, method: 'DELETE', body: 'none' } as const;
  const all = `/api/${segment}`;
  const one = `/api/${segment}/:id`;
  return [
    { ...read, pattern: all, operationId: `list${operations}`, handle: list },
    { ...read, pattern: one, operationId: `get${operation}`, handle: get },
    { ...write, method: 'POST', pattern: all, operationId: `create${operation}`, handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: `update${operation}`, handle: update },
    { ...deletion, pattern: one, operationId: `delete${operation}`, handle: remove },
  ];
}

type Handlers = Readonly<Record<'list' | 'get' | 'create' | 'update' | 'remove', Route['handle']>>;

function createHandlers({ store, all, changeLog, segment, noun, removed }: LookupRouteOptions): Handlers {
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', noun.toLowerCase());

  function found(record: LookupRecord | undefined): LookupRecord {
    if (!record) throw notFound(noun);
    return record;
  }

  return {
    list: (context) => {
      const sorted = [...all().values()];
      const read: SliceReader<Lookup> = (last) => sorted.slice(last ? last.rank + 1 : 0);
      return listReply(context, ALL, read, ({ json }) => json);
    },
    get: (context) => ok(found(store.get(idOf(context)))),
    create: async (context) => {
      const { name } = requireValid(parseNewLookup(context.body), context);
      const { result: reply } = await changeLog.write(writerOf(context), (write) => {
        const record = requireStored(store.create(name, write), noun);
        const answer = created(`/api/${segment}/${record.id}`, record);
        return context.storeAnswer(withChange(answer, write.changeId()));
      });
      return reply;
    },
    update: async (context) => {
      const id = idOf(context);
      const { name } = requireValid(parseLookupChange(context.body), context);
      if (name === undefined) return ok(found(store.get(id)));
      const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
        store.rename(id, name, write),
      );
      return withChange(ok(requireStored(result, noun)), changeId);
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
