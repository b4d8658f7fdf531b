import { parseJson, propertiesOf } from '../../kit/objects.ts';
import { isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { StorageError } from '../../storage/database.ts';

/** The files of a backup next to its photos, all of them at its top. */
export const BACKUP_FILES = {
  sums: 'SHA256SUMS',
  manifest: 'backup.json',
  database: 'catalogue.db',
} as const;

const FORMAT = 1;
const MAX_LINE = 200;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The file name of the photo at this place of a backup; undefined when that is no place of a photo. */
export function photoAt(place: string): string | undefined {
  const filename = place.slice(place.lastIndexOf('/') + 1);
  return isPhotoName(filename) && photoPlace(filename) === place ? filename : undefined;
}

/** Whether a backup may hold a file of this name. */
export function isBackupFile(name: string): boolean {
  return Object.values(BACKUP_FILES).some((file) => file === name) || photoAt(name) !== undefined;
}

/** The description that a backup has of itself. */
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
  const fields = propertiesOf(parseJson(text));
  const [format, version, photos] = [fields?.get('format'), fields?.get('version'), fields?.get('photos')];
  const [createdAt, missing] = [fields?.get('created_at'), fields?.get('missing_photos')];
  if (typeof format === 'number' && format > FORMAT)
    throw new StorageError('the backup was made by a newer version of the service; use that version');
  const isKnown = format === FORMAT && typeof version === 'string' && isCount(photos);
  const isMoment = typeof createdAt === 'string' && MOMENT.test(createdAt);
  if (!isKnown || !isMoment || !isTexts(missing))
    throw new StorageError(`${BACKUP_FILES.manifest} of the backup is damaged`);
  return { version, createdAt, photos, missing };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
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
  const damaged = new StorageError(`${BACKUP_FILES.sums} of the backup is damaged`);
  const sums = new Map<string, string>();
  let rest = '';
  let last = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw damaged;
    for (const line of lines) {
      const [, hash, name] = LINE.exec(line) ?? [];
      if (hash === undefined || name === undefined || !isSummed(name) || name <= last) throw damaged;
      sums.set(name, hash);
      last = name;
    }
  }
  if (rest !== '') throw damaged;
  for (const name of [BACKUP_FILES.manifest, BACKUP_FILES.database])
    if (!sums.has(name)) throw new StorageError(`${BACKUP_FILES.sums} of the backup does not name ${name}`);
  return sums;
}

function isSummed(name: string): boolean {
  return name !== BACKUP_FILES.sums && isBackupFile(name);
}
