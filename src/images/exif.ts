import { startsWith } from './content.ts';

/** What stands before the TIFF block in a JPEG segment (Exif 2.32 section 4.7.2). */
export const EXIF_PREFIX: Buffer = Buffer.from('Exif\0\0', 'latin1');
/** The orientation of pixels that are stored as they are seen. */
export const UPRIGHT = 1;

const LITTLE_ENDIAN = Buffer.from('II*\0', 'latin1');
const BIG_ENDIAN = Buffer.from('MM\0*', 'latin1');
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_SIZE = 12;

/**
 * The Orientation, 1 to 8, in the first directory of a TIFF block, with or without the prefix that JPEG has before it;
 * 1 when it has none, or none that is valid. Undefined when the bytes are no TIFF block.
 */
export function findOrientation(block: Buffer): number | undefined {
  // The second zero is padding, and not every writer makes it one.
  const hasPrefix = startsWith(block, EXIF_PREFIX.subarray(0, -1));
  const tiff = hasPrefix ? block.subarray(EXIF_PREFIX.length) : block;
  const isLittle = startsWith(tiff, LITTLE_ENDIAN);
  if (!isLittle && !startsWith(tiff, BIG_ENDIAN)) return undefined;
  const short = (at: number): number => {
    if (at + 2 > tiff.length) return 0;
    return isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  };
  const long = (at: number): number => {
    if (at + 4 > tiff.length) return 0;
    return isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at);
  };
  const directory = long(4);
  const first = directory + 2;
  const end = Math.min(first + short(directory) * ENTRY_SIZE, tiff.length);
  for (let entry = first; entry + ENTRY_SIZE <= end; entry += ENTRY_SIZE) {
    if (short(entry) !== ORIENTATION_TAG) continue;
    const value = short(entry + 2) === SHORT && long(entry + 4) === 1 ? short(entry + 8) : UPRIGHT;
    return value >= 1 && value <= 8 ? value : UPRIGHT;
  }
  return UPRIGHT;
}

/** A TIFF block of 26 bytes with the orientation and nothing else. */
export function makeOrientationBlock(orientation: number): Buffer {
  const block = Buffer.alloc(26);
  BIG_ENDIAN.copy(block);
  block.writeUInt32BE(8, 4);
  block.writeUInt16BE(1, 8);
  block.writeUInt16BE(ORIENTATION_TAG, 10);
  block.writeUInt16BE(SHORT, 12);
  block.writeUInt32BE(1, 14);
  block.writeUInt16BE(orientation, 18);
  return block;
}
