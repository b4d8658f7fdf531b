import { StorageError } from '../storage/database.ts';
import { BACKUP_FILES, isBackupFile, photoAt } from './names.ts';

const FORMAT = 1;
const MAX_LINE = 200;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a backup says about itself. */
export interface Manifest {
  /** The version of the service that made it. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** How many photos it holds. */
  readonly photos: number;
  /** Files of photos that were gone when it was made, though the database knows them. */
  readonly missing: readonly string[];
}

/** The text of backup.json. */
export function formatManifest({ version, createdAt, photos, missing }: Manifest): string {
  const fields = { format: FORMAT, version, created_at: createdAt, photos, missing_photos: missing };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

/** Reads backup.json. Throws a StorageError when it is none that this version can have made. */
export function parseManifest(text: string): Manifest {
  const value = readJson(text);
  if ('format' in value && typeof value.format === 'number' && value.format > FORMAT)
    throw new StorageError('the backup was made by a newer version of the service; use that version');
  const fields = 'format' in value && value.format === FORMAT ? readFields(value) : undefined;
  if (!fields) throw new StorageError(`${BACKUP_FILES.manifest} of the backup is damaged`);
  return fields;
}

function readFields(value: object): Manifest | undefined {
  const field = (name: string): unknown => new Map<string, unknown>(Object.entries(value)).get(name);
  const [version, createdAt, photos] = [field('version'), field('created_at'), field('photos')];
  const names: unknown = field('missing_photos');
  if (typeof version !== 'string' || typeof createdAt !== 'string' || !MOMENT.test(createdAt))
    return undefined;
  if (typeof photos !== 'number' || !Number.isSafeInteger(photos) || photos < 0) return undefined;
  if (!Array.isArray(names)) return undefined;
  const missing: unknown[] = names;
  const known = missing.filter((name) => typeof name === 'string');
  return known.length === missing.length ? { version, createdAt, photos, missing: known } : undefined;
}

function readJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** A line of SHA256SUMS, in the form that `sha256sum -c` reads. */
export function formatSum(hash: string, name: string): string {
  return `${hash}  ${name}\n`;
}

/**
 * Reads SHA256SUMS: the hash of every other file by its name. Throws a StorageError at the first line that
 * `formatSum` would not have written, or that is not where it belongs.
 */
export async function parseSums(chunks: AsyncIterable<Buffer>): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  let rest = '';
  let last = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw damaged();
    for (const line of lines) {
      const [, hash, name] = LINE.exec(line) ?? [];
      if (hash === undefined || name === undefined || !isSummed(name) || name <= last) throw damaged();
      sums.set(name, hash);
      last = name;
    }
  }
  if (rest !== '') throw damaged();
  for (const name of [BACKUP_FILES.manifest, BACKUP_FILES.database])
    if (!sums.has(name)) throw new StorageError(`${BACKUP_FILES.sums} of the backup does not name ${name}`);
  return sums;
}

/** The names of the photos among the files of a backup. */
export function photosOf(sums: ReadonlyMap<string, string>): string[] {
  return [...sums.keys()].flatMap((name) => photoAt(name) ?? []);
}

function isSummed(name: string): boolean {
  return name !== BACKUP_FILES.sums && isBackupFile(name);
}

function damaged(): StorageError {
  return new StorageError(`${BACKUP_FILES.sums} of the backup is damaged`);
}
