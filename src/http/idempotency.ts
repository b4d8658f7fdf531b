import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from './context.ts';
import { HttpError, badRequest, conflict } from './errors.ts';
import { headerValues } from './header-lists.ts';
import type { Idempotency, KeyedRequest } from './keyed-request.ts';
import { type Reply, replayed } from './reply.ts';
import type { Route } from './router.ts';
import { pathOf } from './target.ts';

/** An answer as it is stored and sent again. */
export interface StoredAnswer {
  readonly hash: string;
  readonly status: number;
  readonly location: string | null;
  readonly changeId: number | null;
  /** JSON; empty where the answer had no body. */
  readonly body: Buffer;
}

/** The storage of answers by user and key. */
export interface AnswerStore {
  /** Undefined also for an answer that is too old. */
  readonly find: (userId: number, key: string) => StoredAnswer | undefined;
  /** Must be run inside the transaction of the write that is answered. */
  readonly store: (answer: StoredAnswer & KeyedRequest) => void;
}

/** The key of a request, claimed: no other request has it until it is released. */
export interface Claim extends Idempotency {
  /** Stores the reply; must be called inside the transaction of the write. Returns it. */
  readonly store: (reply: Reply) => Reply;
  readonly release: () => void;
}

/** Undefined for a request to which no key applies. Throws 400 for a broken key, 409 for one that is under way. */
export type ClaimKey = (
  request: IncomingMessage,
  route: Route,
  principal: Principal | undefined,
  recheck: () => void,
) => Claim | undefined;

// Their answers hold secrets, which must not be stored.
const SECRET = /^\/api\/(?:auth|users|invitations)(?:\/|$)/;
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Makes the function that claims keys, one of the same user at a time. */
export function createClaims(answers: AnswerStore): ClaimKey {
  const underWay = new Set<string>();
  return (request, route, principal, recheck) => {
    if (route.method !== 'POST' || !principal || SECRET.test(route.pattern)) return undefined;
    const [key, ...more] = headerValues(request.rawHeaders, 'idempotency-key');
    if (key === undefined) return undefined;
    if (more.length > 0 || !KEY.test(key))
      throw badRequest('Idempotency-Key must be 1 to 255 printable ASCII characters');
    const claimed = `${String(principal.userId)} ${key}`;
    if (underWay.has(claimed)) throw conflict('A request with this Idempotency-Key is under way');
    underWay.add(claimed);
    return {
      ...createClaim({ userId: principal.userId, key }, request, answers, recheck),
      release: () => underWay.delete(claimed),
    };
  };
}

function createClaim(
  owner: Omit<KeyedRequest, 'hash'>,
  { method = '', url = '' }: IncomingMessage,
  answers: AnswerStore,
  recheck: () => void,
): Omit<Claim, 'release'> {
  const find = (): StoredAnswer | undefined => answers.find(owner.userId, owner.key);
  let keyed: KeyedRequest | undefined;

  function request(): KeyedRequest {
    if (!keyed) throw new Error('an answer was stored before the content of its request was known');
    return keyed;
  }

  return {
    isRepeated: find() !== undefined,
    request,
    replay: (content) => {
      keyed = { ...owner, hash: digestOf([method, pathOf(url), url.slice(pathOf(url).length), content]) };
      // While the content arrived, the caller's rights may have ended, or the answer may have been erased.
      recheck();
      const found = find();
      if (!found) return undefined;
      if (found.hash === keyed.hash) return replayed(found);
      throw new HttpError(422, 'Idempotency-Key was used for another request');
    },
    store: (reply) => {
      answers.store({ ...request(), ...storable(reply) });
      return reply;
    },
  };
}

/** Throws for a reply that is read as the client takes it. */
function storable(reply: Reply): Omit<StoredAnswer, 'hash'> {
  if (reply.kind === 'stream') throw new Error('an answer that is a stream cannot be stored');
  const { status, headers, kind } = reply;
  const { Location: location = null, Change: change } = headers;
  return {
    status,
    location,
    changeId: change === undefined ? null : Number(change),
    body: kind === 'bytes' ? reply.body : Buffer.alloc(0),
  };
}

function digestOf(parts: readonly string[]): string {
  // As JSON, since parts that were only joined could be split in another way.
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** A digest of a body in blocks, with a pause after each, since ten megabytes take long. */
export async function digestOfBlocks(blocks: readonly Buffer[], pause: () => Promise<void>): Promise<string> {
  const hash = createHash('sha256');
  for (const [index, block] of blocks.entries()) {
    if (index > 0) await pause();
    hash.update(block);
  }
  return hash.digest('base64url');
}
