import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Makes the check of whether what a client shows is the secret, in a time that does not depend on how much of it is right.
 */
export function createSecretCheck(secret: string): (shown: string | undefined) => boolean {
  const expected = digest(secret);
  return (shown) => shown !== undefined && timingSafeEqual(digest(shown), expected);
}

/** Of the same length whatever the text, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
