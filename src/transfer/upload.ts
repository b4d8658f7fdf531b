import { type FileHandle, writeFile } from 'node:fs/promises';
import type { RequestContext } from '../http/context.ts';
import { receiveParts } from '../http/multipart.ts';
import { together } from '../kit/files.ts';
import {
  type Parsed,
  choiceField,
  cleanFilename,
  parsed,
  readFields,
  textField,
} from '../kit/input/fields.ts';
import { LIST_NAME_MAX } from '../people/lists/input.ts';
import { encodingNamed } from './encoding.ts';
import { type FileToRead, IMPORT_FORMATS } from './read.ts';

/** A file to import, and how. */
export interface AskedImport extends Omit<FileToRead, 'path'> {
  /** The name of the file is also that of its batch. */
  readonly isDryRun: boolean;
  /** The list for all saved places: the id of one, or a name. */
  readonly list: number | string | undefined;
}

const FILE = 'file';
const REQUIRED = 'file is required';
const ANSWERS = ['true', 'false'] as const;
const MAX_LABEL = 40;

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
  const label = textField(fields, 'encoding', MAX_LABEL);
  const encoding = label === null ? undefined : encodingNamed(label);
  if (label !== null && encoding === undefined)
    fields.faults.push('encoding must be the label of an encoding, such as utf-8, windows-1252 or shift_jis');
  const list = textField(fields, 'list', LIST_NAME_MAX);
  const swap = choiceField(fields, 'swap_coordinates', ANSWERS);
  return parsed(fields, {
    format: choiceField(fields, 'format', IMPORT_FORMATS),
    encoding,
    swap: swap === undefined ? undefined : swap === 'true',
    list: list === null ? undefined : /^[1-9]\d{0,14}$/.test(list) ? Number(list) : list,
    isDryRun: choiceField(fields, 'dry_run', ANSWERS) === 'true',
    name: cleanFilename(filename),
  });
}
