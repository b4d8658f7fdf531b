import { createHmac } from 'node:crypto';
import { BY_LINK } from '../../http/conditional.ts';
import {
  type RequestContext,
  authorIdOf,
  baseOf,
  idInPath,
  replyOfWrite,
  writeChecked,
  writerOf,
} from '../../http/context.ts';
import { HttpError, badRequest, conflict, forbidden, notFound, requireValid } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { type Reply, content, json, noContent, ok, stream } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_FILE, type Route, SESSION_OR_TOKEN } from '../../http/router.ts';
import { CALENDAR_END, CALENDAR_TYPE, calendarStart } from '../../kit/ics.ts';
import { choiceParameter, choicesParameter, queryParser } from '../../kit/input/query.ts';
import { ALL, type SliceReader, aroundItems, inSlices, inTurns } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { bearerToken, tokenOf } from '../accounts/authenticate.ts';
import { newSecret } from '../accounts/tokens.ts';
import { ATOM_TYPE, feedText } from '../feeds/atom.ts';
import { MOST_JOINED, MOST_MEMBERS, type Members } from '../lists/members.ts';
import { type ItemRecord, type ListRecord, listJson } from '../lists/record.ts';
import { foundList, requireListOwner } from '../lists/routes.ts';
import type { ListStore } from '../lists/store.ts';
import { outingEvent } from '../outings/events.ts';
import { parseBallotByLink } from '../outings/input.ts';
import type { Outing } from '../outings/record.ts';
import { storeBallot } from '../outings/routes.ts';
import type { Outings } from '../outings/store.ts';
import { parseNewLink } from './input.ts';
import type { Links, SharedList } from './links.ts';

const FORMATS = ['geojson', 'kml', 'atom', 'ics'] as const;
type Format = (typeof FORMATS)[number];
const MOST_LINKS = 20;
// The ending says the same as the parameter `format`, for programs that look at it.
const ADDRESS = /^([^.]*)(?:\.(geojson|kml|atom|ics))?$/;

/** For every link that opens nothing, whatever the reason. */
const UNKNOWN_LINK = new HttpError(404, 'Link is unknown or expired', BY_LINK);

/** Restaurants as a file named after their list, with its notes. */
export type FileOf = (
  format: Exclude<Format, 'atom' | 'ics'>,
  name: string,
  places: Iterable<{ readonly id: number; readonly note: string | null }>,
) => { readonly type: string; readonly text: Iterable<string> };

interface LinkParts {
  readonly links: Links;
  readonly lists: ListStore;
  readonly members: Members;
  readonly outings: Outings;
  readonly changeLog: ChangeLog;
  readonly transactions: Pick<Transactions, 'write'>;
  readonly fileOf: FileOf;
  /** The name of the catalogue, and the id that distinguishes its calendar events. */
  readonly name: string;
  readonly instance: string;
  /** Of the hashes of the addresses of guests. */
  readonly clientKey: Buffer;
}

const parseSharedQuery = queryParser((query) => ({
  includes: choicesParameter(query, 'include', ['cover']) ?? [],
  format: choiceParameter(query, 'format', FORMATS),
}));

/** The links of a list, for its owner, and `/api/shared`, for everyone with a link to a list or an outing. */
export function linkRoutes(parts: LinkParts): readonly Route[] {
  const { links, lists, members, outings, changeLog } = parts;

  /** An Idempotency-Key has no effect: the answer holds a secret, which is not stored. */
  async function create(context: RequestContext): Promise<Reply> {
    const wanted = requireValid(parseNewLink(context.body), context);
    const { result } = await changeLog.write(writerOf(context), ({ now }) => {
      const list = ownList(context);
      if (list.kind !== 'own' && wanted.access === 'join') throw conflict('A built-in list cannot be joined');
      links.removeExpired(list.id, now);
      if (links.ofList(list.id).length >= MOST_LINKS) throw conflict(`At most ${MOST_LINKS} links`);
      return json(201, links.create(list.id, wanted, now));
    });
    return result;
  }

  const list = (context: RequestContext): Reply => ok(links.ofList(ownList(context).id));

  function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'linkId', 'link');
    return replyOfWrite(context, changeLog, () => {
      if (!links.remove(ownList(context).id, id)) throw notFound('Link');
      return noContent();
    });
  }

  function getShared(context: RequestContext): Promise<Reply> | Reply {
    const { includes, format } = requireValid(parseSharedQuery(context.query), context);
    const [, token = '', ending] = ADDRESS.exec(tokenIn(context)) ?? [];
    const wanted = FORMATS.find((one) => one === ending) ?? format;
    const outing = links.outing(token);
    return outing ? replyOfOuting(context, outing, wanted) : replyOfList(context, token, wanted, includes);
  }

  async function replyOfOuting(context: RequestContext, outing: Outing, format?: Format): Promise<Reply> {
    if (format === undefined) {
      const secret = tokenOf(context.request, 'guest');
      const voter = secret === undefined ? await userWith(context) : { secret };
      return json(200, links.outingJson(outing, voter), BY_LINK);
    }
    if (format !== 'ics') throw badRequest('format must be ics for an outing');
    const event = outingEvent(outings, outing, {
      instance: parts.instance,
      origin: baseOf(context).origin,
    });
    return content(CALENDAR_TYPE, Buffer.from(calendarStart(parts.name) + event + CALENDAR_END), BY_LINK);
  }

  function replyOfList(
    context: RequestContext,
    secret: string,
    format: Format | undefined,
    includes: readonly string[],
  ): Promise<Reply> | Reply {
    const found = openedList(secret);
    if (format === 'ics') throw badRequest('format must not be ics for a list');
    // For each slice, since the link may end while its client is reading.
    const read: SliceReader<ItemRecord> = (...slice) => links.read(openedList(secret), ...slice);
    if (format === undefined) {
      const toText = (item: ItemRecord): string | undefined =>
        links.itemText(found, item, includes.includes('cover'));
      return listReply(context, ALL, read, toText, BY_LINK, aroundItems(links.head(found)));
    }
    if (format === 'atom') return content(ATOM_TYPE, Buffer.from(feedOf(context, secret, found)), BY_LINK);
    const { type, text } = parts.fileOf(format, found.list.name, placesOf(found, read));
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
    const entries = links.newestItems(listId).map(({ restaurant_id: id, name, note, created_at: at }) => ({
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
      const { link, list } = openedList(tokenIn(context));
      const callerId = authorIdOf(context);
      // A list from the time without accounts has no owner before it is adopted.
      const hasNoOwner = list.author_id === null && callerId !== null;
      if (link.access !== 'join' || hasNoOwner) throw forbidden('This link does not let you join');
      if (!lists.find(callerId, list.id)) {
        // The placeholder of mode none is no account.
        if (callerId === null) throw forbidden('Joining a list takes an account');
        if (members.countJoined(callerId) >= MOST_JOINED)
          throw conflict(`You have joined ${MOST_JOINED} lists; leave one first`);
        if (!members.add(list, callerId, now)) throw conflict(`A list has at most ${MOST_MEMBERS} members`);
      }
      return ok(listJson(lists.get(list.id) ?? list, callerId));
    });
  }

  async function vote(context: RequestContext): Promise<Reply> {
    const { name, secret, ...ballot } = requireValid(parseBallotByLink(context.body), context);
    const user = await userWith(context);
    const made = user || secret !== null ? undefined : newSecret();
    const token = tokenIn(context);
    const client = createHmac('sha256', parts.clientKey).update(`${token} ${context.client.key}`).digest();
    const voter = user ?? { secret: secret ?? made ?? '', name, isNew: made !== undefined, client };
    return writeChecked(parts, context, () => {
      const outing = links.outing(token);
      if (!outing) throw UNKNOWN_LINK;
      const voted = storeBallot(outings, outing, voter, ballot);
      return json(200, { ...links.outingJson(voted, voter), secret: made }, BY_LINK);
    });
  }

  /** The list of the path, for its owner alone. */
  function ownList(context: RequestContext): ListRecord {
    return requireListOwner(foundList(lists, context), authorIdOf(context));
  }

  /** The list that a secret opens. Throws the same 404 for every secret that opens nothing. */
  function openedList(secret: string): SharedList {
    const found = links.list(secret);
    if (!found) throw UNKNOWN_LINK;
    return found;
  }

  const own = { ...FOR_USER, credentials: ['session'] } as const;
  const make = { ...own, answers: 'secret', method: 'POST', body: 'json' } as const;
  const byLink = ['link', ...SESSION_OR_TOKEN] as const;
  const guest = [...byLink, 'guest'] as const;
  const open = { ...PUBLIC_FILE, credentials: guest, answers: 'private' } as const;
  // A stored answer would show the list to a member who was removed meanwhile.
  const ask = { ...make, credentials: byLink, body: 'jsonOrEmpty' } as const;
  const ballot = { ...FOR_USER, access: 'public', credentials: guest, answers: 'secret' } as const;
  const [ofList, one] = ['/api/lists/:id/links', '/api/shared/:link'];
  return [
    { ...FOR_USER, method: 'GET', body: 'none', pattern: ofList, operationId: 'listLinks', handle: list },
    { ...make, pattern: ofList, operationId: 'createLink', handle: create },
    {
      ...own,
      method: 'DELETE',
      body: 'none',
      pattern: `${ofList}/:linkId`,
      operationId: 'deleteLink',
      handle: remove,
    },
    { ...open, pattern: one, operationId: 'getShared', handle: getShared },
    { ...ask, pattern: `${one}/join`, operationId: 'joinShared', handle: join },
    {
      ...ballot,
      method: 'PUT',
      body: 'json',
      pattern: `${one}/ballot`,
      operationId: 'voteByLink',
      handle: vote,
    },
  ];
}

const tokenIn = ({ parameters }: RequestContext): string => parameters.get('link') ?? '';

/** The signed-in user of a request with a link; undefined for everyone else. Rejects with 401 for a token that has ended. */
async function userWith(context: RequestContext): Promise<{ readonly userId: number } | undefined> {
  if (bearerToken(context.request) === undefined) return undefined;
  const userId = authorIdOf({ principal: await context.caller() });
  return userId === null ? undefined : { userId };
}
