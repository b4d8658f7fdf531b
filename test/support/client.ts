import type { Exchange } from './conformance.ts';

type Texts = Readonly<Record<string, string>>;

/** An answer: the body parsed when it is JSON, else as text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Speaks JSON with a service; paths are under /api. */
export interface Client {
  readonly get: (path: string, headers?: Texts) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Texts) => Promise<Answer>;
  readonly put: (path: string, body: unknown, headers?: Texts) => Promise<Answer>;
  readonly patch: (path: string, body: unknown, headers?: Texts) => Promise<Answer>;
  readonly delete: (path: string, headers?: Texts) => Promise<Answer>;
  /** Anything else; the path is absolute. */
  readonly send: (path: string, init: RequestInit) => Promise<Answer>;
}

/** A client of the service at `url` that sends `own` headers with every request and shows `see` every answer. */
export function createClient(
  url: string,
  own: Texts = {},
  see: (exchange: Exchange) => void = () => undefined,
): Client {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(own)) if (!headers.has(name)) headers.set(name, value);
    const response = await fetch(url + path, { redirect: 'manual', ...init, headers });
    const text = await response.text();
    const { method = 'GET' } = init;
    const { status } = response;
    see({ method, path, status, headers: [...response.headers], body: Buffer.from(text) });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    return { status, headers: response.headers, body };
  }
  const withBody =
    (method: string) =>
    (path: string, body: unknown, headers: Texts = {}): Promise<Answer> =>
      send(`/api${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
  return {
    send,
    get: (path, headers = {}) => send(`/api${path}`, { headers }),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: (path, headers = {}) => send(`/api${path}`, { method: 'DELETE', headers }),
  };
}

/** The body of an answer. Throws when it is a refusal. */
export function bodyOf({ status, body }: Answer): unknown {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The id of what a request has made. Throws when it was refused. */
export function idOf(answer: Answer): number {
  return Number(field(bodyOf(answer), 'id'));
}

/** A JSON object. Throws when `value` is none. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`not an object: ${JSON.stringify(value)}`);
  return { ...value };
}

/** The field of a JSON object. Throws when `value` is none or lacks it. */
export function field(value: unknown, name: string): unknown {
  const fields = record(value);
  if (!Object.hasOwn(fields, name)) throw new Error(`no field "${name}" in ${JSON.stringify(value)}`);
  return fields[name];
}

/** A JSON array. Throws when `value` is none. */
export function array(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`not an array: ${JSON.stringify(value)}`);
  return value;
}

/** The text of a JSON object's field. Throws when it is none. */
export function textOf(value: unknown, name: string): string {
  const found = field(value, name);
  if (typeof found !== 'string') throw new Error(`"${name}" is no text in ${JSON.stringify(value)}`);
  return found;
}

/** The values of headers by their names, null where there is none. */
export function headerValues(
  { headers }: { readonly headers: Headers },
  ...names: readonly string[]
): (string | null)[] {
  return names.map((name) => headers.get(name));
}

/** The ids of an array of records, in order. */
export function ids(value: unknown): number[] {
  return array(value).map((element) => Number(field(element, 'id')));
}
