import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type App, createApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { isStartedByNpm } from '../config/environment.ts';
import { parseAddressRanges } from '../http/address.ts';
import { type Logger, createLogger } from '../http/log.ts';
import { type RunningServer, startServer } from '../http/server.ts';
import { maxOpenFiles } from '../operations/metrics/process.ts';
import { startBackupSchedule } from '../operations/backup/schedule.ts';
import { codeOf } from '../kit/system-error.ts';
import { type Command, CommandError } from './command.ts';
import { loadSettings, useCatalogue, useDataFolder } from './settings.ts';
import { type Served, openSwitching } from './switching.ts';
import { LineWriter, print } from './terminal.ts';
import { watchForStop } from './signals.ts';

// Docker kills a container that has not stopped after ten seconds.
const GRACE_MS = 8_000;
const RESERVED_FILES = 256;
// With fewer, what fails depends on what is opened first.
const LEAST_FILES = 64;
const TOO_FEW_FILES =
  'The system lets this process open too few files: raise the limit to 1024 or more (ulimit -n 1024)';
// A missed backup is made up for after the start, not during it.
const FIRST_BACKUP_CHECK_MS = 2_000;
// Until then it listens, and may have answered.
const READY_AFTER_MS = 50;
const LOAD_AHEAD_AFTER_MS = 1_000;

export const command: Command = {
  summary: 'run the service (the default)',
  help: [
    'Usage: catalogue [serve] [--print-config]',
    '',
    'Runs the service until SIGTERM, SIGINT or SIGHUP, or the end of the npm that started it. Settings come from the',
    'environment and from .env.',
    '',
    '  --print-config  print the effective settings and exit',
  ].join('\n'),
  run: async (args) => {
    const { values } = parseArgs({ args, options: { 'print-config': { type: 'boolean' } } });
    const { config, settings, warnings } = loadSettings();
    if (values['print-config'] === true) {
      for (const [name, value] of settings) print(`${name}=${value}`);
      return;
    }
    if ((maxOpenFiles() ?? LEAST_FILES) < LEAST_FILES) throw new CommandError(TOO_FEW_FILES);
    if (config.operations.readOnly) useCatalogue();
    else useDataFolder();
    await serve(config, warnings);
  },
};

async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  const pretty = config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY);
  // A log that cannot be written must not end the service, whatever the reason.
  process.stdout.removeAllListeners('error').on('error', () => undefined);
  const lines = new LineWriter((text) => process.stdout.write(text));
  const logger = createLogger({
    level: config.logLevel,
    pretty,
    write: (line) => {
      lines.write(line);
    },
  });
  for (const warning of warnings) logger.warn(warning);
  const stopping = watchForStop(isStartedByNpm());
  const { dataFolder, operations } = config;
  const open = async (): Promise<App> => {
    const opened = await createApp(config, logger, { signal: stopping.signal });
    void loadAhead(opened, logger);
    return opened;
  };
  const app = await (operations.readOnly ? openSwitching(dataFolder, open, logger) : open());
  const server = await listen(app, config, logger).catch((error: unknown) => {
    app.close();
    throw explained(error, config);
  });
  exitOnBugs(logger, lines);
  logger.info('listening', { ...urls(config.host, server), data: dataFolder });
  const { backups } = operations;
  const stopBackups =
    backups && startBackupSchedule({ ...backups, firstCheckMs: FIRST_BACKUP_CHECK_MS, log: logger });
  const signal = await stopping.reason;
  logger.info('stopping', { signal });
  app.endStreams();
  await Promise.all([server.stop(GRACE_MS), stopBackups?.()]);
  app.close();
  logger.info('stopped');
}

/** The index right after the start, and everything else a second later, because it would slow the first requests down. */
async function loadAhead(app: App, logger: Logger): Promise<void> {
  await sleep(READY_AFTER_MS, undefined, { ref: false });
  app.ready().catch(() => undefined);
  await sleep(LOAD_AHEAD_AFTER_MS, undefined, { ref: false });
  // If something cannot be loaded, the request that needs it tries again, and fails.
  await app.loadAhead().catch(() => undefined);
  logger.debug('everything is loaded');
}

function listen({ handle, isWell }: Served, config: Config, logger: Logger): Promise<RunningServer> {
  const { host, port, maxConnectionsPerAddress, operations } = config;
  return startServer(handle, {
    host,
    port,
    maxConnectionsPerAddress,
    maxConnections: connectionBudget(),
    trustedProxies: parseAddressRanges(config.trustedProxies),
    tls: operations.tls && { ...operations.tls, logger, isWell },
  });
}

/** A failure to listen as a CommandError that names the variable; any other error as it is. */
function explained(error: unknown, { host, port, operations }: Config): unknown {
  const code = codeOf(error);
  const taken = error instanceof Error && 'port' in error ? error.port : undefined;
  const [variable, wanted] =
    operations.tls && taken === operations.tls.port ? ['HTTPS_PORT', taken] : ['PORT', port];
  const place = `port ${wanted} on ${host}`;
  if (code === 'EADDRINUSE') return new CommandError(`${place} is already in use (${variable}, HOST)`);
  if (code === 'EACCES') return new CommandError(`not allowed to listen on ${place} (${variable})`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CommandError(`${host} is not an address of this machine (HOST)`);
  return error;
}

/**
 * As many connections as leave file descriptors for the database and photos; undefined when the limit is unknown. At
 * least a quarter of the limit: a connection takes at most two, its socket and a file.
 */
function connectionBudget(): number | undefined {
  const open = maxOpenFiles();
  return open && Math.max(Math.floor(open / 4), open - RESERVED_FILES);
}

/** An uncaught error leaves the process in an unknown state: the supervisor starts a fresh one. */
function exitOnBugs(logger: Logger, lines: LineWriter): void {
  process.on('uncaughtException', (error) => {
    logger.error('uncaught failure', { error: error.message, stack: error.stack ?? '' });
    lines.flush();
    process.exit(1);
  });
}

/** The address of the service, and the one that redirects to it. */
function urls(host: string, { port, redirectPort }: RunningServer): { url: string; redirects?: string } {
  if (redirectPort === undefined) return { url: baseUrl('http', host, port) };
  return { url: baseUrl('https', host, port), redirects: baseUrl('http', host, redirectPort) };
}

function baseUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
