import { type FileHandle, writeFile } from 'node:fs/promises';
import type { RequestContext } from '../http/context.ts';
import { receiveParts } from '../http/multipart.ts';
import { together } from '../kit/files.ts';
import { type Parsed, choiceField, cleanFilename, parsed, readFields } from '../kit/input/fields.ts';
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
 * twice, or is no text, is not a valid choice. Rejects like `receiveParts`.
 */
export async function receiveImport(
  context: RequestContext,
  handle: FileHandle,
): Promise<Parsed<AskedImport>> {
  const values = new Map<string, string | undefined | readonly string[]>();
  const faults = new Set<string>();
  let filename: string | undefined;
  let files = 0;

  async function save(content: AsyncIterable<Buffer>): Promise<void> {
    await writeFile(handle, together(content));
    if ((await handle.stat()).size === 0) faults.add(REQUIRED);
  }

  await receiveParts(context, {
    takeField: (name, value) => {
      if (name === FILE) faults.add('file must be a file');
      else values.set(name, value === undefined || values.has(name) ? [] : value || undefined);
    },
    takeFile: (name, content, givenName) => {
      if (name === FILE && files === 0) {
        files = 1;
        filename = givenName;
        return save(content);
      }
      faults.add(name === FILE ? 'file must be given once' : 'the file must be in the field file');
      return undefined;
    },
  });
  if (files === 0 && faults.size === 0) faults.add(REQUIRED);
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
