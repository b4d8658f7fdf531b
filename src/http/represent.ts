import type { IncomingMessage } from 'node:http';
import { type Compressor, isWorthCompressing } from './compression.ts';
import { isNamed, tagged, weakened } from './conditional.ts';
import { preferredCoding } from './negotiation.ts';
import { type Reply, notModified } from './reply.ts';

const JSON_TYPE = /^application\/json(?:;|$)/;
// Headers that say how a cached answer may be used; the client has the others.
const SENT_AGAIN = ['ETag', 'Cache-Control', 'Content-Security-Policy', 'Referrer-Policy', 'Vary'];

/**
 * Puts a handler's reply into the form that the client asked for; `common` are the answer's other headers. A read that
 * succeeded is answered 304 where the client has it already, JSON by a tag made of its body (RFC 9110 section 13), and is
 * compressed where the client wants it (section 12.5.3). A path whose answers must not be stored is left alone: they may hold
 * a secret next to words of the caller, and its compressed length would reveal it. What a handler itself keeps from being
 * stored holds the caller's notes at most, for which no page of another site can ask: it has no tag, but is compressed.
 */
export function represent(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  original: Reply,
  common: Record<string, string>,
  compress: Compressor,
): Reply | Promise<Reply> {
  if (original.status !== 200 || original.kind === 'empty' || (method !== 'GET' && method !== 'HEAD'))
    return original;
  if (forbidsStoring(common)) return original;
  const whole = needsTag(original) ? tagged(original) : original;
  const varies = isWorthCompressing(whole);
  const reply = varies ? varyingByCoding(whole, common) : whole;
  const tag = tagOf(reply);
  const coding = varies ? preferredCoding(headers['accept-encoding']) : undefined;
  if (tag !== undefined && isNamed(tag, headers['if-none-match']))
    return notModified(sentAgain({ ...reply.headers, ETag: coding === undefined ? tag : weakened(tag) }));
  return coding === undefined ? reply : compress(reply, coding, method === 'HEAD');
}

function needsTag({ headers }: Reply): boolean {
  return JSON_TYPE.test(headers['Content-Type'] ?? '') && !forbidsStoring(headers);
}

function tagOf({ headers }: Reply): string | undefined {
  return forbidsStoring(headers) ? undefined : headers['ETag'];
}

function forbidsStoring(headers: Reply['headers']): boolean {
  return headers['Cache-Control']?.includes('no-store') === true;
}

/** One header line for what an answer varies by: a reply's own would take the place of the common one. */
function varyingByCoding(reply: Reply, common: Record<string, string>): Reply {
  const [ofAll, own] = [common['Vary'], reply.headers['Vary']];
  common['Vary'] = ofAll === undefined ? 'Accept-Encoding' : `${ofAll}, Accept-Encoding`;
  if (own === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, Vary: `${own}, ${common['Vary']}` } };
}

function sentAgain(headers: Reply['headers']): Reply['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => SENT_AGAIN.includes(name)));
}
