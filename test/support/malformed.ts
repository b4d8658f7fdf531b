const HOST = 'Host: x\r\n';

/** A GET on a raw connection. */
export function rawGet(target: string, headers = HOST): string {
  return `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
}

/** A POST of JSON on a raw connection; `headers` tell how the body is framed. */
export function rawPost(headers: string, body = ''): string {
  return `POST /api/categories HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;
}

const withHeader = (line: string): string => rawGet('/api/health', `${HOST}${line}\r\n`);
const chunked = (body: string): string => rawPost('Transfer-Encoding: chunked\r\n', body);
// What an attacker hides where two readers may disagree on where a body ends.
const HIDDEN = rawPost('Content-Length: 19\r\n', '{"name":"Smuggled"}');

/** What arrives, and the status of the one answer that it gets. Bytes are given as Latin-1. */
export type Malformed = readonly [title: string, bytes: string, status: number];

/** Requests whose end is certain: the connection may go on, and what follows is answered. */
export const REFUSED: readonly Malformed[] = [
  ['no Host', rawGet('/api/health', ''), 400],
  ['two Hosts', rawGet('/api/health', HOST + HOST), 400],
  ['two Hosts that differ', rawGet('/api/health', `${HOST}Host: y\r\n`), 400],
  ['an absolute-form target', rawGet('http://x/api/health'), 400],
  ['an absolute-form target of another host', rawGet('http://evil.example/api/health'), 400],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['TRACE', `TRACE /api/health HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['a method of another protocol', `PROPFIND /api/health HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['a bad percent-encoding', rawGet('/api/restaurants/%zz'), 400],
  ['half a percent-encoding', rawGet('/api/restaurants/%4'), 400],
  ['an encoding that is no UTF-8', rawGet('/api/restaurants/%ff'), 400],
  ['an overlong encoding', rawGet('/api/restaurants/%c0%af'), 400],
  ['an encoded surrogate', rawGet('/api/restaurants/%ed%a0%80'), 400],
  ['an encoded NUL', rawGet('/api/restaurants/1%00'), 400],
  ['a backslash', rawGet('/api\\restaurants'), 400],
  ['an encoded backslash', rawGet('/api/%5crestaurants'), 400],
];

/** Requests whose end is in doubt: the connection is closed, and nothing of what follows is read as a request. */
export const CLOSED: readonly Malformed[] = [
  ['HTTP/1.0 without Host', 'GET /api/health HTTP/1.0\r\n\r\n', 400],
  ['an authority-form target', rawGet('x:80'), 400],
  ['a target without a slash', rawGet('api/health'), 400],
  ['bytes that are no ASCII in the target', rawGet('/api/restaurants/\xe9'), 400],
  ['an unknown expectation', rawPost('Expect: a-pony\r\nContent-Length: 2\r\n', '{}'), 417],
  ['CONNECT', `CONNECT x:80 HTTP/1.1\r\n${HOST}\r\n`, 405],
  ['an unknown method', `BREW /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a method in lower case', `get /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a blank before the method', ` GET /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['an unknown version', `GET /api/health HTTP/3.7\r\n${HOST}\r\n`, 400],
  ['HTTP/2 without an agreement', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, 400],
  ['a version of two digits', `GET /api/health HTTP/1.10\r\n${HOST}\r\n`, 400],
  ['no version', `GET /api/health\r\n${HOST}\r\n`, 400],
  ['a blank in the target', rawGet('/api/hea lth'), 400],
  ['a tab in the target', rawGet('/api/hea\tlth'), 400],
  ['a NUL in the target', rawGet('/api/hea\0lth'), 400],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an SSH greeting', 'SSH-2.0-OpenSSH_9.6\r\n', 400],
  ['a PROXY line', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${rawGet('/api/health')}`, 400],
  ['a blank in a header name', withHeader('X Y: z'), 400],
  ['a blank before the colon', withHeader('X-A : z'), 400],
  ['an empty header name', withHeader(': z'), 400],
  ['a header name with a quote', withHeader('X"Y: z'), 400],
  ['a header name that is no ASCII', withHeader('X-\xe9: z'), 400],
  ['a header without a colon', withHeader('nonsense'), 400],
  ['a folded header', withHeader('X: a\r\n b'), 400],
  ['a folded header that comes first', `GET /api/health HTTP/1.1\r\n X: a\r\n${HOST}\r\n`, 400],
  ['a control character in a header', withHeader('X: a\x01b'), 400],
  ['a NUL in a header', withHeader('X: a\0b'), 400],
  ['a bare CR in a header', withHeader('X: a\rb'), 400],
  ['a line that ends in LF alone', 'GET /api/health HTTP/1.1\nHost: x\n\n', 400],
  ['a header that ends in LF alone', `GET /api/health HTTP/1.1\r\nX: a\n${HOST}\r\n`, 400],
  ['headers over 16 KB', withHeader(`X: ${'a'.repeat(17_000)}`), 431],
  ['a target over 16 KB', rawGet(`/${'a'.repeat(17_000)}`), 431],
  [
    'both framings',
    rawPost('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${HIDDEN}`),
    400,
  ],
  [
    'both framings the other way round',
    rawPost('Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', `0\r\n\r\n${HIDDEN}`),
    400,
  ],
  ['two lengths that differ', rawPost('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), 400],
  ['two lengths that agree', rawPost('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400],
  ['a list of lengths', rawPost('Content-Length: 2, 2\r\n', '{}'), 400],
  ['a negative length', rawPost('Content-Length: -1\r\n'), 400],
  ['a length in sixteens', rawPost('Content-Length: 0x2\r\n', '{}'), 400],
  ['a length with a plus', rawPost('Content-Length: +2\r\n', '{}'), 400],
  ['a length with a point', rawPost('Content-Length: 2.0\r\n', '{}'), 400],
  ['a length with a blank in it', rawPost('Content-Length: 1 0\r\n', '{}'), 400],
  ['an empty length', rawPost('Content-Length: \r\n', '{}'), 400],
  ['a length beyond 64 bits', rawPost(`Content-Length: ${'9'.repeat(25)}\r\n`, '{}'), 400],
  ['a length before a blank and the colon', rawPost('Content-Length : 2\r\n', '{}'), 400],
  ['the transfer coding identity', rawPost('Transfer-Encoding: identity\r\n', '{}'), 400],
  ['an unknown transfer coding', rawPost('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`), 400],
  ['chunked before another coding', rawPost('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'), 400],
  ['chunked twice', rawPost('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400],
  ['chunked behind a vertical tab', rawPost('Transfer-Encoding: \x0bchunked\r\n', '0\r\n\r\n'), 400],
  ['chunked in HTTP/1.0', chunked('0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'), 400],
  ['a chunk size that is no number', chunked('zz\r\n{"name":"Smuggled"}\r\n0\r\n\r\n'), 400],
  ['a chunk size with a prefix', chunked('0x2\r\n{}\r\n0\r\n\r\n'), 400],
  ['a negative chunk size', chunked('-2\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk size beyond 64 bits', chunked(`${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`), 400],
  ['a chunk longer than it says', chunked(`2\r\n{}x\r\n0\r\n\r\n`), 400],
  ['a chunk size that ends in LF alone', chunked('2\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk extension with a bare LF', chunked(`2;a\nb\r\n{}\r\n0\r\n\r\n${HIDDEN}`), 400],
];
