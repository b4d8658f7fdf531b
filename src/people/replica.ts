import { unavailable } from '../http/errors.ts';
import type { Authenticator } from '../http/pipeline.ts';

// GET requests that need the primary: sign-ins open sessions, look-ups use a daily budget, streams follow local commits.
const READS_OF_PRIMARY = /^\/api\/(?:auth\/(?:idp|oidc)|places|geocode|changes\/stream)(?:\/|$)/;

// By then the replica may have become the primary.
const PROMOTION_SECONDS = 60;

/** Refuses every write to a replica with 503, which names the primary where there is one. */
export function refuseWrites(authenticate: Authenticator, primaryUrl: string | undefined): Authenticator {
  const primary = primaryUrl === undefined ? 'the primary' : `the primary at ${primaryUrl}`;
  return (request, route) => {
    if (route.method === 'GET' && !READS_OF_PRIMARY.test(route.pattern)) return authenticate(request, route);
    return Promise.reject(unavailable(`This is a read-only replica; ask ${primary}`, PROMOTION_SECONDS));
  };
}
