import { createReadStream, statSync } from 'node:fs';
import { openArchive } from './archive.ts';
import { readCsv } from './csv.ts';
import { type TextContainer, HEAD_SIZE, containerOf, isArchive } from './detect.ts';
import { decoded, detectEncoding, inUtf8 } from './encoding.ts';
import { ADMINS_ONLY, type Fault, UnreadableFile } from './faults.ts';
import { readJson, readJsonLines } from './json-places.ts';
import { readKml } from './kml.ts';
import { type EncodingChoice, Notes } from './notes.ts';
import { FileLook, type FileFindings, PlaceReader } from './place.ts';
import {
  type Chunks,
  type Raw,
  type SourceEntry,
  type SourceFile,
  type SourceReader,
  textOf,
} from './source.ts';
import { isHomeLabel, listNameOf } from './takeout-names.ts';

/** The formats of files that are imported, as a person may name them. */
export const IMPORT_FORMATS = ['csv', 'ndjson', 'json', 'geojson', 'kml', 'gpx', 'zip'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A file on the disk, and what the importing person said of it. */
export interface FileToRead {
  readonly path: string;
  readonly name: string | null;
  readonly format: ImportFormat | undefined;
  readonly encoding: string | undefined;
  /** Whether latitude and longitude are to be swapped; undefined for a person who was not asked. */
  readonly swap: boolean | undefined;
  /** Whether the person may import saved places alone. */
  readonly savedOnly?: boolean;
}

/** A file, or one of an archive, and how it is read. */
interface Part {
  readonly file: SourceFile;
  readonly size: number;
  readonly open: () => Chunks;
  readonly container: TextContainer;
  readonly encoding: string;
  /** The encodings that it may have; undefined where there is no doubt. */
  readonly choices: readonly EncodingChoice[] | undefined;
}

/** A file that has been looked through, and can be read. */
export interface ReadableFile {
  /** In bytes, unpacked. */
  readonly size: number;
  readonly parts: readonly Part[];
  readonly findings: FileFindings;
  /** The name of the list for places without one of their own. */
  readonly title: string;
}

const CONTAINERS: Readonly<Record<ImportFormat, TextContainer | 'zip'>> = {
  csv: 'csv',
  ndjson: 'lines',
  json: 'json',
  geojson: 'json',
  kml: 'xml',
  gpx: 'xml',
  zip: 'zip',
};
const READERS: Readonly<Record<TextContainer, SourceReader>> = {
  csv: readCsv,
  lines: readJsonLines,
  json: readJson,
  xml: readKml,
};
const READ_AS: Readonly<Record<TextContainer, string>> = {
  csv: 'csv',
  lines: 'ndjson',
  json: 'json',
  xml: 'kml',
};
const TAKEOUT: readonly (string | null)[] = ['saved_list', 'saved_places', 'reviews'];
const MOST_EXAMPLES = 5;
const MAX_EXAMPLE = 60;

/**
 * Looks through a file without storing anything, and notes what it is, which questions are open, and what a reader must know
 * of the whole. Rejects with an UnreadableFile for one without places.
 */
export async function lookAt(asked: FileToRead, notes: Notes): Promise<ReadableFile> {
  const { path, name } = asked;
  const head = await firstBytes(createReadStream(path));
  const isZip = asked.format === undefined ? isArchive(head) : asked.format === 'zip';
  const found = isZip
    ? await partsOf(asked, notes)
    : [await partOf({ name }, statSync(path).size, () => createReadStream(path), asked)];
  const look = new FileLook(notes);
  const read: {
    readonly part: Part;
    readonly own: Notes;
    readonly count: number;
    readonly isSaved: boolean;
    readonly hasOthers: boolean;
  }[] = [];
  for (const part of found) {
    const own = new Notes();
    let [count, isSaved, hasOthers] = [0, false, false];
    try {
      for await (const raw of READERS[part.container](inUtf8(part.open(), part.encoding), own, part.file)) {
        count += 1;
        if ('fault' in raw) continue;
        isSaved ||= raw.isSaved === true;
        hasOthers ||= raw.isSaved !== true;
        if (!isZip && hasOthers && asked.savedOnly === true) throw new UnreadableFile(ADMINS_ONLY);
        look.add(raw);
      }
    } catch (error) {
      if (!isZip || !(error instanceof UnreadableFile)) throw error;
      noteFile(notes, part.file.name, null, error);
      continue;
    }
    count += own.notPlaces;
    isSaved ||= own.notPlaces > 0;
    read.push({ part, own, count, isSaved, hasOthers });
  }
  // The other files of such an archive are about the person: searches, photos, a car.
  const isTakeout =
    read.some(({ own }) => TAKEOUT.includes(own.readAs)) || notes.files.some(({ code }) => code === 'labels');
  const parts: Part[] = [];
  let entries = 0;
  for (const { part, own, count, isSaved, hasOthers } of read) {
    const isPrivate = isZip && isTakeout && !isSaved;
    if (isPrivate || (hasOthers && asked.savedOnly === true)) {
      const code = isPrivate ? 'no_places' : ADMINS_ONLY;
      noteFile(notes, part.file.name, null, new UnreadableFile(code));
      continue;
    }
    entries += count;
    if (part.choices && !notes.encoding) {
      notes.encoding = { used: part.encoding, choices: part.choices };
      notes.questions.add('encoding');
    }
    const readAs = own.readAs ?? READ_AS[part.container];
    if (isZip) noteFile(notes, part.file.name, readAs, null);
    else notes.readAs = readAs;
    parts.push(part);
  }
  if (isZip) notes.readAs = parts.length === 1 && parts[0]?.container === 'xml' ? 'kmz' : 'zip';
  if (entries === 0) throw nothingIn(notes);
  if (notes.isSwapped && asked.swap === undefined) notes.questions.add('swap_coordinates');
  return {
    size: parts.reduce((sum, { size }) => sum + size, 0),
    parts,
    findings: look.findings(asked.swap === true),
    title: listNameOf(name ?? ''),
  };
}

/** The entries of a file. Calls `taken` with the number of bytes of each part of it once the reader asks for the next. */
export async function* entriesOf(
  { parts, findings, title }: ReadableFile,
  notes: Notes,
  taken: (bytes: number) => void,
): AsyncGenerator<SourceEntry> {
  async function* counted(chunks: Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      taken(chunk.length);
    }
  }
  const places = new PlaceReader(findings, notes);
  const readAs = notes.readAs;
  for (const { container, open, encoding, file } of parts) {
    const list = listOf(file, title);
    for await (const raw of READERS[container](inUtf8(counted(open()), encoding), notes, file)) {
      const entry = 'fault' in raw ? raw : places.read({ ...raw, list: raw.list ?? list });
      if (isHome(raw, entry)) notes.notPlaces += 1;
      else yield entry;
    }
  }
  notes.readAs = readAs;
}

/** Whether a person saved it as their home, or the place where they work. */
function isHome(raw: Fault | Raw, entry: SourceEntry): boolean {
  if ('fault' in raw || 'fault' in entry || raw.isOwn === true || entry.isReview === true) return false;
  return raw.isSaved === true && isHomeLabel(textOf(entry.fields.get('name')) ?? '');
}

/** The name of a file, or that which it states itself where the name says nothing. */
function listOf({ name, ownName = '' }: SourceFile, title: string): string {
  const isNamed = name !== null && !/^doc\.kml$/i.test(name);
  return isNamed ? listNameOf(name) : ownName || title;
}

async function partsOf(asked: FileToRead, notes: Notes): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const { name, size, open } of openArchive(asked.path))
    try {
      if (isArchive(await firstBytes(open()))) throw new UnreadableFile('archive_within');
      parts.push(await partOf({ name }, size, open, { ...asked, format: undefined }));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      noteFile(notes, name, null, error);
    }
  return parts;
}

async function partOf(
  file: SourceFile,
  size: number,
  open: () => Chunks,
  { encoding: named, format }: FileToRead,
): Promise<Part> {
  const found = named === undefined ? await detectEncoding(open()) : undefined;
  const encoding = named ?? found?.encoding ?? 'utf-8';
  const known = format === undefined ? undefined : CONTAINERS[format];
  const container =
    known === undefined || known === 'zip' ? containerOf(await firstBytes(open()), encoding) : known;
  const choices =
    found?.isCertain === false
      ? [encoding, ...found.others].map((one) => ({ encoding: one, examples: examplesIn(found.sample, one) }))
      : undefined;
  return { file, size, open, container, encoding, choices };
}

/** Texts of a file that look different in other encodings. */
function examplesIn(sample: Uint8Array, encoding: string): readonly string[] {
  const texts = decoded(sample, encoding).split(/[\r\n\t,;|"{}<>]+/);
  const telling = texts
    .map((text) => text.trim())
    .filter((text) => /[^\0-\x7f]/.test(text) && text.length <= MAX_EXAMPLE);
  return [...new Set(telling)].slice(0, MOST_EXAMPLES);
}

async function firstBytes(chunks: Chunks): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size >= HEAD_SIZE) break;
  }
  return Buffer.concat(parts).subarray(0, HEAD_SIZE);
}

// An answer stays small.
const MOST_FILES = 200;

function noteFile(
  notes: Notes,
  name: string | null,
  readAs: string | null,
  fault: UnreadableFile | null,
): void {
  if (notes.files.length >= MOST_FILES) return;
  notes.files.push({
    name: name ?? '',
    read_as: readAs,
    code: fault?.code ?? null,
    reason: fault?.message ?? null,
  });
}

/** Why there is nothing: of an archive what all its files have in common. */
function nothingIn({ files }: Notes): UnreadableFile {
  const codes = new Set(files.flatMap(({ code }) => code ?? []));
  const [code = 'no_places'] = codes;
  // Others may import it.
  if (codes.has(ADMINS_ONLY)) return new UnreadableFile(ADMINS_ONLY);
  return new UnreadableFile(codes.size === 1 ? code : 'no_places');
}
