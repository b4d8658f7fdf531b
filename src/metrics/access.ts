import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isListed, normaliseAddress, parseAddressRanges } from '../http/address.ts';
import { forbidden, unauthorized } from '../http/errors.ts';

export interface MetricsAccessOptions {
  /** What scrapers from other machines show; undefined when there is none. */
  readonly token: string | undefined;
  /** The bearer token of a request; undefined when it shows none. */
  readonly bearerToken: (request: IncomingMessage) => string | undefined;
}

// What proxies, load balancers and delivery networks add to a request that they pass on.
const FORWARDING = new RegExp(
  `^(?:${[
    ...['forwarded', 'via', 'client-ip', 'true-client-ip', 'cdn-loop', 'max-forwards', 'akamai-origin-hop'],
    ...[
      'x-real-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'x-remote-(?:ip|addr)',
      'x-originating-ip',
      'x-host',
    ],
    ...[
      'x-request-start',
      'x-scheme',
      'x-forwarded(?:-.*)?',
      'x-original-.*',
      'x-proxy.*',
      'proxy-.*',
      'cf-.*',
    ],
    ...['fastly-.*', 'fly-.*', 'x-(?:amzn|amz|appengine|arr|azure|cloud|envoy|varnish|vercel)-.*'],
  ].join('|')})$`,
);

/**
 * The check of who may read the metrics (RELIABILITY, rule 21): who shows the token, or a program on this machine that
 * no proxy stands before. Throws 401 where a token would help, else 403.
 */
export function createMetricsAccess(options: MetricsAccessOptions): (request: IncomingMessage) => void {
  const loopback = parseAddressRanges(['loopback']);
  const expected = options.token === undefined ? undefined : digest(options.token);

  const isLoopback = (address: string | undefined): boolean =>
    address !== undefined && isListed(loopback, address);

  function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
    // A proxy that is told nothing else speaks HTTP/1.0 to us, adds no header, and names us as the host.
    if (httpVersion !== '1.1' || !isLoopback(normaliseAddress(socket.remoteAddress ?? ''))) return false;
    return !Object.keys(headers).some((name) => FORWARDING.test(name)) && isOwnName(headers.host ?? '');
  }

  /** A browser on this machine whose page has a name that resolves to this machine asks under that name. */
  function isOwnName(host: string): boolean {
    const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host) ?? [];
    return name.toLowerCase() === 'localhost' || isLoopback(normaliseAddress(name));
  }

  return (request) => {
    const shown = options.bearerToken(request);
    if (expected && shown !== undefined && timingSafeEqual(digest(shown), expected)) return;
    if (isFromHere(request)) return;
    if (expected) throw unauthorized('Metrics need the token of METRICS_TOKEN');
    throw forbidden('Metrics are for programs on this machine; others need METRICS_TOKEN to be set');
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
