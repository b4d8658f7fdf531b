import { DAMAGED, type ImageContent, type ImageFault, startsWith } from './content.ts';
import { cleanJpeg } from './jpeg.ts';
import { cleanPng, PNG_SIGNATURE } from './png.ts';
import { cleanWebp } from './webp.ts';

/** A photo without anything in it that can identify a person. */
export interface CleanImage {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp';
  readonly extension: 'jpg' | 'png' | 'webp';
  /** As a viewer shows it, orientation applied. */
  readonly width: number;
  readonly height: number;
  /** The clean file, in order; parts of the input are shared, not copied. */
  readonly pieces: readonly Buffer[];
}

/** The clean image, or why it is refused, in a public sentence. */
export type ImageResult =
  { readonly ok: true; readonly image: CleanImage } | { readonly ok: false; readonly fault: string };

/** Pixels of the longer side. */
export const MAX_SIDE = 12_000;

interface Format extends Pick<CleanImage, 'type' | 'extension'> {
  readonly startsAs: (head: Buffer) => boolean;
  readonly clean: (bytes: Buffer) => ImageContent | ImageFault;
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const FORMATS: readonly Format[] = [
  { type: 'image/jpeg', extension: 'jpg', startsAs: isJpeg, clean: cleanJpeg },
  { type: 'image/png', extension: 'png', startsAs: isPng, clean: cleanPng },
  { type: 'image/webp', extension: 'webp', startsAs: isWebp, clean: cleanWebp },
];
// Of these the first rows of pixels are the first or the last columns that are seen.
const FIRST_LYING = 5;

/** Whether these first 12 bytes of a file are those of a JPEG, PNG or WebP image. */
export function looksLikeImage(head: Buffer): boolean {
  return FORMATS.some(({ startsAs }) => startsAs(head));
}

/**
 * Recognises a JPEG, PNG or WebP image by its bytes and removes all of it but the pixels, the colour profile and the
 * orientation. Never throws; one pass, linear in the size.
 */
export function cleanImage(bytes: Buffer): ImageResult {
  const format = FORMATS.find(({ startsAs }) => startsAs(bytes));
  if (!format) return { ok: false, fault: 'photo must be a JPEG, PNG or WebP image' };
  const content = format.clean(bytes);
  if ('fault' in content) return { ok: false, fault: content.fault };
  const { width, height, orientation, pieces } = content;
  if (Math.min(width, height) === 0) return { ok: false, fault: DAMAGED.fault };
  if (Math.max(width, height) > MAX_SIDE)
    return { ok: false, fault: `photo must be at most ${MAX_SIDE.toLocaleString('en')} pixels a side` };
  const seen = orientation < FIRST_LYING ? { width, height } : { width: height, height: width };
  return { ok: true, image: { type: format.type, extension: format.extension, ...seen, pieces } };
}

function isJpeg(head: Buffer): boolean {
  return startsWith(head, JPEG_START);
}

function isPng(head: Buffer): boolean {
  return startsWith(head, PNG_SIGNATURE);
}

function isWebp(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP';
}
