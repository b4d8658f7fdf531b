import { type Hash, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KeyedRequest, StoredAnswer } from '../kit/answers.ts';
import { HttpError, badRequest, conflict } from './errors.ts';
import { headerValues } from './negotiation.ts';
import { JSON_TYPE, type Reply, content, withChange } from './reply.ts';
import { pathOf } from './target.ts';

/** Stores answers by user and key. */
export interface AnswerStore {
  /** Undefined if there is no answer, or only an expired one. */
  readonly find: (userId: number, key: string) => StoredAnswer | undefined;
  /** Call inside the transaction of the write that is answered. */
  readonly store: (answer: StoredAnswer & KeyedRequest) => void;
}

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Claims the keys of requests, so that two requests of a user with the same key never run at once. */
export class Claims {
  readonly #answers: AnswerStore;
  readonly #underWay = new Set<string>();

  constructor(answers: AnswerStore) {
    this.#answers = answers;
  }

  /**
   * Undefined if no key applies to the request. Throws 400 for an invalid key, 409 if a request with it is running.
   * `recheck` checks the caller's rights again.
   */
  claim(request: IncomingMessage, userId: number | undefined, recheck: () => void): Claim | undefined {
    if (request.method !== 'POST' || userId === undefined) return undefined;
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

/** Digests a form's fields and files by name and content, in any order. */
class FormDigest {
  readonly #parts: Hash[] = [];

  addField(name: string, value: string): void {
    this.#start('field', name).update(value);
  }

  /** Starts a file; call the returned function with each piece of its content. */
  addFile(name: string): (content: Buffer) => void {
    const part = this.#start('file', name);
    return (content) => {
      part.update(content);
    };
  }

  /** SHA-256 in base64url; call it after adding all parts. */
  result(): string {
    const digests = this.#parts.map((part) => part.digest('base64url')).sort();
    return createHash('sha256').update(digests.join()).digest('base64url');
  }

  #start(kind: 'field' | 'file', name: string): Hash {
    // JSON is self-delimiting, so the content cannot be confused with it.
    const part = createHash('sha256').update(JSON.stringify([kind, name]));
    this.#parts.push(part);
    return part;
  }
}

/** A request's claim on its key. */
export class Claim {
  /** True if an answer is stored under the key, perhaps for a different request. */
  readonly isRepeated: boolean;
  /** The digest of a form; its parts are added as they arrive. */
  readonly form = new FormDigest();
  /** Frees the key for other requests. */
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

  /** Throws if the content is not known yet. */
  request(): KeyedRequest {
    if (this.#hash === undefined)
      throw new Error('an answer was stored before the content of its request was known');
    return { ...this.#owner, hash: this.#hash };
  }

  /**
   * The stored answer if this request was made before, to be returned instead of a new one. Call once, with a digest
   * of the content, before writing anything. Throws 422 if the key was used for a different request.
   */
  replay(content: string): Reply | undefined {
    const path = pathOf(this.#url);
    // As JSON, so that the parts cannot be confused with a different split.
    const parts = JSON.stringify(['POST', path, this.#url.slice(path.length), content]);
    this.#hash = createHash('sha256').update(parts).digest('base64url');
    // While the content arrived, the caller may have lost its rights, or the answer may have been erased.
    this.#recheck();
    const found = this.#find();
    if (!found) return undefined;
    if (found.hash === this.#hash) return replayed(found);
    throw new HttpError(422, 'Idempotency-Key was used for another request');
  }

  /** Like `replay`, for a form that was received completely. */
  replayForm(): Reply | undefined {
    return this.replay(this.form.result());
  }

  /** Stores the reply, inside the write's transaction, and returns it. Throws for a stream. */
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

/** Hashes a body block by block with pauses, since ten megabytes take long. */
export async function digestOfBlocks(blocks: readonly Buffer[], pause: () => Promise<void>): Promise<string> {
  const hash = createHash('sha256');
  for (const [index, block] of blocks.entries()) {
    if (index > 0) await pause();
    hash.update(block);
  }
  return hash.digest('base64url');
}
