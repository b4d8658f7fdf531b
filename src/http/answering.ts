import type { RequestContext } from './context.ts';
import { requireValid } from './errors.ts';
import { unreadParameters, warningHeader } from './handling.ts';
import { type Claim, digestOfBlocks } from './idempotency.ts';
import type { Reply } from './reply.ts';
import type { Route } from './router.ts';

/**
 * The answer of a route, or the stored one of a request that was made before; with a warning of all names in the request
 * that nothing reads. `blocks` are the bytes of the body. Rejects with 422 for a key of another request, and with 400 for
 * unknown names that are faults.
 */
export async function answerOf(
  context: RequestContext,
  route: Route,
  claim: Claim | undefined,
  blocks: readonly Buffer[],
): Promise<Reply> {
  // A write that reads no query must not be made before its unknown names are refused; a read is known by what it does.
  if (route.method !== 'GET' && route.readsQuery !== true) noteUnread(context, route);
  // A route that reads its body itself has yet to learn what is in it.
  const known = route.body === 'multipart' ? undefined : claim;
  const reply =
    known?.replay(await digestOfBlocks(blocks, context.work.pause)) ?? (await route.handle(context));
  noteUnread(context, route);
  const warnings = context.handling.warnings();
  const isFine = reply.status >= 200 && reply.status < 300;
  return isFine && warnings.length > 0
    ? { ...reply, headers: { ...reply.headers, ...warningHeader(warnings) } }
    : reply;
}

/** Notes the names of a query that no parser has read; throws 400 where they are faults. */
function noteUnread({ query, handling }: RequestContext, { limit }: Route): void {
  // Sign-in and files know parameters of others, such as those of providers and caches.
  if (limit !== 'api' || query === '' || handling.hasReadQuery()) return;
  requireValid({ ok: true, value: undefined, unknown: unreadParameters(query) }, { handling });
}
