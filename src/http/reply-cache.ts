import { tagged } from './conditional.ts';
import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';
import type { Route } from './router.ts';

/** Stands for an answer that was asked for once: most are never asked for again, and would only be garbage. */
const ASKED_ONCE = 'asked once';

/** Cached answers: `current` returns those that are still true, `version` changes with every write. */
export interface ReplyCache {
  readonly version: () => string;
  readonly current: () => {
    get(address: string): Reply | typeof ASKED_ONCE | undefined;
    set(address: string, reply: Reply | typeof ASKED_ONCE, bytes: number): void;
  };
}

// Nothing is cached under an address with unknown names.
const ALL_KNOWN = { of: 'parameters', sentences: [] } as const;

// Headers and objects of a reply, without its address and its body, of which there may be compressed forms too.
const REPLY_BYTES = 500;
const FORMS = 1.5;

/**
 * The same routes, of which those that read and are public answer from the cache. For routes whose answer depends only on
 * their address and the stored data. Long lists, which are streamed, are not cached; the version is their tag.
 */
export function cacheReplies(routes: readonly Route[], cache: ReplyCache): readonly Route[] {
  return routes.map((route) => {
    const isRead = route.method === 'GET' && route.access === 'public' && route.knowsCaller !== true;
    return isRead ? { ...route, handle: (context) => answer(context, route, cache) } : route;
  });
}

function answer(context: RequestContext, route: Route, cache: ReplyCache): Reply | Promise<Reply> {
  const { request, query, handling } = context;
  // As it was sent: once decoded, two addresses of different routes may read the same.
  const address = request.url ?? '';
  const replies = cache.current();
  const known = replies.get(address);
  if (known && known !== ASKED_ONCE) {
    handling.note(ALL_KNOWN);
    return known;
  }
  const version = cache.version();
  const store = (reply: Reply): Reply => {
    // It depends on the caller or on the time.
    if (reply.headers['Cache-Control'] !== undefined) return reply;
    if (reply.kind === 'stream') return { ...reply, headers: { ETag: `W/"${version}"`, ...reply.headers } };
    const ready = tagged(reply);
    const areAllKnown = query === '' || (handling.hasReadQuery() && handling.warnings().length === 0);
    if (ready.kind !== 'bytes' || !areAllKnown) return ready;
    const bytes = 2 * address.length;
    if (known) replies.set(address, ready, bytes + FORMS * ready.body.length + REPLY_BYTES);
    else replies.set(address, ASKED_ONCE, bytes);
    return ready;
  };
  const reply = route.handle(context);
  return reply instanceof Promise ? reply.then(store) : store(reply);
}
