import { isRecord } from './trust.js';
import type { Fault } from './types.js';

/** An answer of the API. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

/** What a refusal says. */
export function faultOfAnswer({ status, headers, body }: Answer): Fault {
  const retryAfter = headers.get('retry-after');
  return {
    status,
    message: isRecord(body) && typeof body.error === 'string' ? body.error : `HTTP ${status}`,
    requestId: headers.get('x-request-id'),
    retryAfter: retryAfter === null ? null : Number(retryAfter),
  };
}

/** Sends as `fetch` does, which cannot tell how much of a body was sent. */
export const sendCounted =
  (onSent: (share: number) => void): ((url: string, init: RequestInit) => Promise<Response>) =>
  (url, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init.method ?? 'POST', url);
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
      request.onerror = reject;
      request.onabort = reject;
      request.onload = () => {
        const lines = request.getAllResponseHeaders().trim().split('\r\n');
        const headers = new Headers();
        for (const line of lines) {
          const [name = '', value = ''] = line.split(/: (.*)/, 2);
          if (name) headers.append(name, value);
        }
        resolve(new Response(request.responseText || null, { status: request.status, headers }));
      };
      init.signal?.addEventListener('abort', () => request.abort());
      request.send(init.body instanceof FormData ? init.body : null);
    });

/** Reads JSON; undefined where there is none. */
export async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    // A proxy in between answers in its own words.
    return undefined;
  }
}

/**
 * Reads lines of JSON as they arrive.
 * @returns the last line
 */
export async function readLines(response: Response, onLine: (line: unknown) => void): Promise<unknown> {
  let last: unknown;
  const rest = await readParts(response, '\n', (line) => onLine((last = JSON.parse(line))));
  return rest === '' ? last : JSON.parse(rest);
}

/**
 * Reads a text as it arrives, part by part.
 * @returns what stands behind the last separator
 */
export async function readParts(
  response: Response,
  separator: string,
  onPart: (part: string) => void,
): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  while (reader) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split(separator);
    rest = parts.pop() ?? '';
    for (const part of parts) onPart(part);
    if (done) break;
  }
  return rest;
}
