import { type RequestContext, idInPath, replyOfWrite } from '../../http/context.ts';
import { notFound, requireFound, requireStored, requireValid } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_READ, type Route } from '../../http/router.ts';
import { ALL, type SliceReader } from '../../kit/slices.ts';
import type { Lookup } from '../../index/lookups.ts';
import type { CatalogueParts } from '../parts.ts';
import { parseLookupChange, parseNewLookup } from './input.ts';

const WORDS = {
  categories: { path: '/api/categories', noun: 'Category', operation: 'Category', operations: 'Categories' },
  foodTypes: { path: '/api/food-types', noun: 'Food type', operation: 'FoodType', operations: 'FoodTypes' },
};

/** `/api/categories` or `/api/food-types`. `removed` is called after each deletion. */
export function lookupRoutes(
  kind: keyof typeof WORDS,
  { stores: { [kind]: store }, index, changeLog }: CatalogueParts,
  removed: () => void,
): readonly Route[] {
  const { path, noun, operation, operations } = WORDS[kind];
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', noun.toLowerCase());

  function list(context: RequestContext): Promise<Reply> {
    const sorted = [...index.lookups()[kind].values()];
    const read: SliceReader<Lookup> = (last) => sorted.slice(last ? last.rank + 1 : 0);
    return listReply(context, ALL, read, ({ json }) => json);
  }

  function get(context: RequestContext): Reply {
    return ok(requireFound(store.get(idOf(context)), noun));
  }

  function create(context: RequestContext): Promise<Reply> {
    const { name } = requireValid(parseNewLookup(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const record = requireStored(store.create(name, write), noun);
      return created(`${path}/${record.id}`, record);
    });
  }

  function update(context: RequestContext): Reply | Promise<Reply> {
    const id = idOf(context);
    const { name } = requireValid(parseLookupChange(context.body), context);
    if (name === undefined) return get(context);
    return replyOfWrite(context, changeLog, (write) =>
      ok(requireStored(store.rename(id, name, write), noun)),
    );
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const reply = await replyOfWrite(context, changeLog, (write) => {
      if (!store.remove(id, write)) throw notFound(noun);
      return noContent();
    });
    removed();
    return reply;
  }

  const write = { ...FOR_USER, access: 'catalogueWriter', answers: 'public', body: 'json' } as const;
  const erase = { ...write, method: 'DELETE', body: 'none' } as const;
  const one = `${path}/:id`;
  return [
    { ...PUBLIC_READ, pattern: path, operationId: `list${operations}`, handle: list },
    { ...PUBLIC_READ, pattern: one, operationId: `get${operation}`, handle: get },
    { ...write, method: 'POST', pattern: path, operationId: `create${operation}`, handle: create },
    { ...write, method: 'PUT', pattern: one, operationId: `update${operation}`, handle: update },
    { ...erase, pattern: one, operationId: `delete${operation}`, handle: remove },
  ];
}
