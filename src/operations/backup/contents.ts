import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER } from '../../catalogue/photos/files.ts';
import { StorageError } from '../../storage/database.ts';
import { reasonOf } from '../../kit/system-error.ts';
import { type Pace, createFile, openFile, readFile } from './files.ts';
import { BACKUP_FILES, type Manifest, isBackupFile, parseManifest, parseSums } from './manifest.ts';
import { readTar } from './tar.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** The contents of a backup of which every byte was read. */
export interface Contents {
  /** The hash of each file by its name. */
  readonly sums: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

/**
 * Reads a backup, a folder or an archive, from its first byte to its last. Rejects with a StorageError unless it holds
 * exactly what its SHA256SUMS says, all of it under names and in places that a backup has, and nothing but regular
 * files. Each file for which `placeOf` returns a path is written there on the way, and left to the caller to sync.
 */
export async function readContents(
  path: string,
  pace: Pace,
  placeOf: (name: string) => string | undefined = () => undefined,
): Promise<Contents> {
  let sums: Map<string, string> | undefined;
  const seen = new Set<string>();
  const manifest: Buffer[] = [];
  for await (const { name, size, chunks } of entriesOf(path, pace)) {
    addName(name, seen);
    // It is the first in the order of bytes, and so the first in both forms.
    if (name === BACKUP_FILES.sums) {
      sums = await parseSums(chunks);
      continue;
    }
    const expected = sums?.get(name);
    if (expected === undefined) throw new StorageError(`the backup holds ${name} without a checksum`);
    const isManifest = name === BACKUP_FILES.manifest;
    if (isManifest && size > MAX_MANIFEST_BYTES) throw new StorageError(`${name} of the backup is too large`);
    const place = placeOf(name);
    const hash = await (isManifest
      ? hashChunks(chunks, (chunk) => manifest.push(chunk))
      : place === undefined
        ? hashChunks(chunks)
        : extract(chunks, place));
    if (hash !== expected) throw new StorageError(`${name} of the backup is damaged: its checksum differs`);
  }
  if (!sums) throw new StorageError(`${path} is no backup: it holds no ${BACKUP_FILES.sums}`);
  for (const name of sums.keys())
    if (!seen.has(name)) throw new StorageError(`${name} is missing from the backup`);
  return { sums, manifest: parseManifest(Buffer.concat(manifest).toString()) };
}

function addName(name: string, seen: Set<string>): void {
  if (!isBackupFile(name)) throw new StorageError(`the backup holds ${name}, which is no part of a backup`);
  if (seen.has(name)) throw new StorageError(`the backup holds ${name} twice`);
  seen.add(name);
}

/** The SHA-256 of bytes, in hexadecimal, each of which is handed to `pass` on the way. */
export async function hashChunks(
  chunks: AsyncIterable<Buffer>,
  pass: (chunk: Buffer) => void = () => undefined,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    pass(chunk);
  }
  return hash.digest('hex');
}

function extract(chunks: AsyncIterable<Buffer>, target: string): Promise<string> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  return createFile(target, (write) => hashChunks(chunks, write));
}

/** The files of a folder or of an archive, each to be read before the next. */
async function* entriesOf(path: string, pace: Pace) {
  if (isFolder(path)) {
    for (const name of namesUnder(path))
      yield { name, size: lstatSync(join(path, name)).size, chunks: readFile(join(path, name), pace) };
    return;
  }
  const archive = await openFile(path, pace);
  try {
    for await (const { name, size, start } of readTar(archive))
      yield { name, size, chunks: archive.read(start, start + size) };
  } finally {
    archive.close();
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new StorageError(`cannot read the backup ${path}: ${reasonOf(error)}`);
  }
}

/** All files in the folder of a backup, in the order of bytes. Throws a StorageError at links and strange folders. */
function* namesUnder(root: string, folder = ''): Generator<string> {
  const names = readdirSync(join(root, folder)).sort();
  if (names.length === 0 && folder !== '')
    throw new StorageError(`the backup holds ${folder}, an empty folder`);
  for (const name of names.map((own) => join(folder, own))) {
    const kind = name === PHOTO_FOLDER || folder === PHOTO_FOLDER ? 'folder' : 'file';
    const status = lstatSync(join(root, name));
    if (kind === 'file' ? !status.isFile() : !status.isDirectory())
      throw new StorageError(`the backup holds ${name}, which is not a plain ${kind}`);
    if (kind === 'folder') yield* namesUnder(root, name);
    else yield name;
  }
}
