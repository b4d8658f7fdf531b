import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Spoils a backup in one way of many, chosen by `random`, and says how. */
export type Spoiling = (backup: string, random: () => number) => string;

/** The files of a backup that is a folder. */
export function filesOf(backup: string): string[] {
  return readdirSync(backup, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(backup, name)).isFile())
    .sort();
}

function flip(path: string, random: () => number): string {
  const bytes = readFileSync(path);
  const at = Math.floor(random() * bytes.length);
  const bit = Math.floor(random() * 8);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  writeFileSync(path, bytes);
  return `bit ${bit} of byte ${at} of ${path}`;
}

function cut(path: string, random: () => number): string {
  const size = Math.floor(random() * statSync(path).size);
  truncateSync(path, size);
  return `${path} cut to ${size}`;
}

function lengthen(path: string, random: () => number): string {
  const bytes = Buffer.alloc(1 + Math.floor(random() * 2_000));
  appendFileSync(path, bytes);
  return `${path} longer by ${bytes.length}`;
}

/** Ways to spoil a file. */
export const FILE_SPOILINGS: readonly Spoiling[] = [flip, flip, flip, cut, lengthen];

function onOneFile(spoil: Spoiling): Spoiling {
  return (backup, random) => {
    const files = filesOf(backup);
    return spoil(join(backup, files[Math.floor(random() * files.length)] ?? ''), random);
  };
}

const remove: Spoiling = (path) => {
  rmSync(path);
  return `${path} removed`;
};

const rename: Spoiling = (path) => {
  renameSync(path, `${path}0`);
  return `${path} renamed`;
};

const replaceByLink: Spoiling = (path) => {
  const elsewhere = `${dirname(path)}.elsewhere`;
  cpSync(path, elsewhere);
  rmSync(path);
  symlinkSync(elsewhere, path);
  return `${path} made a link to the same content`;
};

const replaceByFolder: Spoiling = (path) => {
  rmSync(path);
  mkdirSync(path);
  return `${path} made a folder`;
};

const add: Spoiling = (backup, random) => {
  const names = ['notes', 'catalogue.db-wal', 'photos/x.jpg', `photos/00/${'0'.repeat(32)}.jpg`];
  const name = names[Math.floor(random() * names.length)] ?? '';
  mkdirSync(dirname(join(backup, name)), { recursive: true });
  writeFileSync(join(backup, name), 'mine');
  return `${name} added`;
};

/** Ways to spoil a folder. */
export const FOLDER_SPOILINGS: readonly Spoiling[] = [
  ...[...FILE_SPOILINGS, remove, rename, replaceByLink, replaceByFolder].map(onOneFile),
  add,
];
