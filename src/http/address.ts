import type { IncomingMessage } from 'node:http';
import { BlockList, SocketAddress, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { listElements } from './negotiation.ts';

type HeaderValue = string | readonly string[] | undefined;

/** A client's address for the log, and the key for its limits (an IPv6 client counts by its /64). */
export interface ClientAddress {
  readonly address: string;
  readonly key: string;
}

/** The scheme that the client used. */
export type Scheme = 'http' | 'https';

const NAMED_RANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10']],
]);

// The system's spelling of an IPv4-mapped address, and the length of its prefix.
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
const MAPPED_BITS = 96;

/**
 * Parses addresses, CIDR ranges, `loopback` and `private` into one list. Throws a RangeError with the first invalid
 * entry.
 */
export function parseAddressRanges(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of entries.flatMap((entry) => NAMED_RANGES.get(entry) ?? [entry])) {
    const [text = '', length, ...rest] = range.split('/');
    const [family, address] = [isIP(text), canonicalAddress(text)];
    const bits = family === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (address === undefined || rest.length > 0 || prefix < 0 || prefix > bits) throw new RangeError(range);
    // A shorter prefix covers more than mapped addresses, so it stays an IPv6 range.
    const isMapped = family === 6 && isIP(address) === 4 && prefix >= MAPPED_BITS;
    if (isMapped) list.addSubnet(address, prefix - MAPPED_BITS, 'ipv4');
    else list.addSubnet(text, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * True if `address` is in one of the ranges; false for text that is not an address, such as a closed socket's empty
 * one.
 */
export function isListed(list: BlockList, address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical !== undefined && list.check(canonical, canonical.includes(':') ? 'ipv6' : 'ipv4');
}

/**
 * Normalises a socket's address or an X-Forwarded-For entry: removes port, brackets, zone and IPv4-mapped prefix.
 * Undefined if it is not an IP address.
 */
export function normaliseAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed) ?? [];
  const address = bracketed ?? trimmed.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, '$1');
  return canonicalAddress(address.replace(/%.*/s, ''));
}

/**
 * The shortest form of an IP address; an IPv4-mapped one (RFC 4291 section 2.5.5.2), in any spelling, becomes IPv4.
 * Undefined for other text.
 */
function canonicalAddress(text: string): string | undefined {
  const family = isIP(text);
  if (family !== 6) return family === 4 ? text : undefined;
  // The fast path: on a dual-stack socket every IPv4 client has a mapped address.
  const address = MAPPED.test(text) ? text : new SocketAddress({ address: text, family: 'ipv6' }).address;
  return MAPPED.exec(address)?.[1] ?? address;
}

/**
 * The client of a connection: its peer, or behind a trusted proxy the right-most address in X-Forwarded-For that is
 * not trusted. At an entry that is not an address, the last valid hop counts.
 */
export function clientAddress(peer: string, forwardedFor: HeaderValue, trusted: BlockList): ClientAddress {
  let address = normaliseAddress(peer) ?? peer;
  for (const element of listElements(forwardedFor).toReversed()) {
    const hop = normaliseAddress(element);
    if (hop === undefined || !isListed(trusted, address)) break;
    address = hop;
  }
  return { address, key: addressKey(address) };
}

/**
 * The client's scheme: https if TLS ends here, or if a trusted peer says so in the last value of X-Forwarded-Proto.
 * Earlier values may come from the client.
 */
export function schemeOf(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: BlockList,
): Scheme {
  if (socket instanceof TLSSocket) return 'https';
  const forwarded = listElements(headers['x-forwarded-proto']).at(-1)?.toLowerCase();
  return forwarded === 'https' && isListed(trusted, socket.remoteAddress ?? '') ? 'https' : 'http';
}

/** The address, or the first four groups of an IPv6 address, since one client has a whole /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const prefix = [...left, ...zeros, ...right].slice(0, 4);
  return `${prefix.map((group) => parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * Returns a function that warns once if a peer on the private network sends X-Forwarded-For without being trusted. It
 * is probably the operator's own proxy, behind which all clients would share one limit.
 */
export function createProxyHint(
  trusted: BlockList,
  { warn }: { readonly warn: (message: string, fields: { readonly peer: string }) => void },
): (peer: string, forwardedFor: HeaderValue) => void {
  const near = parseAddressRanges(['private', 'loopback']);
  let warned = false;
  return (peer, forwardedFor) => {
    if (warned || forwardedFor === undefined || isListed(trusted, peer) || !isListed(near, peer)) return;
    warned = true;
    warn(
      'X-Forwarded-For from a peer that is not trusted is ignored; if it is your proxy, set TRUSTED_PROXIES',
      { peer: normaliseAddress(peer) ?? peer },
    );
  };
}
