import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
const BOOLEANS = ['true', 'false'] as const;
const DEVELOPMENT_ORIGINS = 'http://localhost:3000,http://localhost:5173';

/** The service's settings: every variable read, checked and defaulted. */
export interface Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logFormat: (typeof LOG_FORMATS)[number];
  readonly allowedOrigins: readonly string[];
  /** Addresses, CIDR ranges, `loopback` or `private`. */
  readonly trustedProxies: readonly string[];
  /** Requests a minute and burst by client; undefined when turned off. */
  readonly rateLimit: { readonly perMinute: number; readonly burst: number } | undefined;
  readonly edgeLimits: boolean;
  readonly maxConnectionsPerAddress: number;
}

/** The outcome of reading the environment; `settings` holds every variable's effective value for printing. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly settings: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly faults: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

interface Variables {
  readonly environment: Environment;
  readonly settings: Map<string, string>;
  readonly faults: string[];
}

/** The real environment over that of a `.env` file in `folder`, where there is one. Throws when it cannot be read. */
export function readEnvironment(folder: string): Environment {
  let file: Environment = {};
  try {
    file = parseEnv(readFileSync(resolve(folder, '.env'), 'utf8'));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw error;
  }
  return { ...file, ...process.env };
}

/** Checks all variables and gives the configuration, or every fault, one line each. */
export function readConfig(environment: Environment): ConfigResult {
  const variables: Variables = { environment, settings: new Map(), faults: [] };
  const production =
    choice(variables, 'NODE_ENV', ['development', 'production', 'test'], 'development') === 'production';
  checkAuthMode(variables, production);
  const perMinute = integer(variables, 'RATE_LIMIT_PER_MINUTE', 0, 1_000_000, 100);
  const burst = integer(variables, 'RATE_LIMIT_BURST', 0, 1_000_000, 20);
  const config: Config = {
    production,
    // Without accounts the service is for this machine alone, unless somebody says otherwise.
    host: text(variables, 'HOST', '127.0.0.1'),
    port: integer(variables, 'PORT', 0, 65_535, 8080),
    dataFolder: resolve(text(variables, 'DATA_DIR', './data')),
    logLevel: choice(variables, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: choice(variables, 'LOG_FORMAT', LOG_FORMATS, 'auto'),
    allowedOrigins: list(variables, 'ALLOWED_ORIGINS', production ? '' : DEVELOPMENT_ORIGINS, {
      expected: 'origins such as https://example.com, separated by commas',
      accepts: isOrigin,
    }),
    trustedProxies: list(variables, 'TRUSTED_PROXIES', 'loopback', {
      expected: 'loopback, private, none, addresses or CIDR ranges, separated by commas',
      accepts: isProxyEntry,
    }).filter((entry) => entry !== 'none'),
    rateLimit: perMinute === 0 || burst === 0 ? undefined : { perMinute, burst },
    edgeLimits: choice(variables, 'EDGE_LIMITS', BOOLEANS, 'false') === 'true',
    maxConnectionsPerAddress: integer(variables, 'MAX_CONNECTIONS_PER_ADDRESS', 1, 100_000, 64),
  };
  const { faults, settings } = variables;
  return faults.length > 0 ? { ok: false, faults } : { ok: true, config, settings };
}

/** The modes of SPEC.md, of which this version has the first. What it lacks is refused, never served open. */
function checkAuthMode(variables: Variables, production: boolean): void {
  const fallback = production ? '' : 'none';
  const mode = text(variables, 'AUTH_MODE', fallback);
  if (production && (mode === '' || mode === 'none'))
    variables.faults.push('AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)');
  else if (['local', 'oauth', 'both'].includes(mode))
    variables.faults.push(`AUTH_MODE=${mode} is not available in this version: it must be none`);
  else if (mode !== 'none')
    variables.faults.push(`AUTH_MODE must be one of none, local, oauth, both, not "${mode}"`);
}

/** An empty variable counts as unset, as compose files write it. */
function text({ environment, settings }: Variables, name: string, fallback: string): string {
  const set = environment[name]?.trim() ?? '';
  const effective = set === '' ? fallback : set;
  settings.set(name, effective);
  return effective;
}

function choice<Choice extends string>(
  variables: Variables,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const given = text(variables, name, fallback);
  const found = choices.find((candidate) => candidate === given);
  if (found === undefined)
    variables.faults.push(`${name} must be one of ${choices.join(', ')}, not "${given}"`);
  return found ?? fallback;
}

function integer(variables: Variables, name: string, min: number, max: number, fallback: number): number {
  const given = text(variables, name, String(fallback));
  const number = /^\d{1,9}$/.test(given) ? Number(given) : NaN;
  if (number >= min && number <= max) return number;
  variables.faults.push(`${name} must be an integer from ${min} to ${max}, not "${given}"`);
  return fallback;
}

function list(
  variables: Variables,
  name: string,
  fallback: string,
  { expected, accepts }: { readonly expected: string; readonly accepts: (entry: string) => boolean },
): string[] {
  const entries = text(variables, name, fallback).split(',');
  const given = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  const wrong = given.find((entry) => !accepts(entry));
  if (wrong !== undefined) variables.faults.push(`${name} must be ${expected}, not "${wrong}"`);
  return given;
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
