import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from './checkout.ts';

const SOURCES = fileURLToPath(new URL('src/', CHECKOUT));

/** A level of modules: each imports modules of its own level or below. */
export interface Level {
  readonly name: string;
  readonly modules: readonly string[];
}

/** All modules by their levels, the lowest first. A module is a folder of src/, or `app`: the file next to the folders. */
export const LEVELS: readonly Level[] = [
  { name: 'Tools', modules: ['kit'] },
  { name: 'Foundations', modules: ['config', 'storage', 'http'] },
  { name: 'In memory', modules: ['index'] },
  { name: 'Resources', modules: ['catalogue'] },
  { name: 'Users', modules: ['people'] },
  { name: 'On all resources', modules: ['history', 'transfer', 'operations', 'web'] },
  { name: 'The app', modules: ['app'] },
  { name: 'The command line', modules: ['cli'] },
];

/** They know nothing of restaurants. */
export const FOUNDATIONS: readonly string[] = ['kit', 'config', 'storage', 'http'];

/** An import of one file by another, or of a package; ours by their paths in src/. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The texts of all files of src/, by their paths there. */
export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(SOURCES, file), 'utf8')]),
);

/** All imports of all files, those of types and those that are loaded when they are first needed as well. */
export const imports: readonly Import[] = [...sources].flatMap(([from, text]) => {
  const pattern = /^import (?:type )?[^;]*?from '([^']+)';|\bimport\('([^']+)'\)/gms;
  return [...text.matchAll(pattern)].map(([, atStart, later = '']) => ({
    from,
    to: targetOf(from, atStart ?? later),
  }));
});

/** Those of our own files. */
export const within = imports.filter(({ to }) => sources.has(to));

/** Those of them that cross from one module to another. */
export const between = within.filter(({ from, to }) => moduleOf(from) !== moduleOf(to));

function targetOf(from: string, named: string): string {
  return named.startsWith('.') ? normalize(join(dirname(from), named)) : named;
}

/** The folder of src/ that a file is in; `app` for app.ts. */
export function moduleOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'app';
}

/** The number of the level of a file's module, from 0. Throws when the module is on none. */
export function levelOf(file: string): number {
  const level = LEVELS.findIndex(({ modules }) => modules.includes(moduleOf(file)));
  if (level === -1) throw new Error(`${moduleOf(file)} has no level in test/support/modules.ts`);
  return level;
}
