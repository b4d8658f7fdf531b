// A proxy in front may not take more than 4 KB of headers in all.
const LONGEST = 2_000;
// What may not stand in a path or query (RFC 3986 section 3), all that could end the reference or the header included.
const FOREIGN = /[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/g;

/**
 * The Link header of a page for the one behind it (RFC 8288): the same path and query as sent, but with the cursor.
 * Undefined where it would get longer than proxies take.
 */
export function nextLink(path: string, query: string, cursor: string): string | undefined {
  const pairs = query === '' ? [] : query.split('&').filter((pair) => nameOf(pair) !== 'cursor');
  const target = `${path}?${[...pairs, `cursor=${encodeURIComponent(cursor)}`].join('&')}`;
  const link = `<${target.replace(FOREIGN, escaped)}>; rel="next"`;
  return link.length <= LONGEST ? link : undefined;
}

function nameOf(pair: string): string | undefined {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** Node gives the bytes of a request target as one character each, and so they are told again. */
function escaped(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
