import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError, badRequest, conflict } from './errors.ts';
import { headerValues } from './negotiation.ts';
import { JSON_TYPE, type Reply, content, withChange } from './reply.ts';
import { pathOf } from './target.ts';

/** A request with an Idempotency-Key, as its answer is stored under it. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** SHA-256 of method, path with query, and content, in base64url. */
  readonly hash: string;
}

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

/** The routes whose answers hold secrets, which must not be stored. */
const SECRET = /^\/api\/(?:auth|users|invitations)(?:\/|$)/;
const KEY = /^[\x20-\x7e]{1,255}$/;

/** Claims the keys of requests: no two requests of a user with one key are handled at the same time. */
export class Claims {
  readonly #answers: AnswerStore;
  readonly #underWay = new Set<string>();

  constructor(answers: AnswerStore) {
    this.#answers = answers;
  }

  /**
   * Undefined for a request to which no key applies; `pattern` is that of its route. Throws 400 for a broken key, 409 for one
   * that is under way. `recheck` checks the caller's rights again.
   */
  claim(
    request: IncomingMessage,
    pattern: string,
    userId: number | undefined,
    recheck: () => void,
  ): Claim | undefined {
    if (request.method !== 'POST' || userId === undefined || SECRET.test(pattern)) return undefined;
    const [key, ...more] = headerValues(request.rawHeaders, 'idempotency-key');
    if (key === undefined) return undefined;
    if (more.length > 0 || !KEY.test(key))
      throw badRequest('Idempotency-Key must be 1 to 255 printable ASCII characters');
    const claimed = `${userId} ${key}`;
    if (this.#underWay.has(claimed)) throw conflict('A request with this Idempotency-Key is under way');
    this.#underWay.add(claimed);
    return new Claim(this.#answers, { userId, key }, request.url ?? '', recheck, () => {
      this.#underWay.delete(claimed);
    });
  }
}

/** The claimed key of a request. */
export class Claim {
  /** Whether an answer is stored under the key, perhaps for another request. */
  readonly isRepeated: boolean;
  /** Lets another request have the key. */
  readonly release: () => void;
  readonly #answers: AnswerStore;
  readonly #owner: Omit<KeyedRequest, 'hash'>;
  readonly #url: string;
  readonly #recheck: () => void;
  #hash: string | undefined;

  constructor(
    answers: AnswerStore,
    owner: Omit<KeyedRequest, 'hash'>,
    url: string,
    recheck: () => void,
    release: () => void,
  ) {
    this.#answers = answers;
    this.#owner = owner;
    this.#url = url;
    this.#recheck = recheck;
    this.release = release;
    this.isRepeated = this.#find() !== undefined;
  }

  /** The request; throws before its content is known. */
  request(): KeyedRequest {
    if (this.#hash === undefined)
      throw new Error('an answer was stored before the content of its request was known');
    return { ...this.#owner, hash: this.#hash };
  }

  /**
   * The stored answer of the same request, which must be returned then. To be called once, with a digest of the content,
   * before anything is written. Throws 422 where the key was used for another request.
   */
  replay(content: string): Reply | undefined {
    const path = pathOf(this.#url);
    // As JSON, since joined parts could be split in another way.
    const parts = JSON.stringify(['POST', path, this.#url.slice(path.length), content]);
    this.#hash = createHash('sha256').update(parts).digest('base64url');
    // While the content arrived, the caller's rights may have ended, or the answer may have been erased.
    this.#recheck();
    const found = this.#find();
    if (!found) return undefined;
    if (found.hash === this.#hash) return replayed(found);
    throw new HttpError(422, 'Idempotency-Key was used for another request');
  }

  /** Stores the reply, inside the transaction of the write, and returns it. Throws for a stream. */
  store(reply: Reply): Reply {
    if (reply.kind === 'stream') throw new Error('an answer that is a stream cannot be stored');
    const { status, headers, kind } = reply;
    const { Location: location = null, Change: change } = headers;
    const changeId = change === undefined ? null : Number(change);
    const body = kind === 'bytes' ? reply.body : Buffer.alloc(0);
    this.#answers.store({ ...this.request(), status, location, changeId, body });
    return reply;
  }

  #find(): StoredAnswer | undefined {
    return this.#answers.find(this.#owner.userId, this.#owner.key);
  }
}

/** The reply to a repeated request; its body is JSON. */
function replayed({ status, location, changeId, body }: StoredAnswer): Reply {
  const headers = { 'Idempotent-Replay': 'true', ...(location !== null && { Location: location }) };
  const reply: Reply =
    body.length > 0 ? content(JSON_TYPE, body, headers, status) : { status, headers, kind: 'empty' };
  return withChange(reply, changeId ?? undefined);
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
