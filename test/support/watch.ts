import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pipeline } from '../../src/http/pipeline.ts';
import { type Route, createRouter } from '../../src/http/router.ts';
import { percentDecoded } from '../../src/kit/objects.ts';
import { pathOf, segmentsOf } from '../../src/http/target.ts';
import { decoded } from './bytes.ts';
import { type Exchange, faultsOf } from './conformance.ts';

/** A pipeline whose answers are held against the description. */
export interface Watch {
  readonly pipeline: Pipeline;
  /** A line for each refused request so far, with the answer to it. */
  readonly refused: readonly string[];
  /** Throws when an answer since the last check was not as documented. */
  readonly check: () => void;
}

/** Faults that no check has seen, by their pipelines. */
const unseen: Set<string>[] = [];

// Answers may still go out when the last test has ended, or belong to a service that no test stops.
process.once('exit', () => {
  const faults = unseen.flatMap((own) => [...own]);
  if (faults.length === 0) return;
  process.exitCode = 1;
  console.error(told(faults));
});

function told(faults: readonly string[]): string {
  const lines = [`${faults.length} faults of answers by static/swagger.yaml:`, ...faults.slice(0, 50)];
  return lines.join('\n');
}

/** Watches the answers of a pipeline; `others` are the routes that the description leaves out. */
export function watch(pipeline: Pipeline, others: readonly Route[] = []): Watch {
  const find = createRouter(others);
  const refused: string[] = [];
  const faults = new Set<string>();
  unseen.push(faults);
  const note = (exchange: Exchange): void => {
    for (const fault of faultsOf(exchange)) faults.add(fault);
    const { method, path, status, body } = exchange;
    if (status >= 400) refused.push(`${method} ${path} ${status} ${String(body).slice(0, 500)}`);
  };
  return {
    pipeline: (request, response) => {
      const segments = segmentsOf(pathOf(request.url ?? '')).map((one) => percentDecoded(one) ?? one);
      if (find(segments) === undefined) record(request, response, note);
      return pipeline(request, response);
    },
    refused,
    check: () => {
      const found = [...faults];
      faults.clear();
      if (found.length > 0) throw new Error(told(found));
    },
  };
}

/** Throws when the answer is not as documented. */
export function requireConformance(exchange: Exchange): void {
  const faults = faultsOf(exchange);
  if (faults.length > 0) throw new Error(told(faults));
}

/** Gives the response once it is out, or has broken off. */
function record(
  { method = '', url: path = '' }: IncomingMessage,
  response: ServerResponse,
  done: (exchange: Exchange) => void,
): void {
  const chunks: Buffer[] = [];
  let headers: [string, string][] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  };
  intercept(response, 'write', keep);
  intercept(response, 'end', keep);
  // Node keeps no headers that are given to writeHead alone.
  intercept(response, 'writeHead', (_status, given) => {
    headers = inTurn(given);
  });
  response.once('close', () => {
    const { statusCode: status, headersSent, writableFinished } = response;
    const sent = Buffer.concat(chunks);
    const coding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    // An answer to HEAD names the coding of a body that it does not have.
    const body = writableFinished ? decoded(sent, sent.length > 0 ? coding : undefined) : undefined;
    if (headersSent) done({ method, path, status, headers, body });
  });
}

function intercept(
  response: ServerResponse,
  name: 'write' | 'end' | 'writeHead',
  see: (...values: readonly unknown[]) => void,
): void {
  const original: unknown = Reflect.get(response, name);
  if (typeof original !== 'function') throw new Error(`a response without ${name}`);
  const value = (...values: readonly unknown[]): unknown => {
    see(...values);
    return Reflect.apply(original, response, values);
  };
  Object.defineProperty(response, name, { value });
}

/** The headers of an array of names and values by turns, as the service passes them. */
function inTurn(given: unknown): [string, string][] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [];
  return Array.from({ length: all.length / 2 }, (_, index) => [
    String(all[2 * index]),
    String(all[2 * index + 1]),
  ]);
}
