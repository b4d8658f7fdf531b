import { lookup as resolveName } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { BlockList, type LookupFunction, isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from './system-error.ts';

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True if the host may have a non-public address, such as this machine's own. */
  readonly allowPrivate: boolean;
  /** Milliseconds for the whole exchange; default 5,000. */
  readonly timeoutMs?: number;
}

/** The response, whatever its status. */
export interface OutboundAnswer {
  readonly status: number;
  readonly text: string;
  /** True if the response came from a non-public address. */
  readonly isPrivate: boolean;
}

/**
 * There was no complete response. The message names the host and the reason, and nothing that was sent. `kind` is the
 * reason: `address`: the host is forbidden; `connection`: there was none, so nothing reached the host; `timeout`;
 * `answer`: a failure after connecting, so the host may have acted on the request.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly kind: 'address' | 'connection' | 'timeout' | 'answer';

  constructor(kind: OutboundError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

// Where public unicast addresses are: of IPv6 also those that stand for an IPv4 address, as mapped ones or behind NAT64.
const UNICAST = blockList('0.0.0.0/0 2000::/3 ::ffff:0:0/96 64:ff9b::/96');
// Of these, those with a special purpose by the registries of IANA.
const SPECIAL =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
const NOT_PUBLIC = blockList(
  `${SPECIAL} ${SPECIAL.split(' ').map(throughIpv6).join(' ')} 2001::/23 2001:db8::/32 3fff::/20`,
);

function blockList(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

/** The range behind NAT64 (RFC 6052), and that of 6to4 (RFC 3056). */
function throughIpv6(range: string): string {
  const [address = '', bits] = range.split('/');
  const hex = Buffer.from(address.split('.').map(Number)).toString('hex');
  const [start, end] = [hex.slice(0, 4), hex.slice(4)];
  return `64:ff9b::${address}/${96 + Number(bits)} 2002:${start}:${end}::/${16 + Number(bits)}`;
}

/**
 * Sends one request with limits on everything: 5 s in total by default, 1 MB of response, no redirects, no
 * compression, and no private address unless allowed, whatever a name resolves to. Rejects with an OutboundError.
 */
export function fetchText(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
  return exchange(address, request, async (response, url) => {
    const isNear = !isPublic(response.socket.remoteAddress ?? '');
    return { status: response.statusCode ?? 0, text: await read(response, url), isPrivate: isNear };
  });
}

/** Like `fetchText`, but reads no body: only the status, and where a redirect leads. */
export function fetchRedirect(
  address: string,
  request: OutboundRequest,
): Promise<{ readonly status: number; readonly location: string | undefined }> {
  return exchange(address, request, (response) => {
    response.destroy();
    return { status: response.statusCode ?? 0, location: response.headers.location };
  });
}

/** Sends a request and hands its response to `use`. Rejects with an OutboundError. */
async function exchange<Result>(
  address: string,
  request: OutboundRequest,
  use: (response: IncomingMessage, url: URL) => Result | Promise<Result>,
): Promise<Result> {
  const url = new URL(address);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!request.allowPrivate && isIP(literal) !== 0 && !isPublic(literal))
    throw new OutboundError('address', `${url.host} is not a public address`);
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  let kind: OutboundError['kind'] = 'connection';
  const connected = (): void => {
    kind = 'answer';
  };
  try {
    return await use(await send(url, request, signal, connected), url);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (signal.aborted)
      throw new OutboundError('timeout', `${url.host}: no answer within ${Math.round(timeoutMs / 1000)} s`);
    const reason = codeOf(error) ?? (error instanceof Error ? error.message : 'failed');
    throw new OutboundError(kind, `${url.host}: ${reason}`);
  }
}

function send(
  url: URL,
  { method = 'GET', headers = {}, body, allowPrivate }: OutboundRequest,
  signal: AbortSignal,
  connected: () => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
      method,
      headers: { 'Accept-Encoding': 'identity', 'User-Agent': 'restaurant-catalogue', ...headers },
      signal,
      // Connections are not reused, so that the address is checked each time.
      agent: false,
      ...(!allowPrivate && { lookup: lookUpPublic }),
    });
    // Nothing is sent before this event, nor before the end of a TLS handshake.
    request.once('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

async function read(response: IncomingMessage, url: URL): Promise<string> {
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') {
    response.destroy();
    throw new OutboundError('answer', `${url.host}: answered in an encoding that was not asked for`);
  }
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_BYTES)
      response.destroy(new OutboundError('answer', `${url.host}: answered more than ${MAX_BYTES} bytes`));
  });
  return text(response);
}

/** Resolves a name like the system does, and refuses it if any of its addresses is not public. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  resolveName(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = error ? [] : addresses;
    if (first === undefined)
      callback(error ?? new OutboundError('connection', `${hostname} has no address`), []);
    else if (!addresses.every(({ address }) => isPublic(address)))
      callback(new OutboundError('address', `${hostname} is not a public address`), []);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** True for the address of one host on the public internet; false for any other text. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  return UNICAST.check(address, family) && !NOT_PUBLIC.check(address, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
