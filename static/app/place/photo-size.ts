/** The longest side of a photo that is sent, in pixels. */
export const PHOTO_SIDE = 2_560;
/** What the service accepts as a thumbnail: its longest side in pixels, and its size in bytes. */
export const THUMBNAIL_SIDE = 640;
export const THUMBNAIL_BYTES = 150 * 1_024;
// A noisy picture needs a smaller side as well.
export const THUMBNAIL_STEPS = [THUMBNAIL_SIDE, 480, 320].flatMap((side) =>
  [0.8, 0.65, 0.5, 0.35].map((quality) => ({ side, quality })),
);

/** in pixels */
export interface Size {
  width: number;
  height: number;
}

/** The size of a picture whose longest side is at most `side`; smaller pictures stay as they are. */
export function fitted({ width, height }: Size, side: number): Size {
  const share = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}

/**
 * The first result of `encode` that is small enough, tried from the best to the worst; undefined where none is.
 * @param limit in bytes
 */
export async function firstWithin<T>(
  steps: readonly T[],
  encode: (step: T) => Promise<Blob | null>,
  limit: number,
): Promise<Blob | undefined> {
  for (const step of steps) {
    const blob = await encode(step);
    if (blob && blob.size <= limit) return blob;
  }
  return undefined;
}
