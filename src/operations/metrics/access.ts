import type { IncomingMessage } from 'node:http';
import { isListed, normaliseAddress, parseAddressRanges } from '../../http/address.ts';
import { forbidden, unauthorized } from '../../http/errors.ts';
import { createSecretCheck } from '../../kit/input/sealed.ts';

export interface MetricsAccessOptions {
  /** Shown by scrapers on other machines; undefined when there is none. */
  readonly token: string | undefined;
  /** The bearer token of a request; undefined when it shows none. */
  readonly bearerToken: (request: IncomingMessage) => string | undefined;
}

// What proxies, load balancers and delivery networks add to a request that they pass on.
const FORWARDING = new RegExp(
  `^(?:${[
    'forwarded|via|client-ip|true-client-ip|cdn-loop|max-forwards|akamai-origin-hop',
    'x-(?:real|client|cluster-client|originating)-ip|x-remote-(?:ip|addr)|x-host|x-request-start|x-scheme',
    'x-forwarded(?:-.*)?|x-original-.*|x-proxy.*|proxy-.*|cf-.*|fastly-.*|fly-.*',
    'x-(?:amzn|amz|appengine|arr|azure|cloud|envoy|varnish|vercel)-.*',
  ].join('|')})$`,
);

/**
 * The check of who may read the metrics: a client that shows the token, or a program on this machine without a proxy in
 * between, since paths and counts say much of the service and its users. Throws 401 where a token would help, else 403.
 */
export function createMetricsAccess(options: MetricsAccessOptions): (request: IncomingMessage) => void {
  const loopback = parseAddressRanges(['loopback']);
  const isToken = options.token === undefined ? undefined : createSecretCheck(options.token);

  const isLoopback = (address: string): boolean => isListed(loopback, normaliseAddress(address) ?? '');

  function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
    // A proxy with no more configuration than our address speaks HTTP/1.0, adds no header, and names us as the host.
    if (httpVersion !== '1.1' || !isLoopback(socket.remoteAddress ?? '')) return false;
    return !Object.keys(headers).some((name) => FORWARDING.test(name)) && isOwnName(headers.host ?? '');
  }

  /** A browser on this machine whose page has a name that resolves to this machine asks under that name. */
  function isOwnName(host: string): boolean {
    const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host) ?? [];
    return name.toLowerCase() === 'localhost' || isLoopback(name);
  }

  return (request) => {
    if (isToken?.(options.bearerToken(request))) return;
    if (isFromHere(request)) return;
    if (isToken) throw unauthorized('Metrics need the token of METRICS_TOKEN');
    throw forbidden('Metrics are for programs on this machine; others need METRICS_TOKEN to be set');
  };
}
