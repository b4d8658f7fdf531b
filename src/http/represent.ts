import type { IncomingMessage } from 'node:http';
import { createCompressor, isWorthCompressing } from './compression.ts';
import { isNamed, tagged, weakened } from './conditional.ts';
import { preferredCoding } from './encodings.ts';
import { type Reply, notModified } from './reply.ts';

/** Gives a handler's reply the form that the client asked for; `common` is what the answer has besides. */
export type Representer = (
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  reply: Reply,
  common: Record<string, string>,
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
    if (isUnstorable(given, common)) return given;
    const reply = withTag(given);
    const varies = isWorthCompressing(reply);
    const whole = varies ? varyingBy('Accept-Encoding', reply, common) : reply;
    const tag = whole.headers['ETag'];
    const coding = varies ? preferredCoding(acceptedCodings(headers)) : undefined;
    if (tag !== undefined && isNamed(tag, headers['if-none-match']))
      return again(whole, coding !== undefined);
    if (coding === undefined) return whole;
    return compressor.compress(whole, coding, method === 'HEAD');
  };
}

function isUnstorable({ headers }: Reply, common: Readonly<Record<string, string>>): boolean {
  const isTold = (caching: string | undefined): boolean => caching?.includes('no-store') === true;
  return isTold(headers['Cache-Control']) || isTold(common['Cache-Control']);
}

function withTag(reply: Reply): Reply {
  if (reply.headers['ETag'] !== undefined) return reply;
  return JSON_TYPE.test(reply.headers['Content-Type'] ?? '') ? tagged(reply) : reply;
}

/** Node joins what is sent several times, but not by its type. */
function acceptedCodings({ 'accept-encoding': accepted }: IncomingMessage['headers']): string | undefined {
  return Array.isArray(accepted) ? accepted.join(',') : accepted;
}

/** One header line for what an answer varies by: a reply's own would take the place of the common one. */
function varyingBy(name: string, reply: Reply, common: Record<string, string>): Reply {
  const { Vary: own } = reply.headers;
  const { Vary: ofAll } = common;
  common['Vary'] = ofAll === undefined ? name : `${ofAll}, ${name}`;
  return own === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, Vary: `${own}, ${common['Vary']}` } };
}

function again({ headers }: Reply, isEncoded: boolean): Reply {
  const kept = TOLD_AGAIN.flatMap((name): [string, string][] => {
    const value = headers[name];
    if (value === undefined) return [];
    return [[name, name === 'ETag' && isEncoded ? weakened(value) : value]];
  });
  return notModified(Object.fromEntries(kept));
}
