import { hash } from 'node:crypto';
import { elementsOf } from './negotiation.ts';
import type { Reply } from './reply.ts';

/** The Cache-Control of files that never change under their addresses. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Headers of an answer for its caller only. */
export const OWN = { 'Cache-Control': 'private, no-store' };

// 96 bits, so that two bodies never share a tag.
const TAG_LENGTH = 16;

/** Whether an If-None-Match header names the entity tag, by weak comparison (RFC 9110 section 13.1.2). */
export function isNamed(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = opaqueOf(tag);
  return elementsOf(ifNoneMatch).some((named) => opaqueOf(named) === opaque);
}

/**
 * The reply with a weak entity tag made of its body, unless it has a tag or no body at hand. A cache of replies does
 * this before it stores one, so that the body is hashed once.
 */
export function tagged(reply: Reply): Reply {
  if (reply.kind !== 'bytes' || reply.headers['ETag'] !== undefined) return reply;
  const tag = `W/"${hash('sha256', reply.body, 'base64url').slice(0, TAG_LENGTH)}"`;
  return { ...reply, headers: { ...reply.headers, ETag: tag } };
}

/** A tag made weak: it then stands for every coding of the body (RFC 9110 section 8.8.3.3). */
export function weakened(tag: string): string {
  return `W/${opaqueOf(tag)}`;
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
