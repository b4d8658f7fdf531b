// The path stands alone, between quotes, in a list behind arrows, or behind "(required by".
const FOLDER = /(?:^|'|→ |by )([^'→\n]*?)[\\/]node_modules[\\/]better-sqlite3[\\/]/g;

/**
 * The message to the operator, in one line, where the compiled part of the SQLite driver is missing or cannot be loaded
 * by this Node, most often since Node was upgraded; undefined when `error` is of another kind.
 */
export function driverAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const isAbsent = error.message.startsWith('Could not locate the bindings file');
  const isUnloadable = 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
  const [found] = isAbsent || isUnloadable ? error.message.matchAll(FOLDER) : [];
  const folder = found?.[1];
  if (folder === undefined) return undefined;
  const fault = isAbsent ? 'is not installed' : `cannot be loaded by Node ${process.versions.node}`;
  return `the SQLite driver ${fault}: run npm rebuild better-sqlite3 in ${folder}`;
}
