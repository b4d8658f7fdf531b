import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Client, field, record } from './client.ts';
import { FORM_TYPE, type Part, form } from './photos.ts';

type Texts = Readonly<Record<string, string>>;

/** What the answer of an import has beyond its counts for a table without anything special. */
export const NO_NOTES = {
  read_as: 'csv',
  files: [],
  needs: [],
  encoding: null,
  swapped: null,
  left_out: [],
  guessed: [],
  taken: [],
  ignored: [],
  not_places: 0,
};

/** The part of a form that holds a file to import. */
export function filePart(content: Buffer | string, filename = 'places.csv'): Part {
  return { name: 'file', filename, type: 'application/octet-stream', content };
}

/** The parts of a form that are texts. */
export function textParts(texts: Texts): readonly Part[] {
  return Object.entries(texts).map(([name, content]) => ({ name, content }));
}

/** Sends a body as a form to be imported. */
export function sendImport(api: Client, body: Buffer, headers: Texts = {}): Promise<Answer> {
  return api.send('/api/imports', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...headers },
    body: new Uint8Array(body),
  });
}

/** Imports a file; `texts` are the other fields of the form. */
export function importText(
  api: Client,
  content: Buffer | string,
  texts: Texts = {},
  { filename = 'places.csv', ...headers }: Texts = {},
): Promise<Answer> {
  return sendImport(api, form(filePart(content, filename), ...textParts(texts)), headers);
}

/** The lines of an answer in NDJSON. */
export function linesOf({ body }: Pick<Answer, 'body'>): readonly Readonly<Record<string, unknown>>[] {
  return String(body)
    .trimEnd()
    .split('\n')
    .map((line) => record(JSON.parse(line)));
}

/** The id of the batch that an import has made. */
export function batchOf(result: unknown): number {
  return Number(field(result, 'batch_id'));
}

/** The names in the spool of a data folder. */
export function spooled(folder: string): readonly string[] {
  const root = join(folder, 'imports');
  return existsSync(root) ? readdirSync(root) : [];
}

/** The counts of an import: new places, those that were here, unknown ones and faults. */
export function countsOf(result: unknown): readonly unknown[] {
  return ['created', 'updated', 'unchanged', 'unknown_total', 'failed'].map((name) => field(result, name));
}
