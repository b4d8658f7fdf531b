import type { BlockList } from 'node:net';
import { isListed, normaliseAddress, parseAddressRanges } from './address.ts';
import type { Logger } from './log.ts';

/** Looks at a request's peer and its X-Forwarded-For header, if any. */
export type ProxyHint = (peer: string, forwardedFor: string | undefined) => void;

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
