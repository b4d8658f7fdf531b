import { type Hash, createHash } from 'node:crypto';

/** A digest of a form's fields and files, by their names and contents; their order does not matter. */
export interface FormDigest {
  readonly addField: (name: string, value: string) => void;
  /** Starts a file; the function that is returned takes its content piece by piece. */
  readonly addFile: (name: string) => (content: Buffer) => void;
  /** SHA-256 in base64url, once all parts are there. */
  readonly result: () => string;
}

/** Starts a digest. */
export function createFormDigest(): FormDigest {
  const parts: Hash[] = [];

  function start(kind: 'field' | 'file', name: string): Hash {
    // JSON ends where it ends, whatever the content behind it begins with.
    const part = createHash('sha256').update(JSON.stringify([kind, name]));
    parts.push(part);
    return part;
  }

  return {
    addField: (name, value) => {
      start('field', name).update(value);
    },
    addFile: (name) => {
      const part = start('file', name);
      return (content) => {
        part.update(content);
      };
    },
    result: () => {
      const digests = parts.map((part) => part.digest('base64url')).sort();
      return createHash('sha256').update(digests.join()).digest('base64url');
    },
  };
}
