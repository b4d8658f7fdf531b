import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { generateCatalogue } from '../bench/generate.ts';

/** A kind of damage to bytes; returns the damaged ones. */
export interface Damage {
  readonly name: string;
  readonly harm: (bytes: Buffer, random: () => number) => Buffer;
}

const PAGE = 4096;
const HEADER = 100;

function flip(bytes: Buffer, bits: number, from: number, to: number, random: () => number): Buffer {
  for (let bit = 0; bit < bits; bit += 1) {
    const at = from + Math.floor(random() * (Math.min(to, bytes.length) - from));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  }
  return bytes;
}

function overwrite(bytes: Buffer, random: () => number, value: () => number): Buffer {
  const page = Math.floor((random() * bytes.length) / PAGE);
  return bytes.fill(Buffer.from(Array.from({ length: PAGE }, value)), page * PAGE, (page + 1) * PAGE);
}

/** The damage that disks, copies and people do to files. */
export const DAMAGES: readonly Damage[] = [
  { name: 'a flipped bit', harm: (bytes, random) => flip(bytes, 1, 0, bytes.length, random) },
  { name: 'flipped bits', harm: (bytes, random) => flip(bytes, 64, 0, bytes.length, random) },
  { name: 'many flipped bits', harm: (bytes, random) => flip(bytes, 2_000, HEADER, bytes.length, random) },
  { name: 'a flipped bit in the header', harm: (bytes, random) => flip(bytes, 1, 0, HEADER, random) },
  { name: 'flipped bits in the schema', harm: (bytes, random) => flip(bytes, 8, HEADER, 8 * PAGE, random) },
  { name: 'a page of zeros', harm: (bytes, random) => overwrite(bytes, random, () => 0) },
  {
    name: 'a page of noise',
    harm: (bytes, random) => overwrite(bytes, random, () => Math.floor(random() * 256)),
  },
  {
    name: 'an end that is missing',
    harm: (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  },
  {
    name: 'an end that is missing from a page on',
    harm: (bytes, random) => bytes.subarray(0, Math.floor((random() * bytes.length) / PAGE) * PAGE),
  },
  {
    name: 'noise behind its end',
    harm: (bytes, random) => Buffer.concat([bytes, Buffer.alloc(10_000, Math.floor(random() * 256))]),
  },
];

/** Makes a data folder as a killed server leaves it: some of it is in the write-ahead log alone. */
export async function makeKilledFolder(folder: string, workshop: string): Promise<void> {
  const storage = openStorage(workshop);
  try {
    await generateCatalogue(storage, 300, 2);
    // What a first start makes, so that a later one has nothing to write.
    for (const name of ['access tokens', 'sign-in handshakes', 'page cursors', 'change cursors'])
      storage.keys(name);
    storage.connection.pragma('wal_checkpoint(TRUNCATE)');
    const rename = storage.connection.prepare(
      `UPDATE restaurants SET description = 'in the log' WHERE id % 7 = :part`,
    );
    for (let part = 0; part < 7; part += 1) await storage.transactions.write(() => rename.run({ part }));
    copyFolder(workshop, folder);
  } finally {
    storage.close();
  }
}

/** The files of a database: it and its log. */
export const DATABASE_FILES = ['catalogue.db', 'catalogue.db-wal'] as const;

/** Copies a database with its log. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of DATABASE_FILES)
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}

/** Does damage to one of the files of a database. */
export function harmFile(folder: string, inLog: boolean, { harm }: Damage, random: () => number): void {
  const path = `${databasePath(folder)}${inLog ? '-wal' : ''}`;
  writeFileSync(path, harm(readFileSync(path), random));
}

/** The bytes of a database and its log, to be compared later. */
export function bytesOf(folder: string): Buffer[] {
  return DATABASE_FILES.map((name) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  });
}
