import { type FileHandle, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { RequestContext } from '../http/context.ts';
import { receiveParts } from '../http/multipart.ts';
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

/**
 * Receives the form of an import, and streams its file into `handle`. An empty field counts as absent, and one that came
 * twice is not a valid choice. `digest` covers the whole form. Rejects like `receiveParts`.
 */
export async function receiveImport(
  context: RequestContext,
  handle: FileHandle,
  digest: FormDigest | undefined,
): Promise<Parsed<AskedImport>> {
  const values = new Map<string, string | undefined | readonly string[]>();
  const faults = new Set<string>();
  let filename: string | undefined;
  let saved: Promise<void> | undefined;

  async function save(stream: Readable): Promise<void> {
    const see = digest?.addFile(FILE);
    let size = 0;
    async function* seen(): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        if (!Buffer.isBuffer(chunk)) throw new Error('a file must come as bytes');
        size += chunk.length;
        see?.(chunk);
        yield chunk;
      }
    }
    await writeFile(handle, together(seen()));
    if (size === 0) faults.add(REQUIRED);
  }

  await receiveParts(context, {
    takeField: (name, value) => {
      digest?.addField(name, value);
      if (name === FILE) faults.add('file must be a file');
      else values.set(name, values.has(name) ? [] : value || undefined);
    },
    takeFile: (name, stream, givenName, fail) => {
      if (name === FILE && !saved) {
        filename = givenName;
        saved = save(stream);
        saved.catch(fail);
      } else {
        faults.add(name === FILE ? 'file must be given once' : 'the file must be in the field file');
        stream.resume();
      }
    },
    written: async () => {
      await saved;
    },
  });
  if (!saved && faults.size === 0) faults.add(REQUIRED);
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
