import { inspect } from 'node:util';
import type { Parsed } from '../kit/input/fields.ts';
import { alreadyExistsText } from '../kit/sentences.ts';
import { DAY_MS } from '../kit/time.ts';
import type { Handling } from './handling.ts';

/**
 * The only error whose message clients see, so the message must be public. Any other error is answered with a fixed
 * sentence.
 */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A short word for the message, where clients have sentences of their own. */
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code?: string,
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

/** The client has closed its connection. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
  override readonly message = 'client went away';
}

/** 400 with the faults of the request, joined by `; `. */
export function badRequest(...faults: readonly string[]): HttpError {
  return new HttpError(400, faults.join('; '));
}

/** 401: the caller is unknown. */
export function unauthorized(message: string): HttpError {
  return new HttpError(401, message, { 'WWW-Authenticate': 'Bearer' });
}

/** 403: the caller is known but not allowed. */
export function forbidden(message: string): HttpError {
  return new HttpError(403, message);
}

/** 404 naming the kind of the missing record, such as `Restaurant`. */
export function notFound(noun: string, headers: Readonly<Record<string, string>> = {}): HttpError {
  return new HttpError(404, `${noun} not found`, headers);
}

/** The record that was looked up. Throws 404 if there is none. */
export function requireFound<Found>(record: Found | undefined, noun: string): Found {
  if (record === undefined) throw notFound(noun);
  return record;
}

/** The status for a request that arrives too slowly. */
export const REQUEST_TIMEOUT = 408;

/** 408: the headers or the body arrived too slowly. */
export function requestTimeout(): HttpError {
  return new HttpError(REQUEST_TIMEOUT, 'Request took too long to arrive');
}

/** 409: the record already exists, or its state forbids the change. */
export function conflict(message: string): HttpError {
  return new HttpError(409, message);
}

/** 409 naming the conflicting record. */
export function alreadyExists(noun: string, of: { readonly id: number; readonly name: string }): HttpError {
  return conflict(alreadyExistsText(noun, of));
}

/** The result of a store's write; undefined if the record does not exist. */
type WriteOutcome<Stored> =
  | { readonly outcome: 'done'; readonly record: Stored }
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] }
  | {
      readonly outcome: 'duplicate';
      readonly of: { readonly id: number; readonly name: string };
      /** The kind of the other record, if it may differ. */
      readonly noun?: string;
    };

/** The record that a write stored. Throws 400, 404 or 409 if nothing was stored. */
export function requireStored<Stored>(outcome: WriteOutcome<Stored> | undefined, noun: string): Stored {
  if (!outcome) throw notFound(noun);
  if (outcome.outcome === 'done') return outcome.record;
  if (outcome.outcome === 'invalid') throw badRequest(...outcome.faults);
  throw alreadyExists(outcome.noun ?? noun, outcome.of);
}

/** 413 for a body over `limit` bytes, a whole number of kilobytes; `advice` suggests a remedy. */
export function payloadTooLarge(limit: number, advice?: string): HttpError {
  const size = limit < MEGABYTE ? `${String(limit / 1024)} KB` : `${String(limit / MEGABYTE)} MB`;
  return new HttpError(
    413,
    `Request body is larger than ${size}${advice === undefined ? '' : `; ${advice}`}`,
  );
}

export const MEGABYTE = 1024 * 1024;

/** 429 with `Retry-After`. */
export function rateLimited(seconds: number): HttpError {
  return new HttpError(429, 'Rate limit exceeded. Please try again later.', {
    'Retry-After': String(seconds),
  });
}

/** 429 with the time until the next day begins in UTC. */
export function addedTooMuch(megabytes: number): HttpError {
  const seconds = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000);
  return new HttpError(429, `You have added ${megabytes} MB today`, { 'Retry-After': String(seconds) });
}

/** 503 with `Retry-After`. */
export function unavailable(message: string, seconds: number): HttpError {
  return new HttpError(503, message, { 'Retry-After': String(seconds) });
}

/**
 * The value of a parser's result. Unknown names in it are faults in a strict request, and otherwise recorded for a
 * warning. Throws 400 with all faults, including those that `findMore` then returns.
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

/** An error as log fields. */
export function described(error: unknown): { error: string; stack: string } {
  return error instanceof Error
    ? { error: error.message, stack: error.stack ?? '' }
    : { error: inspect(error), stack: '' };
}
