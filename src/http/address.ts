import { BlockList, isIP } from 'node:net';

/** A client's address as it is logged, and the key it is counted under (an IPv6 client by its /64). */
export interface ClientAddress {
  readonly address: string;
  readonly key: string;
}

const NAMED_RANGES: Readonly<Record<'loopback' | 'private', readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

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
  const [address = '', length, ...rest] = range.split('/');
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (family === 0 || rest.length > 0 || prefix < 0 || prefix > bits) throw new RangeError(range);
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether `address` lies in one of the ranges; what is no address, such as that of a closed socket, lies in none. */
export function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
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
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  if (mapped) address = mapped[1] ?? '';
  return isIP(address) === 0 ? undefined : address.toLowerCase();
}

/**
 * The client behind `peer`: the peer itself unless it is a trusted proxy, then the right-most address of
 * X-Forwarded-For that is not trusted. An entry that is no address ends the walk at the last good hop.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: BlockList,
): ClientAddress {
  let address = normaliseAddress(peer) ?? peer;
  if (forwardedFor !== undefined && isListed(trusted, address)) {
    const hops = forwardedFor.split(',');
    for (let index = hops.length - 1; index >= 0; index -= 1) {
      const hop = normaliseAddress(hops[index] ?? '');
      if (hop === undefined) break;
      address = hop;
      if (!isListed(trusted, hop)) break;
    }
  }
  return { address, key: addressKey(address) };
}

/** The address itself, or the first four groups of an IPv6 address: one client holds a whole /64. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const embedded = right.at(-1)?.includes('.') === true ? 1 : 0;
  const missing = tail === undefined ? 0 : 8 - left.length - right.length - embedded;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  const prefix = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${prefix.join(':')}::/64`;
}
