import { createHash } from 'node:crypto';
import { createShowAuthor } from '../../catalogue/authors.ts';
import { BY_LINK, OWN_IF_CURRENT, tagged, withTag } from '../../http/conditional.ts';
import { type RequestContext, authorIdOf, baseOf, idInPath, writeChecked } from '../../http/context.ts';
import { conflict, notFound, requireValid } from '../../http/errors.ts';
import { type Reply, content, json, noContent, ok, stream } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_FILE, type Route } from '../../http/router.ts';
import { bodyParser, requiredChoiceField } from '../../kit/input/fields.ts';
import { CALENDAR_END, CALENDAR_TYPE, calendarStart } from '../../kit/ics.ts';
import { Cache } from '../../kit/cache.ts';
import { paced } from '../../kit/slices.ts';
import { HOUR_MS } from '../../kit/time.ts';
import type { AccountParts } from '../accounts/sign-in.ts';
import { outingEvents } from '../outings/events.ts';
import type { Outings } from '../outings/store.ts';
import type { VisitStore } from '../visits/store.ts';
import { ATOM_TYPE, entryOfChange, feedText } from './atom.ts';
import { type FeedKind, type FeedStore, SUFFIXES } from './store.ts';
import { visitEvents } from './visits.ts';

const MOST_FEEDS = 20;
const ADDRESS = /^([\w-]{43})\.(ics|atom)$/;
const TAGS_BYTES = 256 * 1024;
const HEADERS = { ...BY_LINK, ...OWN_IF_CURRENT };

interface FeedParts extends Pick<AccountParts, 'transactions'> {
  readonly feeds: FeedStore;
  readonly visits: VisitStore;
  readonly outings: Outings;
  /** The name of the catalogue. */
  readonly name: string;
  /** Changes with every write, whichever process makes it. */
  readonly version: () => string;
  /** Distinguishes the catalogue from others. */
  readonly instance: string;
  /** Whether everyone sees who made a change, and not administrators alone. */
  readonly showsAuthors: boolean;
}

const parseNewFeed = bodyParser((fields): FeedKind =>
  requiredChoiceField(fields, 'kind', ['visits', 'changes', 'outings']),
);

/** `/api/feeds`, and the addresses of feeds, which need no credentials. */
export function feedRoutes(parts: FeedParts): readonly Route[] {
  const { feeds } = parts;
  // Old events leave a calendar without a write.
  const tags = new Cache<string, string>({ maxBytes: TAGS_BYTES, maxAgeMs: HOUR_MS });
  const making = new Map<string, Promise<string>>();

  async function create(context: RequestContext): Promise<Reply> {
    const kind = requireValid(parseNewFeed(context.body), context);
    const userId = authorIdOf(context);
    const feed = await writeChecked(parts, context, () => {
      if (feeds.listOf(userId).length >= MOST_FEEDS) throw conflict(`At most ${MOST_FEEDS} feeds`);
      return feeds.create(userId, kind);
    });
    return json(201, feed);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idInPath(context.parameters, 'id', 'feed');
    const isRemoved = await writeChecked(parts, context, () => feeds.remove(id, authorIdOf(context)));
    if (!isRemoved) throw notFound('Feed');
    return noContent();
  }

  function read(context: RequestContext): Reply | Promise<Reply> {
    const { id, kind, created_at, is_admin } = found(context);
    if (kind !== 'changes') return calendarReply(context);
    const showAuthor = createShowAuthor(parts.showsAuthors || is_admin === 1);
    const feed = { id: `/feeds/${id}`, created_at, title: parts.name, base: baseOf(context) };
    const entries = feeds.newestChanges().map((one) => entryOfChange(one, showAuthor(one)?.username));
    const text = feedText({ ...feed, self: context.path, alternate: '/activity' }, entries);
    return tagged(content(ATOM_TYPE, Buffer.from(text), HEADERS));
  }

  /** The feed at a secret address. Throws the same 404 for every address that has none. */
  function found({ parameters }: RequestContext) {
    const [, secret = '', suffix] = ADDRESS.exec(parameters.get('file') ?? '') ?? [];
    const feed = feeds.find(secret);
    if (!feed || SUFFIXES[feed.kind] !== suffix) throw notFound('Feed', HEADERS);
    return feed;
  }

  /** Reads everything twice, once for the ETag and once for the body: a diary may be too long to hold in memory. */
  async function calendarReply(context: RequestContext): Promise<Reply> {
    const tag = await tagOf(context);
    const headers = { ...HEADERS, 'Content-Type': CALENDAR_TYPE };
    return withTag(
      stream(200, headers, () => calendar(context)),
      tag,
    );
  }

  /** Computed once for all clients that ask for it at the same time. */
  async function tagOf(context: RequestContext): Promise<string> {
    // Clients ask far more often than anything changes.
    const key = `${parts.version()} ${found(context).id} ${baseOf(context).origin}`;
    for (let other = making.get(key); other; other = making.get(key)) {
      // The client that started the computation may disconnect.
      await other.catch(() => undefined);
      // Otherwise all waiting clients would start to read in one tick.
      await context.work.pause();
    }
    const known = tags.get(key);
    if (known !== undefined) return known;
    const made = digestOf(calendar(context));
    making.set(key, made);
    try {
      tags.set(key, await made, 2 * key.length);
      return await made;
    } finally {
      making.delete(key);
    }
  }

  async function* calendar(context: RequestContext): AsyncGenerator<string | Buffer> {
    const { user_id: ownerId, kind } = found(context);
    const place = { instance: parts.instance, origin: baseOf(context).origin };
    yield calendarStart(`${parts.name}: ${kind}`);
    const events =
      kind === 'visits' ? visitEvents(parts, ownerId, place) : outingEvents(parts.outings, ownerId, place);
    for await (const entries of paced<unknown>(events, context.work.pause)) {
      // The feed may have been deleted while its client was reading.
      found(context);
      yield Buffer.concat(entries.flatMap(({ pieces }) => pieces));
    }
    yield CALENDAR_END;
  }

  const own = { ...FOR_USER, credentials: ['session'], answers: 'secret' } as const;
  const file = { ...PUBLIC_FILE, credentials: ['link'], answers: 'private' } as const;
  const [all, one] = ['/api/feeds', '/api/feeds/:id'];
  const list = (context: RequestContext): Reply => ok(feeds.listOf(authorIdOf(context)));
  return [
    { ...own, method: 'GET', body: 'none', pattern: all, operationId: 'listFeeds', handle: list },
    { ...own, method: 'POST', body: 'json', pattern: all, operationId: 'createFeed', handle: create },
    { ...own, method: 'DELETE', body: 'none', pattern: one, operationId: 'deleteFeed', handle: remove },
    { ...file, pattern: '/feeds/:file', operationId: 'getFeed', handle: read },
  ];
}

async function digestOf(pieces: AsyncIterable<string | Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('base64url');
}
