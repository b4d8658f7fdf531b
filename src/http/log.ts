import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './router.ts';
import { pathOf } from './target.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The log line of one request. */
export interface AccessEntry {
  readonly id: string;
  /** The id that the client chose, which its response carries; null if that is `id`. */
  readonly offered: string | null;
  readonly method: string;
  /** The pattern of the route; null if none matched. */
  readonly route: string | null;
  /** Without the query, which may contain a location or a token, and without private parts of the path. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly client: string;
  /** True if the client left before the response was complete. */
  readonly aborted: boolean;
}

type Fields = Readonly<Record<string, string | number | boolean | null>>;
type Log = (message: string, fields?: Fields) => void;

export interface Logger extends Readonly<Record<Exclude<LogLevel, 'silent'>, Log>> {
  readonly access: (entry: AccessEntry) => void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Readable text for a terminal instead of one JSON object a line. */
  readonly pretty: boolean;
  readonly write: (line: string) => void;
}

const LEVELS: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40, silent: 99 };
const MAX_STRING = 1024;

/** A logger that writes lines of `level` and above, as JSON or text. */
export function createLogger({ level: least, pretty, write }: LoggerOptions): Logger {
  const threshold = LEVELS[least];
  const log =
    (level: Exclude<LogLevel, 'silent'>): Log =>
    (message, fields = {}) => {
      if (LEVELS[level] < threshold) return;
      const time = new Date().toISOString();
      const cut = Object.entries(fields).map(([name, value]) => [name, shortened(value)] as const);
      if (pretty)
        writeWords([
          time.slice(11, 19),
          level,
          message,
          ...cut.map(([name, value]) => `${name}=${String(value)}`),
        ]);
      else writeJson({ time, level, message: shortened(message), ...Object.fromEntries(cut) });
    };

  function access(entry: AccessEntry): void {
    if (LEVELS.info < threshold) return;
    const time = new Date().toISOString();
    const { id, offered, method, route, status, ms, bytes, client, aborted } = entry;
    const path = shortened(entry.path);
    if (pretty) {
      const request = [time.slice(11, 19), method, path, status, `${ms}ms`, `${bytes}B`, client, id];
      writeWords([...request, offered ?? [], aborted ? 'aborted' : []].flat());
      return;
    }
    writeJson({
      time,
      level: 'info',
      message: 'request',
      id,
      // Undefined fields are left out.
      offered: offered ?? undefined,
      method,
      route,
      path,
      status,
      ms,
      bytes,
      client,
      aborted: aborted || undefined,
    });
  }

  function writeWords(words: readonly (string | number)[]): void {
    write(`${escapeControls(words.join(' '))}\n`);
  }

  function writeJson(line: object): void {
    write(`${JSON.stringify(line)}\n`);
  }

  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), access };
}

function shortened<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value;
}

/** Makes text safe for a terminal: control characters, line separators and bidi marks become `\u{…}`. */
export function escapeControls(text: string): string {
  return text.replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// A parameter identifies a place that a person wants to visit, or an account, or is a secret.
const FROM_PARAMETER = /\/[:*].*/;
// All secrets have at least 43 characters of base64url. A number in a path that no route takes may be a misspelt parameter.
const SECRET = /[\w-]{43,}/g;
const SECRET_OR_NUMBER = /[\w-]{43,}|\d+/g;
const ESCAPED = /%(?:25)*([0-9a-f]{2})/gi;

/** The path of a target for the log. */
function loggedPath(url: string, row: Route | undefined): string {
  if (row && (row.answers !== 'public' || row.hidesPath)) return row.pattern.replace(FROM_PARAMETER, '/…');
  const path = pathOf(url);
  const plain = path.replace(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  const open = plain.replace(row ? SECRET : SECRET_OR_NUMBER, '…');
  return open === plain ? path : open;
}

/** The facts for the log line of a request. */
export interface LoggedExchange extends Pick<AccessEntry, 'id' | 'offered' | 'route'> {
  /** The row of the route table by which the request was treated; undefined if its path has none. */
  readonly row?: Route | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** On the monotonic clock. */
  readonly started: number;
  readonly client: { readonly address: string };
}

/** The log entry of a request whose response is complete or broke off. */
export function accessEntry(exchange: LoggedExchange, bytes: number): AccessEntry {
  const { id, offered, request, response, started, client, route, row } = exchange;
  return {
    id,
    offered,
    method: request.method ?? '',
    route,
    path: loggedPath(request.url ?? '', row),
    status: response.statusCode,
    ms: Math.round((performance.now() - started) * 100) / 100,
    bytes,
    client: client.address,
    aborted: !response.writableFinished,
  };
}
