import type { IncomingMessage } from 'node:http';
import { createCompressor, isWorthCompressing } from './compression.ts';
import { isNamed, tagged, weakened } from './conditional.ts';
import { preferredCoding } from './negotiation.ts';
import { type Reply, notModified } from './reply.ts';

/** Puts a handler's reply into the form that the client asked for; `common` are the answer's other headers. */
export type Representer = (
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  reply: Reply,
  common: Record<string, string>,
) => Reply | Promise<Reply>;

const JSON_TYPE = /^application\/json(?:;|$)/;
// Headers that say how a cached answer may be used; the client has the others.
const SENT_AGAIN = ['ETag', 'Cache-Control', 'Content-Security-Policy', 'Vary'];

/**
 * Stands between a handler's reply and the writer. A read that succeeded is answered 304 where the client has it
 * already, JSON by a tag made of its body (RFC 9110 section 13), and is compressed where the client wants it (section
 * 12.5.3). A reply that must not be stored is left alone: it may hold a secret next to words of the caller, and its compressed
 * length would reveal it.
 */
export function createRepresenter(): Representer {
  const compressor = createCompressor();

  return ({ method, headers }, original, common) => {
    if (original.status !== 200 || original.kind === 'empty' || (method !== 'GET' && method !== 'HEAD'))
      return original;
    if (isUnstorable(original, common)) return original;
    const reply = withTag(original);
    const varies = isWorthCompressing(reply);
    const whole = varies ? varyingBy('Accept-Encoding', reply, common) : reply;
    const tag = whole.headers['ETag'];
    const coding = varies ? preferredCoding(headers['accept-encoding']) : undefined;
    if (tag !== undefined && isNamed(tag, headers['if-none-match']))
      return again(whole, coding !== undefined);
    if (coding === undefined) return whole;
    return compressor.compress(whole, coding, method === 'HEAD');
  };
}

function isUnstorable({ headers }: Reply, common: Readonly<Record<string, string>>): boolean {
  const forbidsStoring = (caching: string | undefined): boolean => caching?.includes('no-store') === true;
  return forbidsStoring(headers['Cache-Control']) || forbidsStoring(common['Cache-Control']);
}

function withTag(reply: Reply): Reply {
  if (reply.headers['ETag'] !== undefined) return reply;
  return JSON_TYPE.test(reply.headers['Content-Type'] ?? '') ? tagged(reply) : reply;
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
  const sent = SENT_AGAIN.flatMap((name): [string, string][] => {
    const value = headers[name];
    if (value === undefined) return [];
    return [[name, name === 'ETag' && isEncoded ? weakened(value) : value]];
  });
  return notModified(Object.fromEntries(sent));
}
