import { type RequestContext, idInPath, writerOf } from '../../http/context.ts';
import { notFound, requireStored, requireValid } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { parseLookupChange, parseNewLookup } from './input.ts';
import type { LookupKind, LookupStore } from './store.ts';

/** A category or food type in memory: its JSON, and its position among all of its kind by name. */
interface Lookup {
  readonly json: string;
  readonly rank: number;
}

export interface LookupRouteOptions {
  readonly store: LookupStore;
  /** All of them by id, ordered by name. */
  readonly all: () => ReadonlyMap<number, Lookup>;
  readonly changeLog: ChangeLog;
  /** Called after each deletion. */
  readonly removed: () => void;
}

const WORDS = {
  category: { path: '/api/categories', noun: 'Category', operation: 'Category', operations: 'Categories' },
  food_type: { path: '/api/food-types', noun: 'Food type', operation: 'FoodType', operations: 'FoodTypes' },
};

/** `/api/categories` or `/api/food-types`. */
export function lookupRoutes(
  kind: LookupKind,
  { store, all, changeLog, removed }: LookupRouteOptions,
): readonly Route[] {
  const { path, noun, operation, operations } = WORDS[kind];
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', noun.toLowerCase());

  function list(context: RequestContext): Promise<Reply> {
    const sorted = [...all().values()];
    const read: SliceReader<Lookup> = (last) => sorted.slice(last ? last.rank + 1 : 0);
    return listReply(context, ALL, read, ({ json }) => json);
  }

  function get(context: RequestContext): Reply {
    const record = store.get(idOf(context));
    if (!record) throw notFound(noun);
    return ok(record);
  }

  async function create(context: RequestContext): Promise<Reply> {
    const { name } = requireValid(parseNewLookup(context.body), context);
    const { result: reply } = await changeLog.write(writerOf(context), (write) => {
      const record = requireStored(store.create(name, write), noun);
      return context.storeAnswer(withChange(created(`${path}/${record.id}`, record), write.changeId()));
    });
    return reply;
  }

  async function update(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { name } = requireValid(parseLookupChange(context.body), context);
    if (name === undefined) return get(context);
    const { result, changeId } = await changeLog.write(writerOf(context), (write) =>
      store.rename(id, name, write),
    );
    return withChange(ok(requireStored(result, noun)), changeId);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { result, changeId } = await changeLog.write(writerOf(context), (write) => store.remove(id, write));
    if (!result) throw notFound(noun);
    removed();
    return withChange(noContent(), changeId);
  }

  const read = { method: 'GET', access: 'public', body: 'none', limit: 'api' } as const;
  const write = { access: 'catalogueWriter', body: 'json', limit: 'api' } as const;
  const one = `${path}/:id`;
  return [
    { ...read, pattern: path, operationId: `list${operations}`, handle: list },
    { ...read, pattern: one, operationId: `get${operation}`, handle: get },
    { ...write, method: 'POST', pattern: path, operationId: `create${operation}`, handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: `update${operation}`, handle: update },
    {
      ...write,
      method: 'DELETE',
      body: 'none',
      pattern: one,
      operationId: `delete${operation}`,
      handle: remove,
    },
  ];
}
