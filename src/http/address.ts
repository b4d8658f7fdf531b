import { BlockList, isIP } from 'node:net';
import { elementsOf } from './header-lists.ts';
import type { Logger } from './log.ts';

type HeaderValue = string | readonly string[] | undefined;

/** A client's address as it is logged, and the key it is counted under (an IPv6 client by its /64). */
export interface ClientAddress {
  readonly address: string;
  readonly key: string;
}

const NAMED_RANGES: Readonly<Record<'loopback' | 'private', readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

// The first 96 bits of an IPv4-mapped address, in groups.
const MAPPED = '0,0,0,0,0,65535';
const MAPPED_BITS = 96;

/** Addresses, CIDR ranges, `loopback` and `private` as one list. Throws a RangeError naming an entry that is none of these. */
export function parseAddressRanges(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const ranges = entry === 'loopback' || entry === 'private' ? NAMED_RANGES[entry] : [entry];
    for (const range of ranges) addRange(list, range);
  }
  return list;
}

function addRange(list: BlockList, range: string): void {
  const [text = '', length, ...rest] = range.split('/');
  const [family, address] = [isIP(text), canonicalAddress(text)];
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (address === undefined || rest.length > 0 || prefix < 0 || prefix > bits) throw new RangeError(range);
  // A shorter prefix holds more than mapped addresses, and so is a range of IPv6.
  const isMapped = family === 6 && isIP(address) === 4 && prefix >= MAPPED_BITS;
  if (isMapped) list.addSubnet(address, prefix - MAPPED_BITS, 'ipv4');
  else list.addSubnet(text, prefix, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether `address` lies in one of the ranges; what is no address, such as that of a closed socket, lies in none. */
export function isListed(list: BlockList, address: string): boolean {
  const canonical = canonicalAddress(address);
  return canonical !== undefined && list.check(canonical, canonical.includes(':') ? 'ipv6' : 'ipv4');
}

/**
 * An address as it may stand in a socket or an X-Forwarded-For entry, without port, brackets, zone and
 * IPv4-mapped prefix; undefined when it is no IP address.
 */
export function normaliseAddress(text: string): string | undefined {
  let address = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(address);
  if (bracketed) address = bracketed[1] ?? '';
  else if (/^\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}$/.test(address))
    address = address.slice(0, address.indexOf(':'));
  const zone = address.indexOf('%');
  if (zone !== -1) address = address.slice(0, zone);
  return canonicalAddress(address);
}

/**
 * An IP address in lower case, and an IPv4-mapped one (RFC 4291 section 2.5.5.2), however it is spelled, as the IPv4
 * address that it is; undefined for what is no IP address.
 */
function canonicalAddress(text: string): string | undefined {
  const family = isIP(text);
  if (family !== 6) return family === 4 ? text : undefined;
  const groups = groupsOf(text);
  const isMapped = groups.slice(0, 6).join() === MAPPED;
  if (!isMapped) return text.toLowerCase();
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/**
 * The client behind `peer`: the peer itself unless it is a trusted proxy, then the right-most address of
 * X-Forwarded-For that is not trusted. An entry that is no address ends the walk at the last good hop.
 */
export function clientAddress(peer: string, forwardedFor: HeaderValue, trusted: BlockList): ClientAddress {
  let address = normaliseAddress(peer) ?? peer;
  for (const element of [...elementsOf(forwardedFor)].reverse()) {
    const hop = normaliseAddress(element);
    if (hop === undefined || !isListed(trusted, address)) break;
    address = hop;
  }
  return { address, key: addressKey(address) };
}

/** The address itself, or the first four groups of an IPv6 address: one client holds a whole /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const prefix = groupsOf(address).slice(0, 4);
  return `${prefix.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight groups of an IPv6 address as numbers. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const left = numbersOf(head);
  if (tail === undefined) return left;
  const right = numbersOf(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

/** Groups between colons, of which the last may be two in the form of an IPv4 address. */
function numbersOf(part: string): readonly number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [parseInt(group, 16)];
    const [first = 0, second = 0, third = 0, fourth = 0] = group.split('.').map(Number);
    return [first * 256 + second, third * 256 + fourth];
  });
}

/** Looks at a request's peer and its X-Forwarded-For header, if any. */
export type ProxyHint = (peer: string, forwardedFor: HeaderValue) => void;

/**
 * Warns once when a peer of the private network forwards for others without being trusted: most likely the operator's
 * own proxy, behind which all clients would share one limit.
 */
export function createProxyHint(trusted: BlockList, logger: Logger): ProxyHint {
  const near = parseAddressRanges(['private', 'loopback']);
  let warned = false;
  return (peer, forwardedFor) => {
    if (warned || forwardedFor === undefined) return;
    const address = normaliseAddress(peer);
    if (address === undefined || isListed(trusted, address) || !isListed(near, address)) return;
    warned = true;
    logger.warn(
      'X-Forwarded-For from a peer that is not trusted is ignored; if it is your proxy, set TRUSTED_PROXIES',
      {
        peer: address,
      },
    );
  };
}
