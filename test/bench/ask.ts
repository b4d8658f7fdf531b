import { request } from 'node:http';
import { array, field, ids, record } from '../support/client.ts';
import type { BenchRequest } from './plan.ts';

/** An answer with its body. */
export interface Asked {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends one request to a server on this machine. Throws when there is none. */
export function ask(port: number, { method, path, body }: BenchRequest): Promise<Asked> {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path, headers, agent: false };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** How alike two servers' answers have to be: the same ids in the same order, or as many elements. */
export type Likeness = 'ids' | 'count';

/**
 * What an answer has in common with that of another server of the same rows: its status, the fields of its first
 * restaurant or rating, and the ids or their number.
 */
export function outlineOf({ status, body }: Asked, likeness: Likeness): unknown {
  const parsed: unknown = JSON.parse(body.toString());
  const isPage = !Array.isArray(parsed) && 'data' in record(parsed);
  const list = array(isPage ? field(parsed, 'data') : Array.isArray(parsed) ? parsed : [parsed]);
  const fields = list.length === 0 ? [] : Object.keys(record(list[0])).sort();
  const envelope = isPage ? [field(parsed, 'total'), field(parsed, 'has_more')] : [];
  return { status, fields, envelope, found: likeness === 'ids' ? ids(list) : list.length };
}

/** The cursors of all pages of `limit` that a query has, asked for one after the other. Throws when one is refused. */
export async function walkCursors(port: number, query: string, limit: number): Promise<string[]> {
  const cursors: string[] = [];
  for (let more = ''; ;) {
    const path = `/api/restaurants/paginated?limit=${limit}${query}${more}`;
    const { status, body } = await ask(port, { method: 'GET', path });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body.toString()}`);
    const next = field(JSON.parse(body.toString()), 'next_cursor');
    if (typeof next !== 'string') return cursors;
    cursors.push(next);
    more = `&cursor=${next}`;
  }
}
