/** The value that `share` (0 to 1) of the sorted values stay below; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** A figure for people: as many digits as tell something, thousands apart, a dash for none. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Rows of cells as aligned lines: the first `left` columns to the left, figures to the right. */
export function alignedTable(rows: readonly (readonly string[])[], left: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
