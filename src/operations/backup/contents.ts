import { type Hash, createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PHOTO_FOLDER } from '../../catalogue/photos/files.ts';
import { readPart } from '../../kit/files.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { StorageError } from '../../storage/database.ts';
import { NEW_FILE, openFile, readFile } from './files.ts';
import { BACKUP_FILES, type Manifest, isBackupFile, parseManifest, parseSums } from './manifest.ts';
import { readTar } from './tar.ts';

// Enough for two million photo files.
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** The contents of a backup that was read completely. */
export interface Contents {
  /** The hash of each file by its path. */
  readonly sums: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

/**
 * Reads a backup, a folder or an archive, from the first byte to the last. Rejects with a StorageError unless it consists
 * of exactly the regular files in its SHA256SUMS, all at paths that a backup has. Writes each file for which `placeOf`
 * returns a path to that path, without syncing it.
 */
export async function readContents(
  backup: string,
  signal: AbortSignal,
  placeOf: (path: string) => string | undefined = () => undefined,
): Promise<Contents> {
  let sums: ReadonlyMap<string, string> | undefined;
  let manifest = '';
  const seen = new Set<string>();
  for await (const { path, size, chunks } of filesOf(backup, signal)) {
    if (!isBackupFile(path))
      throw new StorageError(`the backup contains ${path}, which is not part of a backup`);
    if (seen.has(path)) throw new StorageError(`the backup contains ${path} twice`);
    seen.add(path);
    const isText = path === BACKUP_FILES.sums || path === BACKUP_FILES.manifest;
    if (isText && size > MAX_TEXT_BYTES) throw new StorageError(`${path} of the backup is too large`);
    // Sorted by bytes, it is the first file in both forms.
    if (path === BACKUP_FILES.sums) {
      sums = parseSums(await text(chunks));
      continue;
    }
    const expected = sums?.get(path);
    if (expected === undefined) throw new StorageError(`the backup contains ${path} without a checksum`);
    const place = placeOf(path);
    const hash = createHash('sha256');
    if (place !== undefined) {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      // Not synced yet: when many files are synced afterwards, the first sync flushes most of the others.
      await writeFile(place, hashing(chunks, hash), NEW_FILE);
    } else if (isText) manifest = await text(hashing(chunks, hash));
    else for await (const chunk of chunks) hash.update(chunk);
    if (hash.digest('hex') !== expected)
      throw new StorageError(`${path} of the backup is damaged: its checksum differs`);
  }
  if (!sums) throw new StorageError(`${backup} is not a backup: it contains no ${BACKUP_FILES.sums}`);
  for (const path of sums.keys())
    if (!seen.has(path)) throw new StorageError(`${path} is missing from the backup`);
  return { sums, manifest: parseManifest(manifest) };
}

async function* hashing(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The files of a folder or archive. Read the chunks of each before going on to the next. */
async function* filesOf(backup: string, signal: AbortSignal) {
  let isFolder: boolean;
  try {
    isFolder = statSync(backup).isDirectory();
  } catch (error) {
    throw new StorageError(`cannot read the backup ${backup}: ${reasonOf(error)}`);
  }
  if (isFolder) {
    for (const path of pathsUnder(backup)) {
      const file = join(backup, path);
      yield { path, size: lstatSync(file).size, chunks: readFile(file, signal) };
    }
    return;
  }
  const { handle, size: total } = await openFile(backup);
  try {
    for await (const { path, size, start } of readTar(handle, total))
      yield { path, size, chunks: readPart(handle, start, start + size, signal) };
  } finally {
    await handle.close();
  }
}

/** The paths of all files in the folder of a backup, sorted by bytes. Throws a StorageError at links and foreign folders. */
function* pathsUnder(root: string, folder = ''): Generator<string> {
  const names = readdirSync(join(root, folder)).sort();
  if (names.length === 0 && folder !== '')
    throw new StorageError(`the backup contains ${folder}, an empty folder`);
  for (const path of names.map((name) => join(folder, name))) {
    const kind = path === PHOTO_FOLDER || folder === PHOTO_FOLDER ? 'folder' : 'file';
    const status = lstatSync(join(root, path));
    if (kind === 'file' ? !status.isFile() : !status.isDirectory())
      throw new StorageError(`the backup contains ${path}, which is not a plain ${kind}`);
    if (kind === 'folder') yield* pathsUnder(root, path);
    else yield path;
  }
}
