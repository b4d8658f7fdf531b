/** A cookie as a browser sends it. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** The cookies of a Cookie header, in its order (RFC 6265 section 4.2.1). A name may be there several times. */
export function readCookies(header = ''): readonly Cookie[] {
  return header.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return { name, value: value.join('=') };
  });
}
