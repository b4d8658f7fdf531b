import { tagged } from './conditional.ts';
import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';
import type { Route } from './router.ts';

/** Where answers are kept: `current` gives those that are still true, `version` another text after every write. */
export interface KeptAnswers {
  readonly version: () => string;
  readonly current: () => {
    readonly get: (address: string) => Reply | undefined;
    readonly set: (address: string, reply: Reply, bytes: number) => void;
  };
}

// Headers and objects of a reply, beside its address and its body, of which there may be compressed forms too.
const REPLY_BYTES = 500;
const FORMS = 1.5;

/**
 * The same routes, of which those that anybody may read answer as they did before for as long as that is true. For
 * routes whose answer depends on nothing but their address and what is stored. Long lists, which are streamed, are
 * not kept; the version is their tag.
 */
export function keepAnswers(routes: readonly Route[], kept: KeptAnswers): readonly Route[] {
  return routes.map((route) => {
    const isRead = route.method === 'GET' && route.access === 'public' && route.knowsCaller !== true;
    return isRead ? { ...route, handle: (context) => answer(context, route, kept) } : route;
  });
}

function answer(context: RequestContext, route: Route, kept: KeptAnswers): Reply | Promise<Reply> {
  // As it was sent: once decoded, two addresses of different routes may read the same.
  const address = context.request.url ?? '';
  const answers = kept.current();
  const known = answers.get(address);
  if (known) return known;
  const version = kept.version();
  const keep = (reply: Reply): Reply => {
    if (reply.kind === 'stream') return { ...reply, headers: { ETag: `W/"${version}"`, ...reply.headers } };
    const ready = tagged(reply);
    if (ready.kind === 'bytes')
      answers.set(address, ready, FORMS * ready.body.length + 2 * address.length + REPLY_BYTES);
    return ready;
  };
  const made = route.handle(context);
  return made instanceof Promise ? made.then(keep) : keep(made);
}
