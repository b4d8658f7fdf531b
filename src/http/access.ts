import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessEntry } from './log.ts';

/** The X-Forwarded-For of a request, several as one; undefined when there is none. */
export function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-forwarded-for'];
  return Array.isArray(given) ? given.join(',') : given;
}

/** The path of a request as it was sent, without its query. */
export function requestedPath({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** What an access line tells of a request whose answer is out, or broke off; `started` is by the monotonic clock. */
export function accessEntry(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  started: number,
  told: Pick<AccessEntry, 'id' | 'route' | 'bytes' | 'client'>,
): AccessEntry {
  const { id, route, bytes, client } = told;
  return {
    id,
    method: request.method ?? '',
    route,
    path: requestedPath(request),
    status: response.statusCode,
    ms: Math.round((performance.now() - started) * 100) / 100,
    bytes,
    client,
    aborted: !response.writableFinished,
  };
}
