import { Cache } from '../kit/cache.ts';
import { tagged } from './conditional.ts';
import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';
import type { Route } from './router.ts';

/**
 * Marks an address requested once: most are never requested again, and caching their replies would only produce
 * garbage.
 */
const ASKED_ONCE = 'asked once';

// Addresses with unknown names are never cached.
const ALL_KNOWN = { of: 'parameters', sentences: [] } as const;

// Estimated size of a reply without address and body; FORMS allows for compressed copies of the body.
const REPLY_BYTES = 500;
const FORMS = 1.5;

/**
 * Serves public reads from a cache of `maxBytes`, and leaves other routes as they are. Only for routes whose reply
 * depends on nothing but their address and the stored data, of which `version` is another text after every write. Long
 * lists are streamed and not cached; their tag is the version.
 */
export function cacheReplies(
  routes: readonly Route[],
  version: () => string,
  maxBytes: number,
): readonly Route[] {
  let cached: string | undefined;
  let replies = new Cache<string, Reply | typeof ASKED_ONCE>({ maxBytes });

  function answer(context: RequestContext, route: Route): Reply | Promise<Reply> {
    const { request, query, handling } = context;
    // The raw URL: once decoded, addresses of different routes may look the same.
    const address = request.url ?? '';
    const now = version();
    if (now !== cached) replies = new Cache({ maxBytes });
    cached = now;
    // A reply made before a write goes into the cache of that time.
    const current = replies;
    const known = current.get(address);
    if (known && known !== ASKED_ONCE) {
      handling.note(ALL_KNOWN);
      return known;
    }
    const store = (reply: Reply): Reply => {
      // It depends on the caller or the time.
      if (reply.headers['Cache-Control'] !== undefined) return reply;
      if (reply.kind === 'stream') return { ...reply, headers: { ETag: `W/"${now}"`, ...reply.headers } };
      const ready = tagged(reply);
      const areAllKnown = query === '' || (handling.hasReadQuery() && handling.warnings().length === 0);
      if (ready.kind !== 'bytes' || !areAllKnown) return ready;
      const bytes = 2 * address.length;
      if (known) current.set(address, ready, bytes + FORMS * ready.body.length + REPLY_BYTES);
      else current.set(address, ASKED_ONCE, bytes);
      return ready;
    };
    const reply = route.handle(context);
    return reply instanceof Promise ? reply.then(store) : store(reply);
  }

  return routes.map((route) => {
    const isRead = route.method === 'GET' && route.access === 'public';
    return isRead ? { ...route, handle: (context) => answer(context, route) } : route;
  });
}
