import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { together } from '../kit/files.ts';
import { type Parsed, choiceField, cleanFilename, parsed, readFields } from '../kit/input/fields.ts';
import type { FormDigest } from '../kit/input/form-digest.ts';
import { ENCODINGS } from './encoding.ts';
import { FORMATS, type FileForm, formatOfFile } from './formats.ts';

/** A file to import, and how. */
export interface AskedImport extends FileForm {
  /** The name of the file, for the list of batches. */
  readonly name: string | null;
  readonly isDryRun: boolean;
}

const FILE = 'file';
const REQUIRED = 'file is required';
const ANSWERS = ['true', 'false'] as const;

/** Collects the parts of a form, and writes its file `file` where it belongs. */
export class ImportForm {
  /** The texts of the other fields by name: several where one came more than once. */
  readonly fields = new Map<string, readonly string[]>();
  readonly #handle: FileHandle;
  readonly #digest: FormDigest | undefined;
  readonly #faults = new Set<string>();
  /** The client's name of the file. */
  filename: string | undefined;
  #saved: Promise<void> | undefined;

  /** The file goes into `handle`; a `digest` is made of all that the form has. */
  constructor(handle: FileHandle, digest: FormDigest | undefined) {
    this.#handle = handle;
    this.#digest = digest;
  }

  readonly takeField = (name: string, value: string): void => {
    this.#digest?.addField(name, value);
    if (name === FILE) this.#faults.add('file must be a file');
    else this.fields.set(name, [...(this.fields.get(name) ?? []), value]);
  };

  /** `fail` is called when the file cannot be written. */
  readonly takeFile = (
    name: string,
    stream: Readable,
    givenName: string | undefined,
    fail: (error: Error) => void,
  ): void => {
    if (name === FILE && !this.#saved) {
      this.filename = givenName;
      this.#saved = this.#save(stream, this.#digest?.addFile(name) ?? (() => undefined));
      this.#saved.catch(fail);
      return;
    }
    this.#faults.add(name === FILE ? 'file must be given once' : 'the file must be in the field file');
    stream.resume();
  };

  /** Settles once writing has ended; rejects if it failed. */
  readonly written = (): Promise<void> => this.#saved ?? Promise.resolve();

  /** Why the form is refused, once all parts were taken; empty when it is not. */
  faults(): readonly string[] {
    return !this.#saved && this.#faults.size === 0 ? [REQUIRED] : [...this.#faults];
  }

  async #save(stream: Readable, see: (content: Buffer) => void): Promise<void> {
    let size = 0;
    async function* seen(): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        if (!Buffer.isBuffer(chunk)) throw new Error('a file must come as bytes');
        size += chunk.length;
        see(chunk);
        yield chunk;
      }
    }
    await writeFile(this.#handle, together(seen()));
    if (size === 0) this.#faults.add(REQUIRED);
  }
}

/** Reads the form of an import. An empty field counts as absent, and one that came twice is not a valid choice. */
export function parseImport(form: ImportForm): Parsed<AskedImport> {
  const values = [...form.fields].map(([name, all]) => {
    const value = all.length === 1 ? all[0] : all;
    return [name, value === '' ? undefined : value] as const;
  });
  const fields = { ...readFields(Object.fromEntries(values)), faults: [...form.faults()] };
  const format = choiceField(fields, 'format', FORMATS) ?? formatOfFile(form.filename ?? '');
  if (!format && fields.faults.length === 0)
    fields.faults.push(
      `format must be one of ${FORMATS.join(', ')}, as the name of the file does not tell it`,
    );
  return parsed(fields, {
    format: format ?? 'csv',
    encoding: choiceField(fields, 'encoding', ENCODINGS),
    isDryRun: choiceField(fields, 'dry_run', ANSWERS) === 'true',
    name: cleanFilename(form.filename),
  });
}
