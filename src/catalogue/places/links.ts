import { OutboundError, fetchRedirect } from '../../kit/fetch.ts';
import { type MapPlace, isMap, isShort, readMapAddress, unwrapped, webAddress } from './map-address.ts';
import { PlacesError } from './provider.ts';

/** A place as the link to it says. */
export interface LinkedPlace extends MapPlace {
  /** The address of the map, which the link led to. */
  readonly url: string;
}

export interface MapLinkOptions {
  readonly report: (message: string, fields: Readonly<Record<string, string | number | null>>) => void;
  /** Base addresses of servers that stand for hosts; for tests. */
  readonly standIns?: ReadonlyMap<string, string> | undefined;
}

const TIMEOUT_MS = 5_000;
const MOST_REDIRECTS = 5;
/** The hosts that are asked, and no others. */
const HOSTS = new Set([
  'maps.app.goo.gl',
  'goo.gl',
  'maps.apple',
  'maps.apple.com',
  'maps.google.com',
  'www.google.com',
  'google.com',
]);

/** Reads links to maps, and follows short ones to the addresses that they stand for. */
export class MapLinks {
  readonly #options: MapLinkOptions;

  constructor(options: MapLinkOptions) {
    this.#options = options;
  }

  /**
   * What a link says about a place; undefined unless it is a known map's, or leads to one. `permit` is called before the
   * first request, and throws if the client may not make one. Rejects with a PlacesError if a host does not answer.
   */
  async read(link: string, permit: () => void): Promise<LinkedPlace | undefined> {
    const deadline = performance.now() + TIMEOUT_MS;
    let url = webAddress(link);
    for (let redirects = 0; url; redirects += 1) {
      url = unwrapped(url);
      const place = !isShort(url) && isMap(url) ? { url: url.href, ...readMapAddress(url) } : undefined;
      // Addresses that say something need no request.
      if (place && (place.name !== null || place.latitude !== null || isIdentified(place))) return place;
      if (!HOSTS.has(url.host) || !(place || isShort(url))) return place;
      if (redirects === 0) permit();
      if (redirects === MOST_REDIRECTS)
        throw this.#failed(url, new PlacesError('nonsense', { reason: 'too many redirects' }));
      const next = await this.#ask(url, deadline);
      if (next === undefined) {
        if (place) return place;
        throw this.#failed(url, new PlacesError('nonsense', { reason: 'no redirect' }));
      }
      url = URL.canParse(next, url.href) ? webAddress(new URL(next, url).href) : undefined;
    }
    return undefined;
  }

  /** Where a host redirects to; undefined if it does not. */
  async #ask(url: URL, deadline: number): Promise<string | undefined> {
    const standIn = this.#options.standIns?.get(url.host);
    const address = standIn === undefined ? url.href : standIn + url.pathname + url.search;
    try {
      const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
      const { status, location } = await fetchRedirect(address, {
        allowPrivate: standIn !== undefined,
        timeoutMs,
      });
      if (status >= 300 && status < 400) return location;
      if (status < 300) return undefined;
      const kind = status === 404 || status === 410 ? 'missing' : 'failed';
      throw this.#failed(url, new PlacesError(kind, { status, reason: 'status' }));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const kind = error.kind === 'timeout' ? 'timeout' : 'failed';
      throw this.#failed(url, new PlacesError(kind, { reason: error.message }));
    }
  }

  #failed({ host }: URL, error: PlacesError): PlacesError {
    const { status = null, reason = null } = error.details;
    if (error.kind !== 'missing') this.#options.report('map link was not followed', { host, status, reason });
    return error;
  }
}

function isIdentified({ external_ids: ids }: MapPlace): boolean {
  return Object.values(ids).some((id) => id !== null);
}
