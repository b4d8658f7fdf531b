/** A number as protocol buffers and PMTiles write it (LEB128). */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const bytesField = (number: number, bytes: readonly number[]): number[] => [
  number * 8 + 2,
  ...varint(bytes.length),
  ...bytes,
];

const numberField = (number: number, value: number): number[] => [number * 8, ...varint(value)];

/** A tile (Mapbox Vector Tile, version 2) that is all land. */
function landTile(): number[] {
  const zigzag = (value: number): number[] => varint(value < 0 ? -2 * value - 1 : 2 * value);
  const square = [
    9,
    ...zigzag(0),
    ...zigzag(0),
    26,
    ...zigzag(4096),
    ...zigzag(0),
    ...zigzag(0),
    ...zigzag(4096),
    ...zigzag(-4096),
    ...zigzag(0),
    15,
  ];
  const feature = [...numberField(3, 3), ...bytesField(4, square)];
  const name = [...Buffer.from('earth')];
  const layer = [...bytesField(1, name), ...bytesField(2, feature), ...numberField(5, 4096)];
  return bytesField(3, [...layer, ...numberField(15, 2)]);
}

/** A file of tiles (PMTiles, version 3, uncompressed) with zooms 0 and 1, all land. */
export function landTiles(): Buffer {
  const tile = landTile();
  // One entry: from tile 0 on five times the same contents, which lie at the start.
  const directory = [1, 0, 5, ...varint(tile.length), 1];
  const metadata = [...Buffer.from('{}')];
  const header = Buffer.alloc(127);
  header.write('PMTiles');
  header[7] = 3;
  const ends = [127, 127 + directory.length, 127 + directory.length + metadata.length];
  const [root = 0, meta = 0, tiles = 0] = ends;
  const numbers = [root, directory.length, meta, metadata.length, 0, 0, tiles, tile.length, 5, 1, 1];
  numbers.forEach((number, at) => header.writeBigUInt64LE(BigInt(number), 8 + 8 * at));
  // Clustered; no compression inside, none of tiles; vector tiles; zooms 0 to 1.
  header.set([1, 1, 1, 1, 0, 1], 96);
  [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000].forEach((edge, at) =>
    header.writeInt32LE(edge, 102 + 4 * at),
  );
  return Buffer.concat([header, Buffer.from([...directory, ...metadata, ...tile])]);
}
