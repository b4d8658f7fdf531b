import { isPhotoName, photoPlace } from '../../catalogue/photos/files.ts';
import { parseJson, propertiesOf } from '../../kit/objects.ts';
import { StorageError } from '../../storage/database.ts';
import { isText } from '../../storage/stored.ts';

/** The files at the top of a backup, next to its folder of photos. */
export const BACKUP_FILES = {
  sums: 'SHA256SUMS',
  manifest: 'backup.json',
  database: 'catalogue.db',
} as const;

const FORMAT = 1;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

/** True if this path in a backup is that of a photo. */
export function isPhotoPlace(path: string): boolean {
  const filename = path.slice(path.lastIndexOf('/') + 1);
  return isPhotoName(filename) && photoPlace(filename) === path;
}

/** True if a backup may hold a file at this path. */
export function isBackupFile(path: string): boolean {
  return Object.values(BACKUP_FILES).some((file) => file === path) || isPhotoPlace(path);
}

/** The content of backup.json. */
export interface Manifest {
  /** The version of the service that made the backup. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The number of photo files in the backup. */
  readonly photos: number;
  /** Photo files in the database that did not exist when the backup was made. */
  readonly missing: readonly string[];
}

/** The text of backup.json. */
export function formatManifest({ version, createdAt, photos, missing }: Manifest): string {
  const fields = { format: FORMAT, version, created_at: createdAt, photos, missing_photos: missing };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

/** Parses backup.json. Throws a StorageError if this version cannot have written it. */
export function parseManifest(text: string): Manifest {
  const fields = propertiesOf(parseJson(text));
  const [format, version, photos] = [fields?.get('format'), fields?.get('version'), fields?.get('photos')];
  const [createdAt, missing] = [fields?.get('created_at'), fields?.get('missing_photos')];
  if (typeof format === 'number' && format > FORMAT)
    throw new StorageError('the backup was made by a newer version of the service; use that version');
  const isCount = typeof photos === 'number' && Number.isSafeInteger(photos) && photos >= 0;
  const isMoment = isText(createdAt) && MOMENT.test(createdAt);
  const areTexts = Array.isArray(missing) && missing.every(isText);
  if (format !== FORMAT || !isText(version) || !isCount || !isMoment || !areTexts)
    throw new StorageError(`${BACKUP_FILES.manifest} of the backup is damaged`);
  return { version, createdAt, photos, missing };
}

/** A line of SHA256SUMS, in the form that `sha256sum -c` reads. */
export function formatSum(hash: string, path: string): string {
  return `${hash}  ${path}\n`;
}

/**
 * Parses SHA256SUMS into the hash of every other file by its path. Throws a StorageError unless it consists of sorted lines
 * as `formatSum` writes them.
 */
export function parseSums(text: string): ReadonlyMap<string, string> {
  const damaged = new StorageError(`${BACKUP_FILES.sums} of the backup is damaged`);
  const sums = new Map<string, string>();
  const lines = text.split('\n');
  if (lines.pop() !== '') throw damaged;
  let last = '';
  for (const line of lines) {
    const [, hash, path] = LINE.exec(line) ?? [];
    if (hash === undefined || path === undefined || path <= last) throw damaged;
    if (path === BACKUP_FILES.sums || !isBackupFile(path)) throw damaged;
    sums.set(path, hash);
    last = path;
  }
  for (const name of [BACKUP_FILES.manifest, BACKUP_FILES.database])
    if (!sums.has(name)) throw new StorageError(`${BACKUP_FILES.sums} of the backup does not name ${name}`);
  return sums;
}
