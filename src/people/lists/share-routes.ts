import { BY_LINK } from '../../http/conditional.ts';
import {
  type RequestContext,
  authorIdOf,
  baseOf,
  idInPath,
  replyOfWrite,
  writerOf,
} from '../../http/context.ts';
import { HttpError, badRequest, conflict, forbidden, notFound, requireValid } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, content, json, noContent, ok, stream } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_FILE, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import { choiceParameter, choicesParameter, queryParser } from '../../kit/input/query.ts';
import { ALL, type SliceReader, aroundItems, inSlices, inTurns } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { ATOM_TYPE, feedText } from '../feeds/atom.ts';
import { parseNewLink } from './input.ts';
import { type ItemRecord, type ListRecord, isOwner, listJson, personOf } from './record.ts';
import { foundList, requireListOwner } from './routes.ts';
import { MOST_JOINED, MOST_MEMBERS, type SharedList, type SharedLists } from './shared.ts';
import type { ListStore } from './store.ts';

const FORMATS = ['geojson', 'kml', 'atom', 'ics'] as const;
const MOST_LINKS = 20;
// The ending says the same as the parameter `format`, for programs that look at it.
const ADDRESS = /^([^.]*)(?:\.(geojson|kml|atom|ics))?$/;

/** For every link that opens nothing, whatever the reason. */
export const UNKNOWN_LINK = new HttpError(404, 'Link is unknown or expired', BY_LINK);

/** Restaurants as a file that has the name of their list, and what is noted of them there. */
export type FileOf = (
  format: Exclude<(typeof FORMATS)[number], 'atom' | 'ics'>,
  name: string,
  places: Iterable<{ readonly id: number; readonly note: string | null }>,
) => { readonly type: string; readonly text: Iterable<string> };

const parseSharedQuery = queryParser((query) => ({
  includes: choicesParameter(query, 'include', ['cover']) ?? [],
  format: choiceParameter(query, 'format', FORMATS),
}));

/**
 * The people of a list and its links, and `/api/shared`, which is for everyone who has a link; `outingByLink` answers for the
 * link of an outing.
 */
export function shareRoutes(
  store: ListStore,
  shared: SharedLists,
  changeLog: ChangeLog,
  fileOf: FileOf,
  outingByLink: (context: RequestContext, token: string, format?: string) => Promise<Reply | undefined>,
): readonly Route[] {
  function listMembers(context: RequestContext): Reply {
    const list = foundList(store, context);
    const members = shared.members(list);
    return ok(
      (members.length > 0 ? members : [{ ...list, joined_at: list.created_at }]).map((one) => {
        const role = isOwner(list, one.author_id) ? 'owner' : 'member';
        return { user: personOf(one), role, joined_at: one.joined_at };
      }),
    );
  }

  function removeMember(context: RequestContext): Promise<Reply> {
    const userId = idInPath(context.parameters, 'userId', 'user');
    return replyOfWrite(context, changeLog, () => {
      const list = foundList(store, context);
      const callerId = authorIdOf(context);
      if (userId !== callerId) requireListOwner(list, callerId);
      else if (isOwner(list, callerId)) throw conflict('The owner of a list cannot leave it');
      if (!shared.removeMember(list.id, userId)) throw notFound('Member');
      // The person who was removed may still have one.
      if (userId !== callerId) shared.endJoining(list.id);
      return noContent();
    });
  }

  /** An Idempotency-Key has no effect: the answer holds a secret, which is not stored. */
  async function createLink(context: RequestContext): Promise<Reply> {
    const wanted = requireValid(parseNewLink(context.body), context);
    const { result } = await changeLog.write(writerOf(context), ({ now }) => {
      const list = ownList(context);
      if (list.kind !== 'own' && wanted.access === 'join') throw conflict('A built-in list cannot be joined');
      shared.removeExpired(list.id, now);
      if (shared.links(list.id).length >= MOST_LINKS) throw conflict(`At most ${MOST_LINKS} links`);
      return json(201, shared.createLink(list.id, wanted, now));
    });
    return result;
  }

  const listLinks = (context: RequestContext): Reply => ok(shared.links(ownList(context).id));

  function removeLink(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'linkId', 'link');
    return replyOfWrite(context, changeLog, () => {
      if (!shared.removeLink(ownList(context).id, id)) throw notFound('Link');
      return noContent();
    });
  }

  async function getShared(context: RequestContext): Promise<Reply> {
    const { includes, format } = requireValid(parseSharedQuery(context.query), context);
    const [, secret = '', ending] = ADDRESS.exec(context.parameters.get('link') ?? '') ?? [];
    const wanted = FORMATS.find((one) => one === ending) ?? format;
    const outing = await outingByLink(context, secret, wanted);
    if (outing) return outing;
    const found = opened(secret);
    if (wanted === 'ics') throw badRequest('format must not be ics for a list');
    // For each slice, since the link may end while its client is reading.
    const read: SliceReader<ItemRecord> = (...slice) => shared.read(opened(secret), ...slice);
    if (wanted === undefined) {
      const toText = (item: ItemRecord): string | undefined =>
        shared.itemText(found, item, includes.includes('cover'));
      return listReply(context, ALL, read, toText, BY_LINK, aroundItems(shared.head(found)));
    }
    if (wanted === 'atom') return content(ATOM_TYPE, Buffer.from(feedOf(context, secret, found)), BY_LINK);
    const { type, text } = fileOf(wanted, found.list.name, placesOf(found, read));
    return stream(200, { ...BY_LINK, 'Content-Type': type }, () => inTurns(text, context.work.pause));
  }

  function* placesOf(
    { link }: SharedList,
    read: SliceReader<ItemRecord>,
  ): Generator<{ readonly id: number; readonly note: string | null }> {
    for (const { entries } of inSlices(ALL, read, () => []))
      for (const { element } of entries)
        yield { id: element.restaurant_id, note: link.notes === 1 ? element.note : null };
  }

  /** The places that were added last. */
  function feedOf(context: RequestContext, secret: string, { link, list }: SharedList): string {
    const { id: listId, name: title, created_at } = list;
    const entries = shared.newestItems(listId).map(({ restaurant_id: id, name, note, created_at: at }) => ({
      id: `/lists/${listId}/${id}`,
      at,
      title: name,
      summary: link.notes === 1 ? note : null,
      page: `/restaurants/${id}`,
    }));
    const feed = { id: `/lists/${listId}`, title, created_at, base: baseOf(context) };
    return feedText({ ...feed, self: context.path, alternate: `/l/${secret}` }, entries);
  }

  function join(context: RequestContext): Promise<Reply> {
    return replyOfWrite(context, changeLog, ({ now }) => {
      const { link, list } = opened(context.parameters.get('link') ?? '');
      const callerId = authorIdOf(context);
      // A list from the time without accounts has no owner before it is adopted.
      const hasNoOwner = list.author_id === null && callerId !== null;
      if (link.access !== 'join' || hasNoOwner) throw forbidden('This link does not let you join');
      if (!store.find(callerId, list.id)) {
        // The placeholder of mode none is no account.
        if (callerId === null) throw forbidden('Joining a list takes an account');
        if (shared.countJoined(callerId) >= MOST_JOINED)
          throw conflict(`You have joined ${MOST_JOINED} lists; leave one first`);
        if (!shared.join(list, callerId, now)) throw conflict(`A list has at most ${MOST_MEMBERS} members`);
      }
      return ok(listJson(store.get(list.id) ?? list, callerId));
    });
  }

  /** The list of the path, for its owner alone. */
  function ownList(context: RequestContext): ListRecord {
    return requireListOwner(foundList(store, context), authorIdOf(context));
  }

  /** The list that a secret opens. Throws the same 404 for every secret that opens nothing. */
  function opened(secret: string): SharedList {
    const found = shared.find(secret);
    if (!found) throw UNKNOWN_LINK;
    return found;
  }

  const read = { ...FOR_USER, method: 'GET', body: 'none' } as const;
  const own = { ...FOR_USER, credentials: ['session'] } as const;
  const erase = { ...own, method: 'DELETE', body: 'none' } as const;
  const make = { ...own, answers: 'secret', method: 'POST', body: 'json' } as const;
  const byLink = ['link', ...SESSION_OR_TOKEN] as const;
  const open = { ...PUBLIC_FILE, credentials: [...byLink, 'guest'], answers: 'private' } as const;
  // A stored answer would show the list to a member who was removed meanwhile.
  const ask = { ...make, credentials: byLink, body: 'jsonOrEmpty' } as const;
  const [people, ofList, one] = ['/api/lists/:id/members', '/api/lists/:id/links', '/api/shared/:link'];
  return [
    { ...read, pattern: people, operationId: 'listMembers', handle: listMembers },
    { ...erase, pattern: `${people}/:userId`, operationId: 'removeMember', handle: removeMember },
    { ...read, pattern: ofList, operationId: 'listLinks', handle: listLinks },
    { ...make, pattern: ofList, operationId: 'createLink', handle: createLink },
    { ...erase, pattern: `${ofList}/:linkId`, operationId: 'deleteLink', handle: removeLink },
    { ...open, pattern: one, operationId: 'getShared', handle: getShared },
    { ...ask, pattern: `${one}/join`, operationId: 'joinShared', handle: join },
  ];
}
