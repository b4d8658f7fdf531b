// In the driver's messages the path is bare, quoted, in a list after arrows, or after "(required by".
const FOLDER = /(?:^|'|→ |by )([^'→\n]*?)[\\/]node_modules[\\/]better-sqlite3[\\/]/g;

/**
 * A one-line message for the operator if the native SQLite driver is missing or does not load, usually after a
 * Node upgrade; undefined for other errors.
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
