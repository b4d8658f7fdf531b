/** The longest side of a photo that is sent, in pixels. */
const PHOTO_SIDE = 2_560;
/** What the service accepts as a thumbnail, besides a longest side of 640 pixels. */
const THUMBNAIL_BYTES = 150 * 1_024;
// A noisy picture needs a smaller side as well.
const THUMBNAIL_STEPS = [640, 480, 320].flatMap((side) =>
  [0.8, 0.65, 0.5, 0.35].map((quality) => ({ side, quality })),
);

/** A picture as a JPEG whose longest side is at most `side`: on white, since JPEG knows no transparency. */
function jpeg(picture: ImageBitmap, side: number, quality: number): Promise<Blob> {
  const share = Math.min(1, side / Math.max(picture.width, picture.height));
  const fitted = (length: number) => Math.max(1, Math.round(length * share));
  const canvas = new OffscreenCanvas(fitted(picture.width), fitted(picture.height));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas');
  context.fillStyle = '#fff';
  context.imageSmoothingQuality = 'high';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}

/**
 * Shrinks a photo to what is sent: upright, without what the camera wrote about the place, with a thumbnail. A file
 * that the browser cannot decode is sent as it is: the service cleans it or says what is wrong with it.
 */
export async function shrunk(file: Blob): Promise<{ photo: Blob; thumbnail?: Blob }> {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const photo = await jpeg(picture, PHOTO_SIDE, 0.85);
    for (const { side, quality } of THUMBNAIL_STEPS) {
      const thumbnail = await jpeg(picture, side, quality);
      if (thumbnail.size <= THUMBNAIL_BYTES) return { photo, thumbnail };
    }
    return { photo };
  } catch {
    return { photo: file };
  }
}
