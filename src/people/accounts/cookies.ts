type Scheme = 'http' | 'https';

interface Form {
  readonly name: string;
  readonly attributes: string;
}

// As long as a session may last. One that ends earlier is cleared when it is used.
const SECONDS = 7 * 24 * 60 * 60;
// With the prefix a browser accepts the cookie from this host alone, and over TLS alone (RFC 6265bis section 4.1.3.2).
const FORMS: Readonly<Record<Scheme, Form>> = {
  https: { name: '__Host-refresh', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' },
  http: { name: 'refresh', attributes: 'Path=/api/auth; HttpOnly; SameSite=Strict' },
};

/**
 * The refresh token in a Cookie header. Undefined without the cookie of the scheme: that of the other one is never read. Of
 * several cookies of the name, which plain HTTP cannot prevent, the first counts: it is the one of the longest path
 * (RFC 6265 section 5.4), so that another program on the same host cannot hide it by setting its own for all paths.
 */
export function readRefreshCookie(header: string | undefined, scheme: Scheme): string | undefined {
  const value = readCookies(header).find(({ name }) => name === FORMS[scheme].name)?.value;
  return value === '' ? undefined : value;
}

/** The value of the Set-Cookie header that stores a refresh token in the browser. */
export function refreshCookie(refreshToken: string, scheme: Scheme): string {
  const { name, attributes } = FORMS[scheme];
  return `${name}=${refreshToken}; ${attributes}; Max-Age=${SECONDS}`;
}

/** The value of the Set-Cookie header that removes it. */
export function clearedRefreshCookie(scheme: Scheme): string {
  const { name, attributes } = FORMS[scheme];
  return `${name}=; ${attributes}; Max-Age=0`;
}

/** The cookies of a Cookie header, in its order (RFC 6265 section 4.2.1). A name may be there several times. */
export function readCookies(header = ''): readonly { readonly name: string; readonly value: string }[] {
  return header.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return { name, value: value.join('=') };
  });
}
