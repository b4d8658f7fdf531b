import { OWN_IF_CURRENT } from '../../http/conditional.ts';
import { type RequestContext, authorIdOf, idInPath, replyOfWrite } from '../../http/context.ts';
import {
  conflict,
  forbidden,
  notFound,
  requireFound,
  requireStored,
  requireValid,
} from '../../http/errors.ts';
import { listReply, taggedPieces } from '../../http/list-replies.ts';
import { type Reply, created, noContent, ok, okText } from '../../http/reply.ts';
import { FOR_USER, type Route } from '../../http/router.ts';
import { ALL, type SliceReader, aroundItems } from '../../kit/slices.ts';
import { parseListPart } from '../../kit/input/query.ts';
import type { ListName } from '../../catalogue/restaurants/filters.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { parseItemChange, parseListChange, parseListIncludes, parseNewList } from './input.ts';
import type { ReadMarks } from './marks.ts';
import type { Members } from './members.ts';
import {
  type ItemRecord,
  type ListRecord,
  type PlaceText,
  isOwner,
  itemText,
  listJson,
  personOf,
} from './record.ts';
import { type ListOutcome, type ListStore, TOO_MANY_ITEMS, TOO_MANY_LISTS } from './store.ts';

/** `/api/lists`, the items and people of a list, and `/api/me/marks`, only for the people of the list. */
export function listRoutes(
  store: ListStore,
  members: Members,
  readMarks: ReadMarks,
  changeLog: ChangeLog,
  placeText: PlaceText,
): readonly Route[] {
  function list(context: RequestContext): Promise<Reply> {
    const callerId = authorIdOf(context);
    const read: SliceReader<ListRecord> = (after, limit) => store.part(callerId, after, limit);
    return listReply(context, ALL, read, (record) => JSON.stringify(listJson(record, callerId)));
  }

  function create(context: RequestContext): Promise<Reply> {
    const input = requireValid(parseNewList(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const callerId = authorIdOf(context);
      const record = requireWritten(store.create(callerId, input, write));
      return created(`/api/lists/${record.id}`, listJson(record, callerId));
    });
  }

  function get(context: RequestContext): Reply | Promise<Reply> {
    const name = nameOf(context);
    const includes = requireValid(parseListIncludes(context.query), context);
    const record = found(context, name);
    const list = listJson(record, authorIdOf(context));
    if (includes.length === 0) return ok(list);
    return listReply(context, ALL, readerOf(context), (item) => textOf(item, true), {}, aroundItems(list));
  }

  function update(context: RequestContext): Promise<Reply> {
    const name = nameOf(context);
    const change = requireValid(parseListChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const list = requireOwn(found(context, name));
      const callerId = authorIdOf(context);
      return ok(listJson(requireWritten(store.update(list.id, change, write, callerId)), callerId));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    return replyOfWrite(context, changeLog, (write) => {
      const list = requireListOwner(found(context), authorIdOf(context));
      store.remove(requireOwn(list).id, write);
      return noContent();
    });
  }

  function listItems(context: RequestContext): Promise<Reply> {
    const read = readerOf(context);
    const part = requireValid(parseListPart(context.query), context);
    return listReply(context, part, read, (item) => textOf(item));
  }

  function putItem(context: RequestContext): Promise<Reply> {
    const name = nameOf(context);
    const restaurantId = idInPath(context.parameters, 'restaurantId', 'restaurant');
    const change = requireValid(parseItemChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      const outcome = store.items.put(found(context, name).id, restaurantId, change, write);
      if (outcome?.outcome === 'full') throw conflict(TOO_MANY_ITEMS);
      const text = outcome?.outcome === 'done' ? textOf(outcome.item) : undefined;
      return okText(requireFound(text, 'Restaurant'));
    });
  }

  function removeItem(context: RequestContext): Promise<Reply> {
    const name = nameOf(context);
    const restaurantId = idInPath(context.parameters, 'restaurantId', 'restaurant');
    return replyOfWrite(context, changeLog, (write) => {
      if (!store.items.remove(found(context, name).id, restaurantId, write)) throw notFound('Item');
      return noContent();
    });
  }

  function listMembers(context: RequestContext): Reply {
    const record = found(context);
    const people = members.ofList(record);
    return ok(
      (people.length > 0 ? people : [{ ...record, joined_at: record.created_at }]).map((one) => {
        const role = isOwner(record, one.author_id) ? 'owner' : 'member';
        return { user: personOf(one), role, joined_at: one.joined_at };
      }),
    );
  }

  function removeMember(context: RequestContext): Promise<Reply> {
    const userId = idInPath(context.parameters, 'userId', 'user');
    return replyOfWrite(context, changeLog, () => {
      const record = found(context);
      const callerId = authorIdOf(context);
      if (userId !== callerId) requireListOwner(record, callerId);
      else if (isOwner(record, callerId)) throw conflict('The owner of a list cannot leave it');
      if (!members.remove(record.id, userId)) throw notFound('Member');
      if (userId !== callerId) members.endJoining(record.id);
      return noContent();
    });
  }

  const marks = (context: RequestContext): Promise<Reply> =>
    taggedPieces(context, readMarks(authorIdOf(context)), OWN_IF_CURRENT);

  /** Undefined where another process has deleted the restaurant just now. */
  function textOf(item: ItemRecord, hasCover = false): string | undefined {
    const restaurant = placeText(item.restaurant_id, hasCover);
    return restaurant === undefined ? undefined : itemText(item, restaurant);
  }

  /** Finds the list for each slice, since its caller may be removed from it while reading slowly. */
  function readerOf(context: RequestContext): SliceReader<ItemRecord> {
    const name = nameOf(context);
    return (...slice) => store.items.read(found(context, name).id, ...slice);
  }

  const found = (context: RequestContext, name = nameOf(context)): ListRecord =>
    foundList(store, context, name);

  const read = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  const write = { ...FOR_USER, body: 'json' } as const;
  const erase = { ...write, method: 'DELETE', body: 'none' } as const;
  const [all, one] = ['/api/lists', '/api/lists/:id'];
  const [item, people] = [`${one}/items/:restaurantId`, `${one}/members`];
  return [
    { ...read, pattern: all, operationId: 'listLists', handle: list },
    { ...write, method: 'POST', pattern: all, operationId: 'createList', handle: create },
    { ...read, pattern: one, operationId: 'getList', handle: get },
    { ...write, method: 'PUT', pattern: one, operationId: 'updateList', handle: update },
    { ...erase, pattern: one, operationId: 'deleteList', handle: remove },
    { ...read, pattern: `${one}/items`, operationId: 'listItems', handle: listItems },
    { ...read, pattern: '/api/me/marks', operationId: 'getMarks', handle: marks },
    { ...write, method: 'PUT', pattern: item, body: 'jsonOrEmpty', operationId: 'putItem', handle: putItem },
    { ...erase, pattern: item, operationId: 'deleteItem', handle: removeItem },
    { ...read, pattern: people, operationId: 'listMembers', handle: listMembers },
    {
      ...erase,
      pattern: `${people}/:userId`,
      credentials: ['session'],
      operationId: 'removeMember',
      handle: removeMember,
    },
  ];
}

/** The list of a path. Throws 404 unless the caller is one of its people, which counts at the moment of the call. */
export function foundList(store: ListStore, context: RequestContext, name = nameOf(context)): ListRecord {
  return requireFound(store.find(authorIdOf(context), name), 'List');
}

/** Throws 403 for a member; the caller is null for the placeholder of mode none. */
export function requireListOwner(list: ListRecord, callerId: number | null): ListRecord {
  if (!isOwner(list, callerId)) throw forbidden('Only its owner may do this');
  return list;
}

/** The name of a list in a path: its id, or that of a built-in one. Throws 400 for anything else. */
function nameOf({ parameters }: RequestContext): ListName {
  const name = parameters.get('id');
  return name === 'want' || name === 'favourites' ? name : idInPath(parameters, 'id', 'list');
}

function requireOwn(record: ListRecord): ListRecord {
  if (record.kind !== 'own') throw conflict('A built-in list cannot be changed');
  return record;
}

function requireWritten(outcome: ListOutcome | undefined): ListRecord {
  if (outcome?.outcome === 'full') throw conflict(TOO_MANY_LISTS);
  return requireStored(outcome, 'List');
}
