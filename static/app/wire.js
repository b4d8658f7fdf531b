/** @import { Answer } from './api.js' */
/** @import { Fault } from './types.js' */

/**
 * What a refusal says.
 * @param {Answer} answer
 * @returns {Fault}
 */
export function faultOfAnswer({ status, headers, body }) {
  const retryAfter = headers.get('retry-after');
  return {
    status,
    message: typeof body?.error === 'string' ? body.error : `HTTP ${status}`,
    requestId: headers.get('x-request-id'),
    retryAfter: retryAfter === null ? null : Number(retryAfter),
  };
}

/**
 * Sends as `fetch` does, which cannot tell how much of a body was sent.
 * @param {(share: number) => void} onSent
 * @returns {(url: string, init: RequestInit) => Promise<Response>}
 */
export const sendCounted = (onSent) => (url, init) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? 'POST', url);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total);
    request.onerror = reject;
    request.onabort = reject;
    request.onload = () => {
      const lines = request.getAllResponseHeaders().trim().split('\r\n');
      const headers = lines.map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/, 2)));
      resolve(new Response(request.responseText || null, { status: request.status, headers }));
    };
    init.signal?.addEventListener('abort', () => request.abort());
    request.send(/** @type {FormData} */ (init.body));
  });

/**
 * Reads JSON; undefined where there is none.
 * @param {Response} response
 */
export async function readBody(response) {
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
 * @param {Response} response
 * @param {(line: any) => void} onLine
 * @returns {Promise<unknown>} the last line
 */
export async function readLines(response, onLine) {
  /** @type {unknown} */
  let last;
  const rest = await readParts(response, '\n', (line) => onLine((last = JSON.parse(line))));
  return rest === '' ? last : JSON.parse(rest);
}

/**
 * Reads a text as it arrives, part by part.
 * @param {Response} response
 * @param {string} separator
 * @param {(part: string) => void} onPart
 * @returns {Promise<string>} what stands behind the last separator
 */
export async function readParts(response, separator, onPart) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split(separator);
    rest = parts.pop() ?? '';
    for (const part of parts) onPart(part);
    if (done) return rest;
  }
}
