import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { together } from '../catalogue/photos/disk.ts';
import { type Parsed, choiceField, cleanFilename, parsed, readFields } from '../kit/input/fields.ts';
import type { FormDigest } from '../kit/input/form-digest.ts';
import { ENCODINGS } from './encoding.ts';
import { FORMATS, type FileForm, formatOfFile } from './formats.ts';

/** The contents of a form without its file. */
export interface ImportForm {
  /** The client's name of the file. */
  readonly filename: string | undefined;
  /** The texts of the other fields by name: several where one came more than once. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Why the form is refused; empty when it is not. */
  readonly faults: readonly string[];
}

/** A file to import, and how. */
export interface AskedImport extends FileForm {
  /** The name of the file, for the list of batches. */
  readonly name: string | null;
  readonly isDryRun: boolean;
}

const FILE = 'file';
const REQUIRED = 'file is required';
const ANSWERS = ['true', 'false'] as const;

/** Collects the parts of a form, and writes its file `file` into `handle`. A `digest` is made of all that it has. */
export function createImportForm(handle: FileHandle, digest: FormDigest | undefined) {
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
    takeField: (name: string, value: string): void => {
      digest?.addField(name, value);
      if (name === FILE) faults.add('file must be a file');
      else fields.set(name, [...(fields.get(name) ?? []), value]);
    },
    /** `fail` is called when the file cannot be written. */
    takeFile: (
      name: string,
      stream: Readable,
      givenName: string | undefined,
      fail: (error: Error) => void,
    ): void => {
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
    /** No more of the file will come. */
    endFile: () => file?.push(null),
    /** Settles when nothing is written any more; rejects when that failed. */
    written: (): Promise<void> => saved ?? Promise.resolve(),
    result: (): ImportForm => {
      if (!saved && faults.size === 0) faults.add(REQUIRED);
      return { filename, fields, faults: [...faults] };
    },
  };
}

/** Reads the form of an import. An empty field counts as absent, and one that came twice is not a valid choice. */
export function parseImport({ filename, fields: texts, faults }: ImportForm): Parsed<AskedImport> {
  const values = [...texts].map(([name, all]) => {
    const value = all.length === 1 ? all[0] : all;
    return [name, value === '' ? undefined : value] as const;
  });
  const fields = { ...readFields(Object.fromEntries(values)), faults: [...faults] };
  const format = choiceField(fields, 'format', FORMATS) ?? formatOfFile(filename ?? '');
  if (!format && fields.faults.length === 0)
    fields.faults.push(
      `format must be one of ${FORMATS.join(', ')}, as the name of the file does not tell it`,
    );
  return parsed(fields, {
    format: format ?? 'csv',
    encoding: choiceField(fields, 'encoding', ENCODINGS),
    isDryRun: choiceField(fields, 'dry_run', ANSWERS) === 'true',
    name: cleanFilename(filename),
  });
}
