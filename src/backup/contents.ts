import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PHOTO_FOLDER } from '../photos/files.ts';
import { StorageError } from '../storage/database.ts';
import { reasonOf } from '../system-error.ts';
import { type Pace, withFile, writeUnsynced } from './bytes.ts';
import { type Manifest, parseManifest, parseSums } from './manifest.ts';
import { BACKUP_FILES, isBackupFile } from './names.ts';
import { readTar } from './tar.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** What a backup holds, after every byte of it was read. */
export interface Contents {
  /** The hash of each file by its name. */
  readonly sums: ReadonlyMap<string, string>;
  readonly manifest: Manifest;
}

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * Reads a backup, a folder or an archive, from its first byte to its last. Rejects with a StorageError unless it holds
 * exactly what its SHA256SUMS says, all of it under names and in places that a backup has, and nothing but regular
 * files. Each file for which `keep` gives a path is written there on the way; to bring it to the disk is left to the caller.
 */
export async function readContents(
  path: string,
  pace: Pace,
  keep: (name: string) => string | undefined = () => undefined,
): Promise<Contents> {
  let sums: Map<string, string> | undefined;
  const seen = new Set<string>();
  const manifest: Buffer[] = [];
  await eachEntry(path, pace, async ({ name, size, chunks }) => {
    if (!isBackupFile(name)) throw new StorageError(`the backup holds ${name}, which is no part of a backup`);
    if (seen.has(name)) throw new StorageError(`the backup holds ${name} twice`);
    seen.add(name);
    // It is the first in the order of bytes, and so the first in both forms.
    if (name === BACKUP_FILES.sums) {
      sums = await parseSums(chunks);
      return;
    }
    const expected = sums?.get(name);
    if (expected === undefined) throw new StorageError(`the backup holds ${name} without a checksum`);
    if (name === BACKUP_FILES.manifest && size > MAX_MANIFEST_BYTES)
      throw new StorageError(`${name} of the backup is too large`);
    const parts = name === BACKUP_FILES.manifest ? manifest : undefined;
    const hash = await takeIn(chunks, keep(name), parts);
    if (hash !== expected) throw new StorageError(`${name} of the backup is damaged: its checksum differs`);
  });
  if (!sums) throw new StorageError(`${path} is no backup: it holds no ${BACKUP_FILES.sums}`);
  for (const name of sums.keys())
    if (!seen.has(name)) throw new StorageError(`${name} is missing from the backup`);
  return { sums, manifest: parseManifest(Buffer.concat(manifest).toString()) };
}

/** The SHA-256 of a file, in hexadecimal. */
export function hashFile(path: string, pace: Pace): Promise<string> {
  return withFile(path, pace, (file) => takeIn(file.read(), undefined, undefined));
}

async function takeIn(
  chunks: AsyncIterable<Buffer>,
  target: string | undefined,
  parts: Buffer[] | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  const look = (chunk: Buffer): Buffer => {
    hash.update(chunk);
    parts?.push(chunk);
    return chunk;
  };
  if (target === undefined) for await (const chunk of chunks) look(chunk);
  else {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    await writeUnsynced(target, passing(chunks, look));
  }
  return hash.digest('hex');
}

async function* passing(
  chunks: AsyncIterable<Buffer>,
  look: (chunk: Buffer) => Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) yield look(chunk);
}

async function eachEntry(path: string, pace: Pace, see: (entry: Entry) => Promise<void>): Promise<void> {
  if (isFolder(path)) {
    for (const name of namesUnder(path))
      await withFile(join(path, name), pace, ({ size, read }) => see({ name, size, chunks: read() }));
    return;
  }
  await withFile(path, pace, async (archive) => {
    for await (const { name, size, start } of readTar(archive))
      await see({ name, size, chunks: archive.read(start, start + size) });
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new StorageError(`cannot read the backup ${path}: ${reasonOf(error)}`);
  }
}

/** All that is in the folder of a backup, in the order of bytes. Throws a StorageError at links and strange folders. */
function* namesUnder(root: string): Generator<string, void, undefined> {
  for (const name of readdirSync(root).sort()) {
    if (name !== PHOTO_FOLDER) {
      requireKind(root, name, 'file');
      yield name;
      continue;
    }
    requireKind(root, name, 'folder');
    for (const prefix of namesIn(root, name)) {
      const folder = `${name}/${prefix}`;
      requireKind(root, folder, 'folder');
      for (const file of namesIn(root, folder)) {
        requireKind(root, `${folder}/${file}`, 'file');
        yield `${folder}/${file}`;
      }
    }
  }
}

function namesIn(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder)).sort();
  if (names.length === 0) throw new StorageError(`the backup holds ${folder}, an empty folder`);
  return names;
}

function requireKind(root: string, name: string, kind: 'file' | 'folder'): void {
  const status = lstatSync(join(root, name));
  if (kind === 'file' ? !status.isFile() : !status.isDirectory())
    throw new StorageError(`the backup holds ${name}, which is not a plain ${kind}`);
}
