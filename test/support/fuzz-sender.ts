import { Agent, request } from 'node:http';
import { type Fields, isFields } from './description.ts';
import { type Plan, Raw } from './fuzz-plans.ts';
import { FORM_TYPE, form } from './photos.ts';

/** A request ready to be sent. */
export interface Sendable {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: Buffer;
  /** The JSON value that `content` is of, if any. */
  readonly json?: unknown;
}

/** An answer. */
export interface Received {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Tells what references stand for. */
interface Resolver {
  readonly resolve: (value: unknown) => unknown;
}

// Goes on for an hour.
const STREAM = 'text/event-stream';
// Long enough for a reader to know a value again.
const SHOWN = 200;

/** The request of a plan, with what its references stand for now; a bad token is made of the own one. */
export function ready(plan: Plan, pools: Resolver, ownToken: string): Sendable {
  const path = plan.operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encoded(plan.path[name], pools),
  );
  const query = plan.query.map(([name, value]) =>
    name === '' ? String(pools.resolve(value)) : `${encodeURIComponent(name)}=${encoded(value, pools)}`,
  );
  const { type, content, json } = contentOf(plan, pools);
  const token = { own: `Bearer ${ownToken}`, bad: `Bearer ${ownToken.slice(0, -9)}`, none: undefined }[
    plan.token
  ];
  const given = Object.entries(plan.headers).map(([name, value]): [string, string] => [
    name,
    String(pools.resolve(value)),
  ]);
  const headers: Record<string, string> = {
    ...Object.fromEntries(given),
    ...(token === undefined ? {} : { Authorization: token }),
    ...(type === null ? {} : { 'Content-Type': type }),
    ...(content ? { 'Content-Length': String(content.length) } : {}),
  };
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  return { method: plan.method, target, headers, json, ...(content && { content }) };
}

function encoded(value: unknown, pools: Resolver): string {
  if (value instanceof Raw) return value.text;
  const known = pools.resolve(value);
  const text = Array.isArray(known) ? known.join(',') : String(known);
  return encodeURIComponent(text);
}

function contentOf(
  { body }: Plan,
  pools: Resolver,
): { readonly type: string | null; readonly content?: Buffer; readonly json?: unknown } {
  if (body.kind === 'none') return { type: null };
  if (body.kind === 'bytes') return body;
  if (body.kind === 'form') return { type: FORM_TYPE, content: form(...body.parts) };
  const json = pools.resolve(body.value);
  return { type: body.type, content: Buffer.from(JSON.stringify(json)), json };
}

/** A sender with one connection that it keeps; paths go out as they are. Of a stream it reads the beginning. */
export function createSender(port: number): {
  readonly send: (sendable: Sendable) => Promise<Received>;
  readonly close: () => void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function send({ method, target, headers, content }: Sendable): Promise<Received> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, agent, method, path: target, headers }, (response) => {
        const chunks: Buffer[] = [];
        const done = (): void => {
          const { rawHeaders, statusCode: status = 0 } = response;
          resolve({ status, headers: pairs(rawHeaders), body: Buffer.concat(chunks) });
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (response.headers['content-type'] !== STREAM) return;
          done();
          response.destroy();
        });
        response.on('error', reject);
        response.on('end', done);
      });
      sent.on('error', reject);
      sent.end(content);
    });
  }

  return {
    send,
    close: () => {
      agent.destroy();
    },
  };
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}

/** The value of a header, its name in lower case. */
export function headerOf({ headers }: Received, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

/** The JSON of a body; undefined when it is none. */
export function jsonOf({ headers, body }: Received): unknown {
  const isJson = headers.some(
    ([name, value]) => /^content-type$/i.test(name) && value.startsWith('application/json'),
  );
  return isJson && body.length > 0 ? parse(body) : undefined;
}

/** The request as a line for a shell, long values cut. */
export function asCurl({ method, target, headers, content }: Sendable): string {
  const shown = Object.entries(headers).filter(([name]) => !/^(authorization|content-length)$/i.test(name));
  const parts = [
    `curl -X ${method} '${cut(target)}'`,
    ...shown.map(([name, value]) => `-H '${name}: ${cut(value)}'`),
    ...(content ? [`--data-binary '${cut(content.toString())}'`] : []),
  ];
  return parts.join(' ');
}

function cut(whole: string): string {
  // eslint-disable-next-line no-control-regex
  const text = whole.replaceAll(/[\0-\x1f\x7f]/g, (found) => encodeURIComponent(found));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
}

/** The error message of an answer, or its beginning. */
export function messageOf(received: Received): string {
  const body: Fields = { body: received.body.toString() };
  const json = received.status >= 400 ? jsonOf(received) : undefined;
  return cut(isFields(json) ? String(json['error'] ?? json['status']) : String(body['body']));
}

function parse(body: Buffer): unknown {
  return JSON.parse(body.toString());
}
