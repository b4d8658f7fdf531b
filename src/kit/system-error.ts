import { getSystemErrorMap } from 'node:util';

// Plainer than the system's messages, or more specific about files and addresses.
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of this path is a file, not a folder'],
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it exists already'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'the system does not permit it'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'there is no space left on its disk'],
  ['EDQUOT', 'there is no space left on its disk'],
  ['EIO', 'its disk fails'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['ECONNREFUSED', 'nothing listens there'],
  ['ECONNRESET', 'the connection was cut'],
  ['ENOTFOUND', 'there is no machine of this name'],
]);
const BY_CODE: ReadonlyMap<string, string> = new Map(getSystemErrorMap().values());

/** The code of a system or SQLite error, such as ENOENT; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Explains a failed system call in words, without its code; undefined for other errors. The only place where codes
 * such as ENOENT become words.
 */
export function systemReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : (PLAIN.get(code) ?? BY_CODE.get(code));
}

/** Explains any failure: a system error in words, any other by its message. */
export function reasonOf(error: unknown): string {
  return systemReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Like `reasonOf`, with the file or address that the system reports, as a complete line. */
export function describeFailure(error: unknown): string {
  const reason = systemReason(error);
  if (reason === undefined || !(error instanceof Error)) return reasonOf(error);
  const place = fileOf(error) ?? addressOf(error);
  return place === undefined ? reason : `${place}: ${reason}`;
}

function fileOf(error: Error): string | undefined {
  return 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

function addressOf(error: Error): string | undefined {
  const isKnown = 'address' in error && 'port' in error;
  return isKnown ? `${String(error.address)} port ${String(error.port)}` : undefined;
}
