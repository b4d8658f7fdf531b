import { startsWith } from './content.ts';

/** Precedes the TIFF block in a JPEG segment (Exif 2.32 section 4.7.2). */
export const EXIF_PREFIX: Buffer = Buffer.from('Exif\0\0', 'latin1');
/** Pixels are stored as they are displayed. */
export const UPRIGHT = 1;

const LITTLE_ENDIAN = Buffer.from('II*\0', 'latin1');
const BIG_ENDIAN = Buffer.from('MM\0*', 'latin1');
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_SIZE = 12;

/**
 * The Orientation, 1 to 8, in the first directory of a TIFF block, with or without the JPEG prefix; 1 if it is missing or
 * invalid. Undefined if the bytes are not a TIFF block.
 */
export function findOrientation(block: Buffer): number | undefined {
  // The last byte is padding, and not all writers set it to zero.
  const hasPrefix = startsWith(block, EXIF_PREFIX.subarray(0, -1));
  const tiff = hasPrefix ? block.subarray(EXIF_PREFIX.length) : block;
  const isLittle = startsWith(tiff, LITTLE_ENDIAN);
  if (!isLittle && !startsWith(tiff, BIG_ENDIAN)) return undefined;
  const read = (at: number, size: 2 | 4): number => {
    if (at + size > tiff.length) return 0;
    return isLittle ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size);
  };
  const directory = read(4, 4);
  const first = directory + 2;
  const end = Math.min(first + read(directory, 2) * ENTRY_SIZE, tiff.length);
  for (let entry = first; entry + ENTRY_SIZE <= end; entry += ENTRY_SIZE) {
    if (read(entry, 2) !== ORIENTATION_TAG) continue;
    const value = read(entry + 2, 2) === SHORT && read(entry + 4, 4) === 1 ? read(entry + 8, 2) : UPRIGHT;
    return value >= 1 && value <= 8 ? value : UPRIGHT;
  }
  return UPRIGHT;
}

/** A TIFF block of 26 bytes that holds only the orientation. */
export function makeOrientationBlock(orientation: number): Buffer {
  // Offset of the directory, its number of entries; then the entry's tag, type, number of values and value.
  const block = Buffer.concat([
    BIG_ENDIAN,
    Buffer.from('0000000800010112000300000001', 'hex'),
    Buffer.alloc(8),
  ]);
  block.writeUInt16BE(orientation, 18);
  return block;
}
