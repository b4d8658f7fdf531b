import { hash } from 'node:crypto';
import { listElements } from './negotiation.ts';
import type { Reply } from './reply.ts';

/** Cache-Control for files that never change under their URL. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** For responses meant only for their caller. */
export const OWN = { 'Cache-Control': 'private, no-store' };

/** For responses meant only for their caller, who has to ask whether they are still current. */
export const OWN_IF_CURRENT = { 'Cache-Control': 'private, no-cache' };

/** For responses to those who have a link: not to be stored, and its address neither sent to other sites nor found by search. */
export const BY_LINK = { ...OWN, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' };

// 96 bits, enough that two bodies never share a tag.
const TAG_LENGTH = 16;

/** True if an If-None-Match header lists the entity tag, by weak comparison (RFC 9110 section 13.1.2). */
export function isNamed(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = opaqueOf(tag);
  return listElements(ifNoneMatch).some((named) => opaqueOf(named) === opaque);
}

/**
 * Adds a weak entity tag computed from the body, unless the reply has a tag or no body in memory. Reply caches do this
 * before storing, so that a body is hashed only once.
 */
export function tagged(reply: Reply): Reply {
  if (reply.kind !== 'bytes' || reply.headers['ETag'] !== undefined) return reply;
  return withTag(reply, hash('sha256', reply.body, 'base64url'));
}

/** Adds a weak entity tag of a digest in base64url. */
export function withTag(reply: Reply, digest: string): Reply {
  return { ...reply, headers: { ...reply.headers, ETag: `W/"${digest.slice(0, TAG_LENGTH)}"` } };
}

/** A weak tag covers every coding of the body (RFC 9110 section 8.8.3.3). */
export function weakened(tag: string): string {
  return `W/${opaqueOf(tag)}`;
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
