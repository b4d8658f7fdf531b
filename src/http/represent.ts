import type { IncomingMessage } from 'node:http';
import { createCompressor, isWorthCompressing } from './compression.ts';
import { isNamed, tagged, weakened } from './conditional.ts';
import { preferredCoding } from './encodings.ts';
import { type Reply, notModified } from './reply.ts';

/** Gives a handler's reply the form that the client asked for; `common` is what every answer to it has. */
export type Representer = (
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  reply: Reply,
  common: Readonly<Record<string, string>>,
) => Reply | Promise<Reply>;

const JSON_TYPE = /^application\/json(?:;|$)/;
// What tells of a kept answer how it may be used; the rest of its headers the client has.
const TOLD_AGAIN = ['ETag', 'Cache-Control', 'Content-Security-Policy', 'Vary'];

/**
 * What stands between a handler's reply and the writer. A read that succeeded is answered 304 where the client has it
 * already, JSON by a tag made of its body (RFC 9110 section 13), and is compressed where the client wants it (section
 * 12.5.3). What must not be stored is left alone: it may hold a secret beside words of whoever asks, and its compressed
 * length would tell of it.
 */
export function createRepresenter(): Representer {
  const compressor = createCompressor();

  return ({ method, headers }, given, common) => {
    if (given.status !== 200 || given.kind === 'empty' || (method !== 'GET' && method !== 'HEAD'))
      return given;
    if (directives(given, common).includes('no-store')) return given;
    const reply = JSON_TYPE.test(given.headers['Content-Type'] ?? '') ? tagged(given) : given;
    const varies = isWorthCompressing(reply);
    const whole = withVary(reply, common, varies ? 'Accept-Encoding' : undefined);
    const tag = whole.headers['ETag'];
    const coding = varies ? preferredCoding(acceptedCodings(headers)) : undefined;
    if (tag !== undefined && isNamed(tag, headers['if-none-match']))
      return again(whole, coding !== undefined);
    if (coding === undefined) return whole;
    return compressor.compress(whole, coding, method === 'HEAD');
  };
}

function directives({ headers }: Reply, common: Readonly<Record<string, string>>): string {
  return `${headers['Cache-Control'] ?? ''},${common['Cache-Control'] ?? ''}`;
}

/** Node joins what is sent several times, but not by its type. */
function acceptedCodings({ 'accept-encoding': accepted }: IncomingMessage['headers']): string | undefined {
  return Array.isArray(accepted) ? accepted.join(',') : accepted;
}

/** One header line for what an answer varies by: a reply's own would take the place of the common one. */
function withVary(reply: Reply, common: Readonly<Record<string, string>>, more: string | undefined): Reply {
  const own = reply.headers['Vary'];
  if (own === undefined && more === undefined) return reply;
  const names = [own, common['Vary'], more].flatMap((list) => list?.split(', ') ?? []);
  return { ...reply, headers: { ...reply.headers, Vary: [...new Set(names)].join(', ') } };
}

function again({ headers }: Reply, isEncoded: boolean): Reply {
  const kept = TOLD_AGAIN.flatMap((name): [string, string][] => {
    const value = headers[name];
    if (value === undefined) return [];
    return [[name, name === 'ETag' && isEncoded ? weakened(value) : value]];
  });
  return notModified(Object.fromEntries(kept));
}
