import { TlsError } from '../http/certificate.ts';
import { StorageError } from '../storage/database.ts';
import { databaseAdvice } from '../storage/failures.ts';
import { readVersion } from '../kit/version.ts';
import { describeFailure } from '../kit/system-error.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { complain, outliveReaders, print } from './terminal.ts';

// Loaded on demand: loading all of them takes longer than most of them run.
const COMMANDS: ReadonlyMap<string, () => Promise<{ readonly command: Command }>> = new Map([
  ['serve', () => import('./serve.ts')],
  ['migrate', () => import('./migrate.ts')],
  ['import', () => import('./import.ts')],
  ['export', () => import('./export.ts')],
  ['changes', () => import('./changes.ts')],
  ['revert', () => import('./revert.ts')],
  ['backup', () => import('./backup.ts')],
  ['restore', () => import('./restore.ts')],
  ['check', () => import('./check.ts')],
  ['user', () => import('./user.ts')],
  ['healthcheck', () => import('./healthcheck.ts')],
  ['doctor', () => import('./doctor.ts')],
]);

/** Runs one command line and resolves to its exit code: 0 done, 1 failed, 2 wrong usage. Errors print no stack. */
export async function main(args: string[]): Promise<number> {
  outliveReaders();
  const [first = 'serve', ...rest] = args;
  if (first === '--version' || first === '-v') return say(readVersion());
  if (first === '--help' || first === '-h' || first === 'help') return help(rest);
  // Options without a command belong to the default one.
  const [name, own] = first.startsWith('-') ? ['serve', args] : [first, rest];
  const loaded = await COMMANDS.get(name)?.();
  if (!loaded) return refuseUnknown(name);
  const { command } = loaded;
  if (own.includes('--help') || own.includes('-h')) return say(command.help);
  // Files that the service writes are for its user only.
  process.umask(0o077);
  try {
    const code = await command.run(own);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    return explain(name, error);
  }
}

async function help([name, ...more]: readonly string[]): Promise<number> {
  if (name === undefined) return say(await overview());
  const loaded = await COMMANDS.get(name)?.();
  if (!loaded) return refuseUnknown(name);
  return more.length === 0
    ? say(loaded.command.help)
    : refuse('help takes one command; see: catalogue --help');
}

function refuseUnknown(name: string): number {
  return refuse(`unknown command "${name}"; see: catalogue --help`);
}

function explain(name: string, error: unknown): number {
  if (isUsageError(error)) return refuse(`${error.message}; see: catalogue ${name} --help`);
  const advice = databaseAdvice(error, 'the database in DATA_DIR');
  const message = advice ?? describeFailure(error);
  const isPlain =
    advice !== undefined || [CommandError, StorageError, TlsError].some((kind) => error instanceof kind);
  for (const line of message.split('\n')) complain(isPlain ? line : `${name} failed: ${line}`);
  return 1;
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_');
}

function say(text: string): number {
  print(text);
  return 0;
}

function refuse(message: string): number {
  complain(message);
  return 2;
}

async function overview(): Promise<string> {
  const width = Math.max(...Array.from(COMMANDS.keys(), (name) => name.length));
  const lines = ['Usage: catalogue [command]', '', 'Commands:'];
  for (const [name, load] of COMMANDS)
    lines.push(`  ${name.padEnd(width)}  ${(await load()).command.summary}`);
  return [...lines, '', 'For more about a command: catalogue <command> --help'].join('\n');
}
