import { TlsError } from '../http/certificate.ts';
import { StorageError } from '../storage/database.ts';
import { databaseAdvice } from '../storage/failures.ts';
import { readVersion } from '../version.ts';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { healthcheckCommand } from './inspect.ts';
import { migrateCommand } from './migrate.ts';
import { proxyConfigCommand } from './proxy-config.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { complain, print } from './terminal.ts';
import { userCommand } from './user.ts';

const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  importCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  userCommand,
  healthcheckCommand,
  doctorCommand,
  proxyConfigCommand,
];

/** Runs one command line and gives its exit code: 0 done, 1 failed, 2 wrong usage. Errors are told without a stack. */
export async function main(args: readonly string[]): Promise<number> {
  const [first = 'serve', ...rest] = args;
  if (first === '--version' || first === '-v') return say(readVersion());
  if (first === '--help' || first === '-h' || first === 'help') return say(overview());
  // Options without a command belong to the default one.
  const [name, own] = first.startsWith('-') ? ['serve', args] : [first, rest];
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) return refuse(`unknown command "${name}"; see: catalogue --help`);
  if (own.includes('--help') || own.includes('-h')) return say(command.help);
  // What the service writes is its owner's alone.
  process.umask(0o077);
  return command.run(own).catch((error: unknown) => explain(name, error));
}

function explain(name: string, error: unknown): number {
  if (isUsageError(error)) return refuse(`${error.message}; see: catalogue ${name} --help`);
  const advice = databaseAdvice(error, 'the database in DATA_DIR');
  const message = advice ?? (error instanceof Error ? error.message : String(error));
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

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: catalogue [command]',
    '',
    'Commands:',
    ...lines,
    '',
    'catalogue <command> --help tells more.',
  ].join('\n');
}
