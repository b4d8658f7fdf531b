import { PHOTO_SIDE, THUMBNAIL_BYTES, THUMBNAIL_STEPS, firstWithin, fitted } from './photo-size.js';

/** Draws a picture on white, since JPEG knows no transparency. */
function drawn(picture: ImageBitmap | HTMLCanvasElement, side: number) {
  const canvas = Object.assign(document.createElement('canvas'), fitted(picture, side));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas');
  context.fillStyle = '#fff';
  context.imageSmoothingQuality = 'high';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}

const encoded = (canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));

/**
 * Shrinks a photo to what is sent: upright, without what the camera wrote about the place, with a thumbnail. A file
 * that the browser cannot decode is sent as it is: the service cleans it or says what is wrong with it.
 */
export async function shrunk(file: Blob): Promise<{ photo: Blob; thumbnail?: Blob }> {
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const canvas = drawn(picture, PHOTO_SIDE);
    picture.close();
    const photo = await encoded(canvas, 0.85);
    if (!photo) return { photo: file };
    const encode = ({ side, quality }: { side: number; quality: number }) =>
      encoded(drawn(canvas, side), quality);
    const thumbnail = await firstWithin(THUMBNAIL_STEPS, encode, THUMBNAIL_BYTES);
    return { photo, ...(thumbnail && { thumbnail }) };
  } catch {
    return { photo: file };
  }
}
