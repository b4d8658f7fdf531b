import { inspect } from 'node:util';
import type { Parsed } from '../kit/input/fields.ts';
import { alreadyExistsText } from '../kit/sentences.ts';
import type { Handling } from './handling.ts';

/**
 * The only error whose text reaches a client: its message is public by construction.
 * Everything else that is thrown is answered with a constant sentence.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** The client has closed its connection. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  override readonly message = 'client went away';
}

/** 400: the request is at fault and the message says how; several faults are joined by `; `. */
export function badRequest(...faults: readonly string[]): HttpError {
  return new HttpError(400, faults.join('; '));
}

/** 401: the caller is not known. */
export function unauthorized(message: string): HttpError {
  return new HttpError(401, message, { 'WWW-Authenticate': 'Bearer' });
}

/** 403: the caller is known, and not allowed. */
export function forbidden(message: string): HttpError {
  return new HttpError(403, message);
}

/** 404 with the kind of the missing record, such as `Restaurant`. */
export function notFound(noun: string, headers: Readonly<Record<string, string>> = {}): HttpError {
  return new HttpError(404, `${noun} not found`, headers);
}

/** The status of a request that came too slowly. */
export const REQUEST_TIMEOUT = 408;

/** 408: the headers or the body came too slowly. */
export function requestTimeout(): HttpError {
  return new HttpError(REQUEST_TIMEOUT, 'Request took too long to arrive');
}

/** 409: the record exists already, or its state forbids the change. */
export function conflict(message: string): HttpError {
  return new HttpError(409, message);
}

/** 409 with the record that is in the way. */
export function alreadyExists(noun: string, of: { readonly id: number; readonly name: string }): HttpError {
  return conflict(alreadyExistsText(noun, of));
}

/** The outcome of a store's write; undefined where there is no such record. */
type WriteOutcome<Stored> =
  | { readonly outcome: 'done'; readonly record: Stored }
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] }
  | {
      readonly outcome: 'duplicate';
      readonly of: { readonly id: number; readonly name: string };
      /** The noun of the other record, where it may be of another kind. */
      readonly noun?: string;
    };

/** The record that a write has stored. Throws 400, 404 or 409 when it has stored none. */
export function requireStored<Stored>(outcome: WriteOutcome<Stored> | undefined, noun: string): Stored {
  if (!outcome) throw notFound(noun);
  if (outcome.outcome === 'done') return outcome.record;
  if (outcome.outcome === 'invalid') throw badRequest(...outcome.faults);
  throw alreadyExists(outcome.noun ?? noun, outcome.of);
}

/** 413 for a body over `limit` bytes, which are whole kilobytes; `advice` says what to do about it. */
export function payloadTooLarge(limit: number, advice?: string): HttpError {
  const size = limit < MEGABYTE ? `${String(limit / 1024)} KB` : `${String(limit / MEGABYTE)} MB`;
  return new HttpError(
    413,
    `Request body is larger than ${size}${advice === undefined ? '' : `; ${advice}`}`,
  );
}

const MEGABYTE = 1024 * 1024;

/** 415, naming the media type that the route expects. */
export function unsupportedMediaType(message: string): HttpError {
  return new HttpError(415, message);
}

/** 429, with a `Retry-After` of `seconds`. */
export function rateLimited(seconds: number): HttpError {
  return new HttpError(429, 'Rate limit exceeded. Please try again later.', {
    'Retry-After': String(seconds),
  });
}

/** 503 with a `Retry-After` of `seconds`. */
export function unavailable(message: string, seconds: number): HttpError {
  return new HttpError(503, message, { 'Retry-After': String(seconds) });
}

/**
 * The value of a parser's result. Unknown names in it are faults for a strict request, and are noted for a warning
 * otherwise. Throws 400 with all faults, and those that `findMore` finds then.
 */
export function requireValid<Value>(
  result: Parsed<Value>,
  { handling }: { readonly handling: Handling },
  findMore: () => readonly string[] = () => [],
): Value {
  const { unknown } = result;
  const strict = handling.isStrict ? (unknown?.sentences ?? []) : [];
  if (result.ok && strict.length === 0) {
    if (unknown) handling.note(unknown);
    return result.value;
  }
  const faults = result.ok ? [] : result.faults;
  throw badRequest(...new Set([...faults, ...findMore(), ...strict]));
}

/** An error as the log has it. */
export function described(error: unknown): { error: string; stack: string } {
  return error instanceof Error
    ? { error: error.message, stack: error.stack ?? '' }
    : { error: inspect(error), stack: '' };
}
