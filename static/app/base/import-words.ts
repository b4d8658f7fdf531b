import { causeOf } from './api.js';
import { fieldWord } from './field-words.js';
import * as format from './format.js';
import { fill, texts } from './texts.js';
import type { ImportResult, Noted } from './types.js';

type Words = Readonly<Record<string, string | undefined>>;
const words = texts.import;
const wordIn = (table: Words, name: string | null | undefined) => table[name ?? ''];
const { quoted } = texts.common;

/** What a file was taken for. */
export const kindText = (kind: string | null) => wordIn(words.kinds, kind);

/** Why a file is not read, by the word of the API; undefined for any other refusal. */
export function refusalText(code: string | null | undefined, message: string | null) {
  const text = wordIn(words.refusals, code);
  const system = / are in (.+?)\. /.exec(message ?? '')?.[1] ?? '';
  return text && fill(text, { system });
}

/** What was made of a file of an archive. */
export const fileLine = ({ name, read_as, code, reason }: ImportResult['files'][number]) =>
  format.dotted([name, kindText(read_as) ?? refusalText(code, reason)]);

/** The fields that a message of the API names, in the reader's language. */
export function fieldsIn(message: string) {
  const fields: Words = texts.add.fields;
  const named = message
    .replaceAll(/\b(?:latitude|longitude)\b/g, 'position')
    .replaceAll(/^category(?=:)|(?<=; )category(?=:)/g, 'category_id')
    .replaceAll(/\bfood[ _]types?\b/g, 'food_type_ids')
    .split('; ')
    .flatMap((one) => fields[/^\w+/.exec(one)?.[0] ?? ''] ?? []);
  return format.listed([...new Set(named)]);
}

/** Which record of a file cannot be imported, and why. */
export function faultLine({ line, name, code, reason }: ImportResult['faults'][number]) {
  const other = /\d+$/.exec(reason)?.[0] ?? '';
  const known = causeOf(reason) ?? (code === 'not_valid' ? fieldsIn(reason) : '');
  const why = known || fill(wordIn(words.lineFaults, code) ?? words.lineFaults.not_valid, { other });
  return fill(name === null ? words.fault : words.faultOf, { line, name: name ?? '', reason: why });
}

const times = (count: number) => count > 1 && fill('{count}×', { count });
const inQuotes = (text: string) => text && fill(quoted, { text });

/** Which value was left out or guessed, and why. */
export function noteLine({ field, reason, count, line, example }: Noted) {
  const name = `${fieldWord(field)} ${inQuotes(example)}`.trim();
  return format.dotted([
    fill(words.faultOf, { line, name, reason: wordIn(words.reasons, reason) ?? reason }),
    times(count),
  ]);
}

/** A column that was not used. */
export const ignoredLine = ({ name, count, example }: ImportResult['ignored'][number]) =>
  format.dotted([name, inQuotes(example), times(count)]);

/** A column that was taken for a field; what a saved list says of a place is a note. */
export const takenLine =
  (isList: boolean) =>
  ({ name, field }: ImportResult['taken'][number]) =>
    fill(texts.activity.value, {
      before: name,
      after: fieldWord(isList && field === 'description' ? 'note' : field),
    });
