import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { bearing } from './accounts.ts';
import { FORM_TYPE } from './photos.ts';
import type { Service } from './service.ts';

/** A request that writes; its path is under /api. */
export interface Request {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A status, and the body as text. */
export interface Outcome {
  readonly status: number;
  readonly body: string;
}

/** Sends a request; `arriving` runs once the service has let the caller in and waits for the body. */
export async function send(
  { port }: Service,
  { method, path, body, headers = {} }: Request,
  token: string,
  arriving?: () => void | Promise<void>,
): Promise<Outcome> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path: `/api${path}`,
      agent: false,
      headers: {
        ...headers,
        ...bearing(token),
        ...(body !== undefined && { 'Content-Type': Buffer.isBuffer(body) ? FORM_TYPE : 'application/json' }),
        ...(body !== undefined && { 'Content-Length': bytes.length }),
        ...(arriving && { Expect: '100-continue' }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body });
      }, reject);
    });
    if (arriving) {
      outgoing.flushHeaders();
      outgoing.on('continue', () => {
        Promise.resolve(arriving()).then(() => outgoing.end(bytes), reject);
      });
    } else outgoing.end(bytes);
  });
}
