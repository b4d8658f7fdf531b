import { type ImageResult, sizeOf } from '../images/image.ts';

const MAX_SIDE = 640;
const MAX_BYTES = 150 * 1024;
const TYPES: readonly string[] = ['image/jpeg', 'image/webp'];

/** Why a file is no thumbnail. */
export const THUMBNAIL_FAULT = `thumbnail must be a JPEG or WebP of at most ${MAX_SIDE} pixels a side and 150 KB`;

/** The cleaned image, unless it is refused as a thumbnail. */
export function asThumbnail(result: ImageResult): ImageResult {
  if (!result.ok) return { ok: false, fault: THUMBNAIL_FAULT };
  const { image } = result;
  const isSmall = Math.max(image.width, image.height) <= MAX_SIDE && sizeOf(image) <= MAX_BYTES;
  return isSmall && TYPES.includes(image.type) ? result : { ok: false, fault: THUMBNAIL_FAULT };
}
