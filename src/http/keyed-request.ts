import type { Reply } from './reply.ts';

/** A request with an Idempotency-Key, as its answer is stored under it. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** SHA-256 of method, path with query, and content, in base64url. */
  readonly hash: string;
}

/** The part that an Idempotency-Key has in the handling of its request. */
export interface Idempotency {
  /** Whether an answer is stored under the key, perhaps for another request. */
  readonly isRepeated: boolean;
  /**
   * For a route that reads its body itself, to be called once with a digest of its content before anything is written: the
   * stored answer of the same request, which must be returned then. Throws 422 where the key was used for another one.
   */
  readonly replay: (content: string) => Reply | undefined;
  /** The request; throws before its content is known. */
  readonly request: () => KeyedRequest;
}
