/** A request with an Idempotency-Key, which identifies its stored answer. */
export interface KeyedRequest {
  readonly userId: number;
  readonly key: string;
  /** SHA-256 of method, path with query, and content, in base64url. */
  readonly hash: string;
}

/** The answer to a write, stored for repeats of its request. */
export interface StoredAnswer extends Pick<KeyedRequest, 'hash'> {
  readonly status: number;
  readonly location: string | null;
  readonly changeId: number | null;
  /** JSON; empty if the answer had no body. */
  readonly body: Buffer;
}
