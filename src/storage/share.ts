// Written or overwritten in some milliseconds.
const BYTES = 1_000_000;

/** The first of some rows, of which at most the last one takes them over a megabyte. */
export function shareOf<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes >= BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end + 1);
}
