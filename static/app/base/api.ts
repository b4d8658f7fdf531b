import { fill, texts } from './texts.js';
import { type Fault, isRecord, trust } from './types.js';

const TIME_LIMIT = 10_000;
// With fewer calls left than this, requests slow down.
const FEW_LEFT = 5;
const LONGEST_WAIT = 30;
// They begin and end sessions, and an old token must not be in their way.
const WITHOUT_TOKEN = /^\/auth\/(?:login|register|password-reset|invitation|refresh|logout)$/;

/** The address of the settings of the app, which the page preloads. */
export const CONFIG = '/app-config';

export interface CallOptions {
  /** JSON, or a FormData */
  body?: unknown;
  /** of a POST, by which the service knows one that it got already */
  key?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal;
  /** the caller waits for a busy service by itself */
  withoutRetry?: boolean;
  /** called with how much of the body was sent, 0 to 1 */
  onSent?: ((share: number) => void) | undefined;
  /** gets each line of the answer as it arrives, the last of which is the body */
  onLine?: ((line: string) => void) | undefined;
}

/** What is known of a request without an answer. */
export const UNREACHABLE: Fault = { status: 0, message: '', requestId: null, retryAfter: null };

/** Why a request failed, by what `call` threw. */
export const faultOf = (error: unknown): Fault =>
  error instanceof Error && error.cause ? trust(error.cause) : { ...UNREACHABLE, message: String(error) };

/** Reasons by the status of an answer. */
export type Reasons = Readonly<Record<number, string>>;

/** Why a request failed, in the reader's language; `own` are reasons where it was made, in place of the common ones. */
export function faultText({ status, message }: Pick<Fault, 'status' | 'message'>, own: Reasons = {}) {
  const { statuses, busy } = texts.common.failed;
  const common: Reasons = statuses;
  const cause = causeOf(message) ?? own[status];
  if (cause !== undefined) return cause;
  return message.endsWith(' under way') ? busy : (common[status] ?? common[status < 500 ? 400 : 500] ?? '');
}

/** What the API refuses in the same words at several places. */
export function causeOf(message: string) {
  const { full, address } = texts.common.failed;
  const { exists, readOnly } = texts.add;
  const name = / already exists: "(.*)" \(id \d+\)/.exec(message)?.[1];
  if (name !== undefined) return fill(exists, { name });
  if (message.startsWith('This is a read-only replica')) return readOnly;
  if (/^At most |^A \w+ has at most /.test(message)) return full;
  return /^Origin is not allowed|^Cookie sessions/.test(message) ? address : undefined;
}

/** Where access tokens come from: another one than `refused`, undefined where there is none. */
export const tokens: { source: (refused?: string) => Promise<string | undefined> } = {
  source: () => Promise.resolve(undefined),
};

/** The writes of this page by their ids in the log: what they altered is on the screen already. */
export const ownWrites = new Set<number>();

let waitUntil = 0;

/** @param time milliseconds */
export const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Sends one request below /api. A 401 is tried once more with a renewed token, a 429 after its time where that is short.
 * @param path below /api, with its query
 * @throws for every answer but 2xx and 304, and where there is none; `faultOf` says why
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `trust`
export async function call<Body = unknown>(method: string, path: string, options: CallOptions = {}) {
  const send = (token: string | undefined) => sendOnce(method, path, options, token);
  const tokenOf = () => (WITHOUT_TOKEN.test(path) ? undefined : tokens.source());
  const token = await tokenOf();
  let answer = await send(token);
  const another = answer.status === 401 && token ? await tokens.source(token) : undefined;
  if (another !== undefined) answer = await send(another);
  const seconds = Number(answer.headers.get('retry-after') ?? 1);
  // A longer time is that of failed sign-ins, which does not concern other requests.
  if (answer.status === 429 && seconds <= LONGEST_WAIT && !options.withoutRetry) {
    waitUntil = Math.max(waitUntil, Date.now() + seconds * 1000);
    answer = await send(await tokenOf());
  }
  const { status, headers, body } = answer;
  if (status < 400) return { status, headers, body: trust<Body>(body) };
  const said = isRecord(body) ? body : {};
  const message = typeof said.error === 'string' ? said.error : `HTTP ${status}`;
  const code = typeof said.code === 'string' ? said.code : undefined;
  const retryAfter = headers.has('retry-after') ? seconds : null;
  const instead = /^<\/api(\/[^>]+)>; rel="canonical"/.exec(headers.get('link') ?? '')?.[1];
  const cause: Fault = { status, message, requestId: headers.get('x-request-id'), retryAfter, instead, code };
  throw new Error(message, { cause });
}

/** Reads a file of the app itself, or throws. */
export async function ownFile(name: string) {
  const response = await fetch(`${document.documentElement.dataset.base}/${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.blob();
}

async function sendOnce(method: string, path: string, options: CallOptions, token: string | undefined) {
  const { body, key, headers, signal, onSent, onLine } = options;
  for (let pause = waitUntil - Date.now(); pause > 0; pause = waitUntil - Date.now()) await sleep(pause);
  const isForm = body instanceof FormData;
  // A POST without content is JSON, too.
  const json = isForm || (body === undefined && method !== 'POST') ? null : JSON.stringify(body ?? {});
  const limit = isForm || onLine ? [] : [AbortSignal.timeout(TIME_LIMIT)];
  const send = onSent ? sendCounted(onSent) : fetch;
  try {
    const response = await send(`/api${path}`, {
      method,
      headers: {
        ...(json !== null && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && method === 'POST' && { 'Idempotency-Key': key }),
        ...headers,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: isForm ? body : json,
      signal: AbortSignal.any([...(signal ? [signal] : []), ...limit]),
      // The app has its own cache, which keeps users apart.
      cache: 'no-store',
    });
    slowDown(response.headers);
    const write = response.headers.get('change');
    if (write !== null) ownWrites.add(Number(write));
    const text = onLine && response.ok ? await readLines(response, onLine) : await response.text();
    // A proxy in between may answer in its own words.
    const read: unknown = await new Response(text).json().catch(() => undefined);
    return { status: response.status, headers: response.headers, body: read };
  } catch (error) {
    throw signal?.aborted ? error : new Error('', { cause: UNREACHABLE });
  }
}

/** Waits for one more call to be allowed where few are left, so that none is refused. */
function slowDown(headers: Headers) {
  const read = (name: string) => Number(headers.get(`ratelimit-${name}`) ?? NaN);
  const left = read('remaining');
  const pause = (1000 * read('reset')) / Math.max(1, read('limit') - left);
  if (left < FEW_LEFT) waitUntil = Math.max(waitUntil, Date.now() + pause);
}

/** Sends as `fetch` does, which cannot tell how much of a body was sent. */
const sendCounted = (onSent: (share: number) => void) => (url: string, init: RequestInit) =>
  new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? 'POST', url);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
    request.onerror = reject;
    request.onload = () => {
      const lines = [...request.getAllResponseHeaders().matchAll(/^(.+?): (.*)$/gm)];
      const headers = lines.map(([, name = '', value = '']): [string, string] => [name, value]);
      resolve(new Response(request.responseText || null, { status: request.status, headers }));
    };
    request.send(init.body instanceof FormData ? init.body : null);
  });

/** @returns the last line */
async function readLines(response: Response, onLine: (line: string) => void) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, last] = ['', ''];
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine((last = line));
  }
  return rest || last;
}
