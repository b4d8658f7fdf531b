import type { IncomingMessage } from 'node:http';
import type { ClientAddress, Scheme } from './address.ts';
import { badRequest, unauthorized } from './errors.ts';
import type { Handling } from './handling.ts';
import type { Claim } from './idempotency.ts';
import type { Reply } from './reply.ts';

/** The caller of a request, as far as routes need to know. */
export interface Principal {
  readonly userId: number;
  readonly isAdmin: boolean;
  /** `none`: no proof is needed (mode none). */
  readonly credential: 'none' | 'accessToken' | 'apiToken';
  readonly token: { readonly id: number; readonly name: string } | null;
  /** The id of the access token's session; null for other credentials. */
  readonly sid: string | null;
  /** The caller as of now, for answers that take long. Throws the refusal that a new request would get. */
  readonly renew: () => Principal;
  /** For a thread that has to check the caller's rights again. */
  readonly permit: Permit;
}

/** Why a caller was let in, as plain data: the proof of its identity, and the demands of the route. */
export interface Permit {
  readonly proof:
    | { readonly kind: 'none' }
    | { readonly kind: 'session'; readonly sid: string; readonly userId: number; readonly expiresAt: Date }
    | { readonly kind: 'apiToken'; readonly token: string };
  readonly needsAdmin: boolean;
  readonly needsSession: boolean;
}

/** How a handler with much to do lets other requests go on. */
export interface Work {
  /**
   * Between two slices of a few milliseconds: resolves when the next one may run. Rejects with a ClientGoneError once the
   * client has gone, and once the caller's rights have ended with the refusal that a new request would get.
   */
  readonly pause: () => Promise<void>;
  /**
   * Right before work of some milliseconds: the same pause, but undefined while this tick has done little. Many requests that
   * waited for the same thing go on in one tick, and must not do all their work in it.
   */
  readonly turn: () => Promise<void> | undefined;
}

/** The request after every check of the pipeline. */
export interface RequestContext {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The raw query string without its question mark. */
  readonly query: string;
  /** Path parameters by name, percent-decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly client: ClientAddress;
  /** The scheme that the client used, for this service or for a trusted proxy in front of it. */
  readonly scheme: Scheme;
  /** Absent only on public routes that were called without credentials. `recheck` replaces it: don't copy it. */
  readonly principal: Principal | undefined;
  /**
   * Checks the caller's rights again. A request may take minutes to arrive, so this comes first in the transaction of each
   * write; the change log calls it for those that it logs. Throws the refusal that a new request would get.
   */
  readonly recheck: () => void;
  /** The caller, also on a public route, for answers that are the caller's own. Rejects with 401 where there is none. */
  readonly caller: () => Promise<Principal>;
  /** The parsed JSON object of a route that takes one; an empty object elsewhere. */
  readonly body: object;
  readonly request: IncomingMessage;
  readonly handling: Handling;
  readonly work: Work;
  /** For routes that read their body themselves: asks a client that waits with it to send it. */
  readonly inviteBody: () => void;
  /**
   * For the same routes: calls `fail`, at most once and later, with the reason why the body does not arrive. Returns the
   * function that ends the watch.
   */
  readonly watchBody: (fail: (error: Error) => void) => () => void;
  /**
   * To be called by each POST within the transaction of its write, with its answer, which is returned: a repeated request
   * gets the same one. Does nothing for a request without an Idempotency-Key.
   */
  readonly storeAnswer: (reply: Reply) => Reply;
  /** Undefined for a request without an Idempotency-Key. For routes that read their body, or write elsewhere. */
  readonly idempotency: Claim | undefined;
}

type Called = Pick<RequestContext, 'principal'>;

/** The id in a path. Throws 400 `Invalid <noun> ID` for anything but a positive integer that JavaScript holds exactly. */
export function idInPath(parameters: ReadonlyMap<string, string>, name: string, noun: string): number {
  const text = parameters.get(name) ?? '';
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(id)) throw badRequest(`Invalid ${noun} ID`);
  return id;
}

/** Throws 401 where there is no caller. */
export function requireCaller(principal: Principal | undefined): Principal {
  if (!principal) throw unauthorized('Authentication required');
  return principal;
}

/** The id of the caller. Throws 401 where there is none. */
export function userIdOf({ principal }: Called): number {
  return requireCaller(principal).userId;
}

/** The permit of the caller. Throws 401 where there is none. */
export function permitOf({ principal }: Called): Permit {
  return requireCaller(principal).permit;
}

/**
 * The author of the caller's writes: null for the placeholder of mode none, which has no row and owns everything without an
 * author. Throws 401 where there is no caller.
 */
export function authorIdOf({ principal }: Called): number | null {
  const { credential, userId } = requireCaller(principal);
  return credential === 'none' ? null : userId;
}

/** The author of a request's write, as the change log has it. */
export interface RequestWriter {
  readonly userId: number | null;
  readonly token: { readonly id: number; readonly name: string } | null;
  readonly via: 'api';
  readonly requestId: string;
}

/** The writer of a request, whose rights are checked again when it writes. */
export function writerOf(
  context: Pick<RequestContext, 'id' | 'principal' | 'recheck'>,
): RequestWriter & { readonly recheck: () => void } {
  return { ...writerForThread(context), recheck: context.recheck };
}

/** The writer of a request as plain data, for a thread that checks the permit of its caller by itself. */
export function writerForThread({ id, principal }: Pick<RequestContext, 'id' | 'principal'>): RequestWriter {
  const { userId = null, token = null } = principal ?? {};
  return { userId, token, via: 'api', requestId: id };
}
