/** The names of all blocks of an image file, as an outsider walks it, strictly: no byte may lie between two. */
export function blocksOf(bytes: Buffer): string[] {
  if (bytes[0] === 0xff) return jpegBlocks(bytes);
  return bytes[0] === 0x89 ? pngBlocks(bytes) : webpBlocks(bytes.subarray(12));
}

// The blocks that a clean file may hold.
const ALLOWED = new Set([
  'SOI',
  'EOI',
  'DQT',
  'DHT',
  'DRI',
  'DNL',
  'SOF0',
  'SOF1',
  'SOF2',
  'SOS',
  'JFIF',
  'Exif',
  'ICC',
  'Adobe',
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'sBIT',
  'bKGD',
  'pHYs',
  'hIST',
  'cICP',
  'mDCV',
  'cLLI',
  'acTL',
  'fcTL',
  'fdAT',
  'eXIf',
  'VP8X',
  'ICCP',
  'ANIM',
  'ANMF',
  'ALPH',
  'VP8 ',
  'VP8L',
  'EXIF',
]);

/** Those blocks of a file that have no place in a clean one. */
export function forbiddenIn(bytes: Buffer): string[] {
  return blocksOf(bytes).filter((name) => !ALLOWED.has(name));
}

const MARKERS: Readonly<Record<number, string>> = {
  0xd8: 'SOI',
  0xd9: 'EOI',
  0xdb: 'DQT',
  0xc4: 'DHT',
  0xdd: 'DRI',
  0xdc: 'DNL',
  0xda: 'SOS',
  0xc0: 'SOF0',
  0xc1: 'SOF1',
  0xc2: 'SOF2',
  0xfe: 'COM',
};
const APPLICATIONS: Readonly<Record<string, string>> = {
  'e0 JFIF': 'JFIF',
  'e1 Exif': 'Exif',
  'e2 ICC_PROFILE': 'ICC',
  'ee Adobe': 'Adobe',
};

function jpegBlocks(bytes: Buffer): string[] {
  const names = ['SOI'];
  let at = 2;
  while (at < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    if (bytes[at] !== 0xff) return [...names, `${bytes.length - at} stray bytes`];
    if (marker === 0xd9) return [...names, 'EOI', ...(at + 2 < bytes.length ? ['tail'] : [])];
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const hex = marker.toString(16);
    const label = /^[A-Za-z_]*/.exec(bytes.toString('latin1', at + 4, end))?.[0] ?? '';
    names.push(MARKERS[marker] ?? APPLICATIONS[`${hex} ${label}`] ?? hex);
    at = end;
    if (marker === 0xda) at = endOfScan(bytes, end);
  }
  return [...names, 'no end'];
}

function endOfScan(bytes: Buffer, from: number): number {
  const end = bytes.findIndex((byte, index) => {
    const next = bytes[index + 1] ?? 0;
    return index >= from && byte === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7);
  });
  return end === -1 ? bytes.length : end;
}

function pngBlocks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 8; at < bytes.length; at += bytes.readUInt32BE(at) + 12)
    names.push(bytes.toString('latin1', at + 4, at + 8));
  return names;
}

function webpBlocks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    names.push(name);
    if (name === 'ANMF') names.push(...webpBlocks(bytes.subarray(at + 24, at + 8 + length)));
    at += 8 + length + (length % 2);
  }
  return names;
}
