import type { IncomingMessage } from 'node:http';
import { isListed, normaliseAddress, parseAddressRanges } from '../../http/address.ts';
import { forbidden, unauthorized } from '../../http/errors.ts';
import { createSecretCheck } from '../../kit/input/sealed.ts';
import { bearerToken } from '../../people/accounts/authenticate.ts';

const LOOPBACK = parseAddressRanges(['loopback']);
// Headers that proxies, load balancers and delivery networks add.
const FORWARDING = new RegExp(
  `^(?:${[
    'forwarded|via|client-ip|true-client-ip|cdn-loop|max-forwards|akamai-origin-hop',
    'x-(?:real|client|cluster-client|originating)-ip|x-remote-(?:ip|addr)|x-host|x-request-start|x-scheme',
    'x-forwarded(?:-.*)?|x-original-.*|x-proxy.*|proxy-.*|cf-.*|fastly-.*|fly-.*',
    'x-(?:amzn|amz|appengine|arr|azure|cloud|envoy|varnish|vercel)-.*',
  ].join('|')})$`,
);

/**
 * Returns a check that lets only two kinds of clients read the metrics, which reveal much about the service and its users:
 * those with the token, and programs on this machine without a proxy in between. It throws 401 if a token would help,
 * otherwise 403.
 */
export function createMetricsAccess(token: string | undefined): (request: IncomingMessage) => void {
  const isToken = token === undefined ? undefined : createSecretCheck(token);
  return (request) => {
    if (isToken?.(bearerToken(request)) === true || isFromHere(request)) return;
    throw isToken
      ? unauthorized('Metrics need the token of METRICS_TOKEN')
      : forbidden('Metrics are for programs on this machine; others need METRICS_TOKEN to be set');
  };
}

function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
  // A proxy configured with only our address speaks HTTP/1.0, adds no header, and sends our name as the host.
  if (httpVersion !== '1.1' || !isLoopback(socket.remoteAddress)) return false;
  if (Object.keys(headers).some((name) => FORWARDING.test(name))) return false;
  // A page whose name resolves to this machine can make a browser here send requests, but under that name.
  const [, host = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(headers.host ?? '') ?? [];
  return host.toLowerCase() === 'localhost' || isLoopback(host);
}

function isLoopback(address = ''): boolean {
  return isListed(LOOPBACK, normaliseAddress(address) ?? '');
}
