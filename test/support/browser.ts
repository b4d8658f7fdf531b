/** Where a browser ended up. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser as far as a sign-in needs one: cookies by host, forms, and redirects one by one. */
export interface Browser {
  /** Asks once and follows nothing. */
  readonly open: (url: string, form?: Readonly<Record<string, string>>) => Promise<Page>;
  /** Follows redirects until `until` holds for an address, which is not opened, or until a page is there. */
  readonly follow: (
    url: string,
    until: (url: URL) => boolean,
    form?: Readonly<Record<string, string>>,
  ) => Promise<Page>;
  /** The Cookie header that would go to this address. */
  readonly cookiesFor: (url: string) => string;
}

/** A new browser without cookies; `hosts` says where the origins of a public address are really served. */
export function createBrowser(hosts: ReadonlyMap<string, string> = new Map()): Browser {
  const jar = new Map<string, Map<string, string>>();

  function keep(host: string, cookies: readonly string[]): void {
    const own = jar.get(host) ?? new Map<string, string>();
    jar.set(host, own);
    for (const cookie of cookies) {
      const [pair = '', ...attributes] = cookie.split(';');
      const at = pair.indexOf('=');
      const isGone = attributes.some((attribute) =>
        /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute),
      );
      if (isGone) own.delete(pair.slice(0, at));
      else own.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  const cookiesFor = (url: string): string =>
    [...(jar.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');

  async function open(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const target = new URL(url);
    const served = (hosts.get(target.origin) ?? target.origin) + target.pathname + target.search;
    const cookie = cookiesFor(url);
    const response = await fetch(served, {
      redirect: 'manual',
      headers: cookie === '' ? {} : { Cookie: cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    keep(target.host, response.headers.getSetCookie());
    return { url: target, status: response.status, headers: response.headers, text: await response.text() };
  }

  async function follow(
    url: string,
    until: (url: URL) => boolean,
    form?: Readonly<Record<string, string>>,
  ): Promise<Page> {
    let page = await open(url, form);
    for (let hop = 0; hop < 20; hop += 1) {
      const location = page.headers.get('location');
      if (location === null) return page;
      const next = new URL(location, page.url);
      if (until(next)) return { ...page, url: next };
      page = await open(next.href);
    }
    throw new Error(`too many redirects, the last to ${page.url.href}`);
  }

  return { open, follow, cookiesFor };
}
