import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FormDigest } from '../kit/input/form-digest.ts';
import { together } from '../catalogue/photos/disk.ts';

/** The contents of a form besides its file. */
export interface ImportForm {
  /** As the client calls it. */
  readonly filename: string | undefined;
  /** The texts of the other fields by name: several where one came more than once. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Why the form is refused; empty when it is not. */
  readonly faults: readonly string[];
}

/** A form whose parts are being collected. */
export interface ImportParts {
  readonly takeField: (name: string, value: string) => void;
  /** `fail` is called when the file cannot be written. */
  readonly takeFile: (name: string, stream: Readable, givenName: string | undefined, fail: Fail) => void;
  /** No more of the file will come. */
  readonly endFile: () => void;
  /** Settles when nothing is written any more; rejects when that failed. */
  readonly written: () => Promise<void>;
  readonly result: () => ImportForm;
}

type Fail = (error: Error) => void;

const FILE = 'file';
const REQUIRED = 'file is required';

/** Collects the parts of a form, and writes its file `file` into `handle`. A `digest` is made of all that it has. */
export function createImportForm(handle: FileHandle, digest: FormDigest | undefined): ImportParts {
  const faults = new Set<string>();
  const fields = new Map<string, readonly string[]>();
  let filename: string | undefined;
  let file: Readable | undefined;
  let saved: Promise<void> | undefined;

  async function save(stream: Readable, see: (content: Buffer) => void): Promise<void> {
    let size = 0;
    async function* seen(): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        if (!Buffer.isBuffer(chunk)) throw new Error('a file must come as bytes');
        size += chunk.length;
        see(chunk);
        yield chunk;
      }
    }
    await writeFile(handle, together(seen()));
    if (size === 0) faults.add(REQUIRED);
  }

  return {
    takeField: (name, value) => {
      digest?.addField(name, value);
      if (name === FILE) faults.add('file must be a file');
      else fields.set(name, [...(fields.get(name) ?? []), value]);
    },
    takeFile: (name, stream, givenName, fail) => {
      file = stream;
      if (name === FILE && !saved) {
        filename = givenName;
        saved = save(stream, digest?.addFile(name) ?? (() => undefined));
        saved.catch(fail);
        return;
      }
      faults.add(name === FILE ? 'file must be given once' : 'the file must be in the field file');
      stream.resume();
    },
    endFile: () => file?.push(null),
    written: () => saved ?? Promise.resolve(),
    result: () => {
      if (!saved && faults.size === 0) faults.add(REQUIRED);
      return { filename, fields, faults: [...faults] };
    },
  };
}
