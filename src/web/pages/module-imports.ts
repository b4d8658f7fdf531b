import { posix } from 'node:path';

// Of code that Prettier or a minifier has written: a statement starts a line or follows another one. Modules that are
// loaded later are not among them, nor are the types that comments import.
const STATEMENT = /(?:^|;)(?:import|export)\b(?:[\w$*{},\s]*\bfrom)?\s*["']([^"']+)["']/gm;

/**
 * Finds the modules that an ES module needs before it can run, itself first, by their paths. `sourceOf` returns the text of
 * a module, and is asked for each of them once. What it returns throws where one imports a module that has none.
 */
export function createModuleGraph(
  sourceOf: (path: string) => string | undefined,
): (entry: string) => string[] {
  const known = new Map<string, readonly string[]>();
  return (entry) => {
    const found = [entry];
    // Grows as it is walked.
    for (const path of found) {
      const needs = known.get(path) ?? importsOf(path, sourceOf(path), entry);
      known.set(path, needs);
      for (const needed of needs) if (!found.includes(needed)) found.push(needed);
    }
    return found;
  };
}

function importsOf(path: string, source: string | undefined, entry: string): string[] {
  if (source === undefined) throw new Error(`${entry} needs the module ${path}, which is not there`);
  return [...source.matchAll(STATEMENT)].map(([, named = '']) => posix.join(posix.dirname(path), named));
}
