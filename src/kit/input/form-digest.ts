import { type Hash, createHash } from 'node:crypto';

/** A digest of a form's fields and files, by their names and contents; their order does not matter. */
export class FormDigest {
  readonly #parts: Hash[] = [];

  addField(name: string, value: string): void {
    this.#start('field', name).update(value);
  }

  /** Starts a file; the returned function takes its content piece by piece. */
  addFile(name: string): (content: Buffer) => void {
    const part = this.#start('file', name);
    return (content) => {
      part.update(content);
    };
  }

  /** SHA-256 in base64url, once all parts are there. */
  result(): string {
    const digests = this.#parts.map((part) => part.digest('base64url')).sort();
    return createHash('sha256').update(digests.join()).digest('base64url');
  }

  #start(kind: 'field' | 'file', name: string): Hash {
    // JSON marks its own end, whatever the content after it begins with.
    const part = createHash('sha256').update(JSON.stringify([kind, name]));
    this.#parts.push(part);
    return part;
  }
}
