/** The longest side of a photo that is sent, in pixels. */
export const PHOTO_SIDE = 2_560;
/** What the service accepts as a thumbnail: its longest side in pixels, and its size in bytes. */
export const THUMBNAIL_SIDE = 640;
export const THUMBNAIL_BYTES = 150 * 1_024;
// A noisy picture needs a smaller side as well.
const THUMBNAIL_STEPS = [THUMBNAIL_SIDE, 480, 320].flatMap((side) =>
  [0.8, 0.65, 0.5, 0.35].map((quality) => ({ side, quality })),
);

/** @typedef {{ width: number, height: number }} Size in pixels */

/**
 * The size of a picture whose longest side is at most `side`; smaller pictures stay as they are.
 * @param {Size} size
 * @param {number} side
 * @returns {Size}
 */
export function fitted({ width, height }, side) {
  const share = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}

/**
 * The first result of `encode` that is small enough, tried from the best to the worst; undefined where none is.
 * @template T
 * @param {readonly T[]} steps
 * @param {(step: T) => Promise<Blob | null>} encode
 * @param {number} limit in bytes
 * @returns {Promise<Blob | undefined>}
 */
export async function firstWithin(steps, encode, limit) {
  for (const step of steps) {
    const blob = await encode(step);
    if (blob && blob.size <= limit) return blob;
  }
  return undefined;
}

/**
 * Draws a picture on white, since JPEG knows no transparency.
 * @param {ImageBitmap | HTMLCanvasElement} picture
 * @param {number} side
 */
function drawn(picture, side) {
  const canvas = Object.assign(document.createElement('canvas'), fitted(picture, side));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas');
  context.fillStyle = '#fff';
  context.imageSmoothingQuality = 'high';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas @param {number} quality @returns {Promise<Blob | null>} */
const encoded = (canvas, quality) => new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));

/**
 * Shrinks a photo to what is sent: upright, without what the camera wrote about the place, with a thumbnail. A file
 * that the browser cannot decode is sent as it is: the service cleans it or says what is wrong with it.
 * @param {Blob} file
 * @returns {Promise<{ photo: Blob, thumbnail?: Blob }>}
 */
export async function shrunk(file) {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const canvas = drawn(picture, PHOTO_SIDE);
    picture.close();
    const photo = await encoded(canvas, 0.85);
    if (!photo) return { photo: file };
    /** @param {{ side: number, quality: number }} step */
    const encode = ({ side, quality }) => encoded(drawn(canvas, side), quality);
    const thumbnail = await firstWithin(THUMBNAIL_STEPS, encode, THUMBNAIL_BYTES);
    return { photo, ...(thumbnail && { thumbnail }) };
  } catch {
    return { photo: file };
  }
}
