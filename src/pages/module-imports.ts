import { posix } from 'node:path';

// Of code that Prettier or a minifier has written: a statement starts a line or follows another one. Modules that are
// loaded later are not among them, nor are the types that comments import.
const STATEMENT = /(?:^|;)(?:import|export)\b(?:[\w$*{},\s]*\bfrom)?\s*["']([^"']+)["']/gm;

/**
 * The modules that an ES module needs before it can run, itself first, by their paths. `sourceOf` returns the text of a
 * module. Throws where one imports a module that has none.
 */
export function modulesBehind(entry: string, sourceOf: (path: string) => string | undefined): string[] {
  const found = [entry];
  // Grows as it is walked.
  for (const path of found) {
    const source = sourceOf(path);
    if (source === undefined) throw new Error(`${entry} needs the module ${path}, which is not there`);
    for (const needed of importsOf(path, source)) if (!found.includes(needed)) found.push(needed);
  }
  return found;
}

function importsOf(path: string, source: string): string[] {
  return [...source.matchAll(STATEMENT)].map(([, named = '']) => posix.join(posix.dirname(path), named));
}
