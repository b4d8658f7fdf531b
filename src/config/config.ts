import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readAuthConfig } from './auth.ts';
import { readMapsConfig } from './maps.ts';
import { readHistoryConfig, readOperationsConfig } from './operations.ts';
import { readPagesConfig } from './pages.ts';
import { type Environment, type Variables, choice, flag, integer, isSet, list, text } from './variables.ts';
import { codeOf } from '../kit/system-error.ts';

const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/i;
const MEGABYTE = 1024 * 1024;
const DEVELOPMENT_ORIGINS = 'http://localhost:3000,http://localhost:5173';

/** The service's settings: every variable read, checked and defaulted. */
export type Config = Readonly<ReturnType<typeof readAll>>;

/**
 * The outcome of reading the environment: `settings` holds every variable's effective value for printing, secrets
 * masked; `warnings` what is allowed but unwise.
 */
export type ConfigResult = { readonly settings: ReadonlyMap<string, string> } & (
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] }
);

/** The real environment over that of a `.env` file in `folder`, where there is one. Throws when it cannot be read. */
export function readEnvironment(folder: string): Environment {
  return { ...readSettingsFile(folder), ...process.env };
}

/** The settings of a `.env` file in `folder`; undefined where there is none. Throws when it cannot be read. */
function readSettingsFile(folder: string): Environment | undefined {
  try {
    return parseEnv(readFileSync(settingsFile(folder), 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function settingsFile(folder: string): string {
  return resolve(folder, '.env');
}

/** Says in half a sentence why the data folder is where it is, for an operator who expected another one. */
export function explainDataFolder(folder: string): string {
  const file = readSettingsFile(folder);
  if (isSet({ environment: process.env }, 'DATA_DIR')) return 'as DATA_DIR in the environment says';
  if (isSet({ environment: { ...file, ...process.env } }, 'DATA_DIR'))
    return `as DATA_DIR in ${settingsFile(folder)} says`;
  if (file) return `DATA_DIR is set neither in the environment nor in ${settingsFile(folder)}`;
  return `DATA_DIR is not set in the environment, and there is no ${settingsFile(folder)}`;
}

/** Whether `npm start`, or a program that does as npm does, started this process. */
export function isStartedByNpm(): boolean {
  return process.env['npm_lifecycle_event'] === 'start';
}

/** Checks all variables and returns the configuration, or every fault, one line each. */
export function readConfig(environment: Environment): ConfigResult {
  const variables: Variables = { environment, settings: new Map(), faults: [], warnings: [] };
  const config = readAll(variables);
  const { faults, settings, warnings } = variables;
  return faults.length > 0 ? { ok: false, faults, settings } : { ok: true, config, settings, warnings };
}

function readAll(variables: Variables) {
  const production =
    choice(variables, 'NODE_ENV', ['development', 'production', 'test'], 'development') === 'production';
  const allowedOrigins = list(variables, 'ALLOWED_ORIGINS', production ? '' : DEVELOPMENT_ORIGINS, {
    expected: 'origins such as https://example.com, separated by commas',
    accepts: isOrigin,
  });
  const auth = readAuthConfig(variables, production, allowedOrigins[0]);
  const rateLimit = readRate(variables, 'RATE_LIMIT', 100, 20);
  const filesRateLimit = readRate(variables, 'FILES_RATE_LIMIT', 1_200, 300);
  const dataFolder = dataFolderOf(variables);
  const operations = readOperationsConfig(variables, dataFolder);
  const config = {
    production,
    // Without accounts the service is for this machine alone, unless it is configured otherwise.
    host: text(variables, 'HOST', auth.mode === 'none' ? '127.0.0.1' : '::'),
    port: integer(variables, 'PORT', 0, 65_535, 8080),
    /** Absolute path. */
    dataFolder,
    logLevel: choice(variables, 'LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: choice(variables, 'LOG_FORMAT', ['auto', 'json', 'pretty'], 'auto'),
    allowedOrigins,
    /** Names other than `host` under which a service without accounts may be asked on its own machine. */
    allowedHosts: list(variables, 'ALLOWED_HOSTS', '', {
      expected: 'host names such as food.example, separated by commas',
      accepts: (entry) => HOST_NAME.test(entry),
    }),
    /** Addresses, CIDR ranges, `loopback` or `private`. */
    trustedProxies: list(variables, 'TRUSTED_PROXIES', 'loopback', {
      expected: 'loopback, private, none, addresses or CIDR ranges, separated by commas',
      accepts: isProxyEntry,
    }).filter((entry) => entry !== 'none'),
    /** Requests a minute and burst by client; undefined when turned off. */
    rateLimit,
    /** The same for files; also undefined when `rateLimit` is. */
    filesRateLimit: rateLimit && filesRateLimit,
    // Without a proxy in front the service is the edge itself.
    edgeLimits: flag(variables, 'EDGE_LIMITS') || operations.tls !== undefined,
    maxConnectionsPerAddress: integer(variables, 'MAX_CONNECTIONS_PER_ADDRESS', 1, 100_000, 64),
    /** Bytes of JSON bodies that may be in memory at once. */
    bodyMemory: integer(variables, 'BODY_MEMORY_MB', 1, 10_000, 64) * MEGABYTE,
    auth,
    maps: readMapsConfig(variables),
    pages: readPagesConfig(variables),
    operations,
    history: readHistoryConfig(variables),
  };
  if (operations.tls?.port === config.port && config.port !== 0)
    variables.faults.push('HTTPS_PORT must not be the same as PORT');
  return config;
}

/** The data folder alone, for commands that want nothing else of the settings; an absolute path. */
export function readDataFolder(environment: Environment): string {
  return dataFolderOf({ environment, settings: new Map(), faults: [], warnings: [] });
}

/** A rate limit by its two variables; undefined when one of them is 0. */
function readRate(variables: Variables, name: string, perMinute: number, burst: number) {
  const rate = {
    perMinute: integer(variables, `${name}_PER_MINUTE`, 0, 1_000_000, perMinute),
    burst: integer(variables, `${name}_BURST`, 0, 1_000_000, burst),
  };
  return rate.perMinute === 0 || rate.burst === 0 ? undefined : rate;
}

function dataFolderOf(variables: Variables): string {
  return resolve(text(variables, 'DATA_DIR', './data'));
}

function isOrigin(entry: string): boolean {
  return /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
}

function isProxyEntry(entry: string): boolean {
  if (['loopback', 'private', 'none'].includes(entry)) return true;
  const [address = '', length, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}
