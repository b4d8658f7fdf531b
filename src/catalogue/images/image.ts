import { type ImageContent, ImageError, check } from './content.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanPng, PNG_SIGNATURE } from './png.ts';
import { cleanWebp } from './webp.ts';

/** A photo without metadata that could identify a person. */
export interface CleanImage {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly extension: 'jpg' | 'png' | 'webp';
  /** With the orientation applied, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** The clean file, in order; slices of the input are shared, not copied. */
  readonly pieces: readonly Buffer[];
}

/** The clean image, or why it is refused; clients see the fault. */
export type ImageResult =
  { readonly ok: true; readonly image: CleanImage } | { readonly ok: false; readonly fault: string };

/** Pixels of the longer side. */
export const MAX_SIDE = 12_000;

interface Format extends Pick<CleanImage, 'type' | 'extension'> {
  /** Matches the first 12 bytes as Latin-1. */
  readonly start: RegExp;
  /** Throws an ImageError. */
  readonly clean: (bytes: Buffer) => ImageContent;
}

const PNG_START = new RegExp(`^${PNG_SIGNATURE.toString('latin1')}`);
const FORMATS: readonly Format[] = [
  { type: 'image/jpeg', extension: 'jpg', start: /^\xff\xd8\xff/, clean: cleanJpeg },
  { type: 'image/png', extension: 'png', start: PNG_START, clean: cleanPng },
  { type: 'image/webp', extension: 'webp', start: /^RIFF.{4}WEBP/s, clean: cleanWebp },
];
// Orientations from here on swap rows and columns.
const FIRST_LYING = 5;

/** True if the first 12 bytes of a file are those of a JPEG, PNG or WebP image. */
export function looksLikeImage(head: Buffer): boolean {
  return formatOf(head) !== undefined;
}

/**
 * Recognises a JPEG, PNG or WebP image by its bytes and removes everything but the pixels, the colour profile and the
 * orientation. Never throws for bad input; takes time linear in the size.
 */
export function cleanImage(bytes: Buffer): ImageResult {
  const format = formatOf(bytes);
  if (!format) return { ok: false, fault: 'photo must be a JPEG, PNG or WebP image' };
  try {
    return { ok: true, image: cleaned(bytes, format) };
  } catch (error) {
    if (error instanceof ImageError) return { ok: false, fault: error.message };
    throw error;
  }
}

/** Bytes of the clean file. */
export function sizeOf({ pieces }: Pick<CleanImage, 'pieces'>): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function formatOf(bytes: Buffer): Format | undefined {
  const head = bytes.toString('latin1', 0, 12);
  return FORMATS.find(({ start }) => start.test(head));
}

function cleaned(bytes: Buffer, { type, extension, clean }: Format): CleanImage {
  const { width, height, orientation, pieces } = clean(bytes);
  check(Math.min(width, height) > 0);
  const isSmall = Math.max(width, height) <= MAX_SIDE;
  check(isSmall, `photo must be at most ${MAX_SIDE.toLocaleString('en')} pixels a side`);
  const seen = orientation < FIRST_LYING ? { width, height } : { width: height, height: width };
  return { type, extension, ...seen, pieces };
}
