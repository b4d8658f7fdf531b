/** The part of one body in the memory that all bodies share. */
interface Share {
  bytes: number;
  readonly refuse: () => void;
}

/**
 * A budget of `limit` bytes for all JSON bodies that arrive or are being handled. When it is exceeded, the largest of the
 * bodies that still arrive is refused first, so that a few large ones do not shut out the many small ones.
 *
 * A body counts with its bytes from their arrival until its handler is done. While it is parsed it takes several times
 * as much: bytes, text and values are there at once, the text with up to two bytes a character. That holds for one body
 * at a time, since parsing does not wait; afterwards the values remain.
 */
export class BodyBudget {
  readonly #limit: number;
  readonly #arriving = new Set<Share>();
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that count now. */
  get used(): number {
    return this.#used;
  }

  /** Starts to count a body; `refuse` is called, once at most, when it has to make way. Its bytes count no more then. */
  open(refuse: () => void): Share {
    const share = { bytes: 0, refuse };
    this.#arriving.add(share);
    return share;
  }

  /** Counts bytes that have arrived; bodies that are larger, or this one, may be refused for them. */
  add(share: Share, bytes: number): void {
    if (!this.#arriving.has(share)) return;
    share.bytes += bytes;
    this.#used += bytes;
    while (this.#used > this.#limit && this.#arriving.size > 0) {
      const largest = [...this.#arriving].reduce((one, other) => (other.bytes > one.bytes ? other : one));
      this.release(largest);
      largest.refuse();
    }
  }

  /** The body is whole: it can be refused no more. */
  complete(share: Share): void {
    this.#arriving.delete(share);
  }

  /** Its bytes are freed. May be called again. */
  release(share: Share): void {
    this.#arriving.delete(share);
    this.#used -= share.bytes;
    share.bytes = 0;
  }
}
