import type { RequestContext } from './context.ts';
import type { Reply } from './reply.ts';

/** Who makes the write of a request, as the change log has it. */
export interface RequestWriter {
  readonly userId: number | null;
  readonly token: { readonly id: number; readonly name: string } | null;
  readonly via: 'api';
  readonly requestId: string;
}

/** The writer of a request. */
export function writerOf({ id, principal }: Pick<RequestContext, 'id' | 'principal'>): RequestWriter {
  const { userId = null, token = null } = principal ?? {};
  return { userId, token, via: 'api', requestId: id };
}

/** The reply with a header that names the change of a write, if there was one. */
export function withChange(reply: Reply, changeId: number | undefined): Reply {
  if (changeId === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, Change: String(changeId) } };
}
