import type { IncomingMessage } from 'node:http';
import type { Work } from '../kit/slices.ts';
import type { ClientAddress, Scheme } from './address.ts';
import { badRequest, unauthorized } from './errors.ts';
import type { Handling } from './handling.ts';
import type { Claim } from './idempotency.ts';
import { type Reply, withChange } from './reply.ts';

/** The caller of a request. */
export interface Principal {
  readonly userId: number;
  readonly isAdmin: boolean;
  /** `none`: mode none requires no credentials. */
  readonly credential: 'none' | 'accessToken' | 'apiToken';
  readonly token: { readonly id: number; readonly name: string } | null;
  /** Session id of an access token; null for other credentials. */
  readonly sid: string | null;
  /** Checks the caller's rights again, for long responses. Throws what a new request would get. */
  readonly renew: () => Principal;
  /** Lets a thread check the caller's rights again. */
  readonly permit: Permit;
}

/** Why a caller was admitted, as plain data: its credentials and the route's requirements. */
export interface Permit {
  readonly proof:
    | { readonly kind: 'none' }
    | { readonly kind: 'session'; readonly sid: string; readonly userId: number; readonly expiresAt: Date }
    | { readonly kind: 'apiToken'; readonly token: string };
  readonly needsAdmin: boolean;
  readonly needsSession: boolean;
}

/** A request that has passed every check of the pipeline. */
export interface RequestContext {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The raw query string without the question mark. */
  readonly query: string;
  /** Path parameters by name, percent-decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly client: ClientAddress;
  /** The client's scheme, whether TLS ends here or at a trusted proxy. */
  readonly scheme: Scheme;
  /** Undefined only on public routes called without credentials. `recheck` replaces it, so do not copy it. */
  readonly principal: Principal | undefined;
  /**
   * Checks the caller's rights again. A request may take minutes to arrive, so every write transaction starts with
   * this; the change log does so for logged writes. Throws what a new request would get.
   */
  readonly recheck: () => void;
  /** The caller, also on a public route, for responses that are specific to it. Rejects with 401 if there is none. */
  readonly caller: () => Promise<Principal>;
  /** The parsed JSON object; empty on routes that take none. */
  readonly body: object;
  readonly request: IncomingMessage;
  readonly handling: Handling;
  readonly work: Work;
  /** For routes that read the body themselves: sends "100 Continue" to a client waiting for it. */
  readonly inviteBody: () => void;
  /**
   * For the same routes: calls `fail` at most once, asynchronously, with the reason why the body does not arrive.
   * Returns a function that stops watching.
   */
  readonly watchBody: (fail: (error: Error) => void) => () => void;
  /**
   * Every POST passes its reply to this inside its write transaction, usually by `replyOfWrite`, so that a repeated request
   * gets the same reply. Returns the reply. Does nothing without an Idempotency-Key.
   */
  readonly storeAnswer: (reply: Reply) => Reply;
  /** For routes that read their body themselves or write elsewhere. Undefined without an Idempotency-Key. */
  readonly idempotency: Claim | undefined;
}

type Called = Pick<RequestContext, 'principal'>;

/** The id in a path. Throws 400 `Invalid <noun> ID` for anything but a positive safe integer. */
export function idInPath(parameters: ReadonlyMap<string, string>, name: string, noun: string): number {
  const text = parameters.get(name) ?? '';
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(id)) throw badRequest(`Invalid ${noun} ID`);
  return id;
}

/** Throws 401 if there is no caller. */
export function requireCaller(principal: Principal | undefined): Principal {
  if (!principal) throw unauthorized('Authentication required');
  return principal;
}

/** The caller's id. Throws 401 if there is no caller. */
export function userIdOf({ principal }: Called): number {
  return requireCaller(principal).userId;
}

/** The caller's permit. Throws 401 if there is no caller. */
export function permitOf({ principal }: Called): Permit {
  return requireCaller(principal).permit;
}

/**
 * The author of the caller's writes: null for the placeholder of mode none, which has no row and owns everything
 * without an author. Throws 401 if there is no caller.
 */
export function authorIdOf({ principal }: Called): number | null {
  const { credential, userId } = requireCaller(principal);
  return credential === 'none' ? null : userId;
}

/** The author of a request's writes, for the change log. */
export interface RequestWriter {
  readonly userId: number | null;
  readonly token: { readonly id: number; readonly name: string } | null;
  readonly via: 'api';
  readonly requestId: string;
}

/** The writer for a request; its rights are checked again on each write. */
export function writerOf(
  context: Pick<RequestContext, 'id' | 'principal' | 'recheck'>,
): RequestWriter & { readonly recheck: () => void } {
  return { ...writerForThread(context), recheck: context.recheck };
}

/** The part of the transactions that `writeChecked` needs. */
interface Writes {
  readonly write: <Result>(work: () => Result) => Promise<Result>;
}

/** Runs a write that the change log does not record, in a transaction that checks the caller's rights again first. */
export function writeChecked<Result>(
  { transactions }: { readonly transactions: Writes },
  context: Pick<RequestContext, 'recheck'>,
  work: () => Result,
): Promise<Result> {
  return transactions.write(() => {
    context.recheck();
    return work();
  });
}

/** The part of a change log that `replyOfWrite` needs. */
interface WriteLog<Write> {
  readonly write: (
    writer: ReturnType<typeof writerOf>,
    work: (write: Write) => Reply,
  ) => Promise<{ readonly result: Reply }>;
}

/**
 * The reply that `work` makes in a logged write of the request. It names the change, if there is one, and is stored for
 * repeats of the request in the same transaction.
 */
export async function replyOfWrite<Write extends { readonly changeId: () => number | undefined }>(
  context: RequestContext,
  log: WriteLog<Write>,
  work: (write: Write) => Reply,
): Promise<Reply> {
  const { result } = await log.write(writerOf(context), (write) => {
    const reply = work(write);
    return context.storeAnswer(withChange(reply, write.changeId()));
  });
  return result;
}

/** The writer as plain data, for a thread that checks the caller's permit itself. */
export function writerForThread({ id, principal }: Pick<RequestContext, 'id' | 'principal'>): RequestWriter {
  const { userId = null, token = null } = principal ?? {};
  return { userId, token, via: 'api', requestId: id };
}

/** The address of the service as the client of a request knows it. */
export function baseOf({ scheme, request }: Pick<RequestContext, 'scheme' | 'request'>): URL {
  const text = `${scheme}://${request.headers.host ?? ''}`;
  return new URL(URL.canParse(text) ? text : 'http://localhost');
}
