import { type Hash, createHash } from 'node:crypto';

/** Digests a form's fields and files by name and content, in any order. */
export class FormDigest {
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
