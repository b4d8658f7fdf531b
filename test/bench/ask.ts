import { request } from 'node:http';
import { array, field, record } from '../support/client.ts';
import type { BenchRequest } from './plan.ts';

/** An answer with its body. */
export interface Asked {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends one request to a server on this machine. Rejects when there is none. */
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

const DIGITS = 9;

/**
 * An answer as another server of the same rows must give it: its status and JSON, without what is a server's own (the
 * text of a cursor, the id and the times of a rating that was created) and with numbers to nine digits.
 */
export function comparable({ status, body }: Asked): unknown {
  const parsed: unknown = JSON.parse(body.toString(), (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value,
  );
  if (Array.isArray(parsed)) return { status, data: array(parsed) };
  const fields = record(parsed);
  const own = status === 201 ? { id: 0, created_at: '', updated_at: '' } : {};
  const cursor = 'next_cursor' in fields ? { next_cursor: field(parsed, 'next_cursor') !== null } : {};
  return { status, data: { ...fields, ...own, ...cursor } };
}
