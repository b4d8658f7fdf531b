import { trust } from './trust.js';
import { faultOfAnswer, readBody, readLines, sendCounted } from './wire.js';
import type { Answer } from './wire.js';
import type { Fault } from './types.js';

const TIME_LIMIT = 10_000;
// Below so many calls left, all slow down.
const FEW_LEFT = 5;
const LONGEST_WAIT = 30;

/** The address of the settings of the app, which the page preloads. */
export const CONFIG = '/app-config';

export interface CallOptions {
  /** JSON, or a FormData */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** milliseconds until it is given up; 0 for never */
  limit?: number;
  withoutToken?: boolean;
  /** a busy service is not asked a second time */
  withoutRetry?: boolean;
  /** is told how much of the body was sent, 0 to 1 */
  onSent?: (share: number) => void;
  /** gets each line of an answer in NDJSON */
  onLine?: (line: unknown) => void;
}

/** A request that failed or was refused. */
export class ApiFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** What is known of a request without an answer. */
export const UNREACHABLE: Fault = { status: 0, message: '', requestId: null, retryAfter: null };

/**
 * Why a request failed.
 * @param error what `call` threw
 */
export const faultOf = (error: unknown): Fault =>
  error instanceof ApiFault ? error.fault : { ...UNREACHABLE, message: String(error) };

let tokenSource: (refused?: string) => Promise<string | undefined> = () => Promise.resolve(undefined);
let waitUntil = 0;

/** Sets where access tokens come from; it is asked for another one than `refused`. */
export function setTokenSource(source: (refused?: string) => Promise<string | undefined>) {
  tokenSource = source;
}

/**
 * The access token for a request that `call` cannot make; undefined where there is none.
 * @param refused the last one, where that was refused
 */
export const accessToken = (refused?: string) => tokenSource(refused);

/** The writes of this page by their ids in the log: what they altered is on the screen already. */
export const ownWrites = new Set<number>();

/** @param time milliseconds */
export const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Sends one request below /api. A 401 is tried once more with a renewed token, a 429 after its time where that is short.
 * @param path below /api, with its query
 * @throws {ApiFault} for every answer but 2xx and 304, and with status 0 where there is none
 */
export async function call<Body = unknown>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body>> {
  const tokenOf = () => (options.withoutToken ? undefined : tokenSource());
  const token = await tokenOf();
  let answer = await sendOnce(method, path, options, token);
  if (answer.status === 401 && token !== undefined) {
    const another = await tokenSource(token);
    if (another !== undefined) answer = await sendOnce(method, path, options, another);
  }
  const seconds = Number(answer.headers.get('retry-after') ?? 1);
  // A longer time is that of failed sign-ins, which is no matter of all other requests.
  if (answer.status === 429 && seconds <= LONGEST_WAIT) {
    waitUntil = Math.max(waitUntil, Date.now() + seconds * 1000);
    if (!options.withoutRetry) answer = await sendOnce(method, path, options, await tokenOf());
  }
  if (answer.status >= 400) throw new ApiFault(faultOfAnswer(answer));
  return { ...answer, body: trust(answer.body) };
}

/**
 * Reads a file of the app itself.
 * @throws where it cannot be had
 */
export async function ownFile(name: string) {
  const response = await fetch(`${document.documentElement.dataset.base}/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.blob();
}

async function sendOnce(
  method: string,
  path: string,
  { body, headers, signal, limit = TIME_LIMIT, onSent, onLine }: CallOptions,
  token: string | undefined,
): Promise<Answer> {
  for (let pause = waitUntil - Date.now(); pause > 0; pause = waitUntil - Date.now()) await sleep(pause);
  const signals = [...(signal ? [signal] : []), ...(limit ? [AbortSignal.timeout(limit)] : [])];
  // A POST without content is JSON, too.
  const content = body ?? (method === 'POST' ? {} : undefined);
  const send = onSent ? sendCounted(onSent) : fetch;
  try {
    const response = await send(`/api${path}`, {
      method,
      headers: {
        ...(content !== undefined &&
          !(content instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...headers,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: content instanceof FormData ? content : content === undefined ? null : JSON.stringify(content),
      signal: AbortSignal.any(signals),
      // The app has a cache of its own, which knows users apart.
      cache: 'no-store',
      credentials: 'same-origin',
    });
    slowDown(response.headers);
    const write = response.headers.get('change');
    if (write !== null) ownWrites.add(Number(write));
    const read = onLine && response.ok ? await readLines(response, onLine) : await readBody(response);
    return { status: response.status, headers: response.headers, body: read };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFault(UNREACHABLE);
  }
}

/** Waits for one more call to be allowed where few are left, so that none is refused. */
function slowDown(headers: Headers) {
  const read = (name: string) => Number(headers.get(`ratelimit-${name}`) ?? NaN);
  const left = read('remaining');
  if (!(left < FEW_LEFT)) return;
  const pause = (1000 * read('reset')) / Math.max(1, read('limit') - left);
  waitUntil = Math.max(waitUntil, Date.now() + pause);
}
