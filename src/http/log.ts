import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf } from './target.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level: LogLevel;
  /** For people at a terminal instead of one JSON object a line. */
  readonly pretty: boolean;
  readonly write: (line: string) => void;
}

/** One line about one request. */
export interface AccessEntry {
  readonly id: string;
  /** The id that the client chose, which its answer carries instead; null where that is `id`. */
  readonly offered: string | null;
  readonly method: string;
  /** The pattern of the route, or null when none matched. */
  readonly route: string | null;
  /** Without the query, which may hold a person's whereabouts or a token, and without what is private in the path. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly client: string;
  /** Whether the client went away before the answer was complete. */
  readonly aborted: boolean;
}

type Fields = Readonly<Record<string, string | number | boolean | null>>;

type Log = (message: string, fields?: Fields) => void;

export interface Logger extends Readonly<Record<Exclude<LogLevel, 'silent'>, Log>> {
  readonly access: (entry: AccessEntry) => void;
}

const LEVELS: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40, silent: 99 };
const MAX_STRING = 1024;

/** A logger that writes whole lines, JSON or pretty, of its level and above. */
export function createLogger(options: LoggerOptions): Logger {
  const threshold = LEVELS[options.level];
  const clock = createClock();

  function line(level: Exclude<LogLevel, 'silent'>, message: string, fields: Fields = {}): void {
    if (LEVELS[level] < threshold) return;
    const time = new Date().toISOString();
    const cut = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortened(value)]));
    if (options.pretty) {
      const rest = Object.entries(cut).map(([name, value]) => `${name}=${String(value)}`);
      options.write(`${escapeControls([time.slice(11, 19), level, message, ...rest].join(' '))}\n`);
    } else options.write(`${JSON.stringify({ time, level, message: shortened(message), ...cut })}\n`);
  }

  function access(entry: AccessEntry): void {
    if (LEVELS.info < threshold) return;
    const time = clock();
    const { id, offered, method, route, status, ms, bytes, client, aborted } = entry;
    const path = shortened(entry.path);
    if (options.pretty) {
      const ids = offered === null ? [id] : [id, offered];
      const words = [time.slice(11, 19), method, path, status, `${ms}ms`, `${bytes}B`, client, ...ids];
      options.write(`${escapeControls([...words, ...(aborted ? ['aborted'] : [])].join(' '))}\n`);
      return;
    }
    // Put together by hand, which takes a third of the time: only the path may hold what JSON has to escape.
    const ids = `"id":"${id}"${offered === null ? '' : `,"offered":"${offered}"`}`;
    const request = `${ids},"method":"${method}","route":${route === null ? 'null' : `"${route}"`}`;
    const result = `"status":${status},"ms":${ms},"bytes":${bytes},"client":"${client}"${aborted ? ',"aborted":true' : ''}`;
    options.write(
      `{"time":"${time}","level":"info","message":"request",${request},"path":${JSON.stringify(path)},${result}}\n`,
    );
  }

  return {
    debug: line.bind(null, 'debug'),
    info: line.bind(null, 'info'),
    warn: line.bind(null, 'warn'),
    error: line.bind(null, 'error'),
    access,
  };
}

/** The time in ISO 8601, which is made once a millisecond. */
function createClock(): () => string {
  let known = NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== known) text = new Date(now).toISOString();
    known = now;
    return text;
  };
}

function shortened<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value;
}

/** Text that cannot steer a terminal: control characters, line separators and bidi marks become `\u{…}`. */
export function escapeControls(text: string): string {
  return text.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A request and its answer, as far as its line is concerned. */
export interface LoggedExchange extends Pick<AccessEntry, 'id' | 'offered'> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** By the monotonic clock. */
  readonly started: number;
  readonly client: { readonly address: string };
  /** As in its line. */
  route: AccessEntry['route'];
}

// The rest of such a path names a place that a person wants to visit, or an account, or is itself a secret.
const PRIVATE_PATH = new RegExp(
  `^((?:/api)?/(?:${[
    ...['lists', 'visits', 'me', 'outings', 'users', 'invitations', 'auth/sessions', 'auth/tokens'],
    ...['shared', 'feeds', 'l', 'o'],
  ].join('|')}))/.`,
  'i',
);

/** The path of a target as the log shows it, however it was written. */
export function loggedPath(url: string): string {
  const path = pathOf(url);
  const [, open] = PRIVATE_PATH.exec(decodedPath(path).replace(/\/{2,}/g, '/')) ?? [];
  return open === undefined ? path : `${open}/…`;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Only what is sound reaches a route.
    return path;
  }
}

/** The entry of a request whose answer is complete, or broke off. */
export function accessEntry(
  { id, offered, request, response, started, client, route }: LoggedExchange,
  bytes: number,
): AccessEntry {
  return {
    id,
    offered,
    method: request.method ?? '',
    route,
    path: loggedPath(request.url ?? ''),
    status: response.statusCode,
    ms: Math.round((performance.now() - started) * 100) / 100,
    bytes,
    client: client.address,
    aborted: !response.writableFinished,
  };
}
