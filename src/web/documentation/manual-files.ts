import { readFileSync, readdirSync } from 'node:fs';
import { STATIC_FOLDER, type StaticFile, staticFile } from '../../kit/static-files.ts';

/** What the pages of the manual are made of. */
export interface ManualFiles {
  /** The address of the files that pages load. */
  readonly base: string;
  /** The HTML around each page. */
  readonly template: string;
  /** Markdown and pictures by their names. */
  readonly sources: ReadonlyMap<string, StaticFile>;
}

const FOLDER = new URL('manual/', STATIC_FOLDER);
const SERVED = /\.(?:md|png|svg)$/;

/** Reads the manual; it is rendered elsewhere, with a library that takes longer to load than this. */
export function readManualFiles(base: string): ManualFiles {
  const names = readdirSync(FOLDER).filter((name) => SERVED.test(name));
  return {
    base,
    template: readFileSync(new URL('manual.html', STATIC_FOLDER), 'utf8'),
    sources: new Map(names.map((name) => [name, staticFile(name, readFileSync(new URL(name, FOLDER)))])),
  };
}
