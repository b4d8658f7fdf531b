import { isPhotoName, photoPlace } from '../photos/files.ts';
import { stampOf } from '../storage/stamp.ts';

/** What a backup holds beside its photos, all of it at its top. */
export const BACKUP_FILES = {
  sums: 'SHA256SUMS',
  manifest: 'backup.json',
  database: 'catalogue.db',
} as const;

/** What dated backups in the form of one file end in. */
export const TAR_ENDING = '.tar';

const PARTIAL = '.partial-';
const DATED = /^catalogue-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(\.tar)?$/;
const LEFT_OVER = /^catalogue-\d{8}T\d{6}Z(?:\.tar)?\.partial-[A-Za-z0-9]{6}$/;

/** The file name of the photo that lies at this place of a backup; undefined when that is no place of a photo. */
export function photoAt(place: string): string | undefined {
  const filename = place.slice(place.lastIndexOf('/') + 1);
  return isPhotoName(filename) && photoPlace(filename) === place ? filename : undefined;
}

/** Whether a backup may hold something of this name. */
export function isBackupFile(name: string): boolean {
  return Object.values(BACKUP_FILES).some((file) => file === name) || photoAt(name) !== undefined;
}

/** The name of a backup made at this moment, to the second. */
export function datedName(moment: Date): string {
  return `catalogue-${stampOf(moment)}`;
}

/** When the backup of this name was begun, in milliseconds since 1970; undefined when it is no dated backup. */
export function datedAt(name: string): number | undefined {
  const [, year, month, day, hour, minute, second] = DATED.exec(name) ?? [];
  if (year === undefined) return undefined;
  const moment = Date.parse(
    `${year}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second ?? ''}Z`,
  );
  return Number.isNaN(moment) ? undefined : moment;
}

/** What the folder in which a backup is put together begins with; six random characters follow. */
export function partialPrefix(target: string): string {
  return target + PARTIAL;
}

/** Whether this is what a dated backup left behind when it was killed. */
export function isLeftOver(name: string): boolean {
  return LEFT_OVER.test(name);
}
