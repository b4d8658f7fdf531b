import { type Answer, createClient } from './client.ts';

/** A page of the service itself in a browser, which stores the refresh token in a cookie. */
export interface OwnPage {
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** The cookies of the service as a Cookie header has them; empty without any. */
  readonly cookies: () => string;
}

/** The headers by which a browser says that the page of a request is the service's own. */
export const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** A page in a browser of its own, with `cookie` in it already if there is one; `own` headers go with each request. */
export function openOwnPage(url: string, own: Readonly<Record<string, string>> = {}, cookie = ''): OwnPage {
  const jar = new Map<string, string>();
  const store = (pair: string): void => {
    const at = pair.indexOf('=');
    if (at > 0) jar.set(pair.slice(0, at), pair.slice(at + 1));
  };
  store(cookie);
  const cookies = (): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const api = createClient(url, { ...SAME_ORIGIN, ...own });
  return {
    cookies,
    post: async (path, body, headers = {}) => {
      const answer = await api.post(path, body, { ...(jar.size > 0 && { Cookie: cookies() }), ...headers });
      for (const set of answer.headers.getSetCookie()) {
        const [pair = ''] = set.split(';');
        store(pair);
        if (/; Max-Age=0(?:;|$)/.test(set)) jar.delete(pair.slice(0, pair.indexOf('=')));
      }
      return answer;
    },
  };
}
