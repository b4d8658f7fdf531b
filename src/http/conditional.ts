/** The Cache-Control of what never changes under its address. */
export const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

/** Whether an If-None-Match header names the entity tag, by weak comparison (RFC 9110 section 13.1.2). */
export function isNamed(tag: string, ifNoneMatch: string | undefined): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((given) => given.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}
