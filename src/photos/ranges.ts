/** A part of a file, from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a Range header asks for (RFC 9110 section 14.2). `none`: send the whole, since there is no header, it is
 * not understood, or it asks for several parts; `outside`: no byte of it exists.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'none' | 'outside' {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'none';
  if (first === '') {
    const wanted = Number(last);
    return wanted === 0 || size === 0 ? 'outside' : { start: Math.max(0, size - wanted), end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'none';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}
