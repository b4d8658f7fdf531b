import { OutboundError, fetchRedirect } from '../../kit/fetch.ts';
import { cutText } from '../../kit/input/fields.ts';
import { type MapLink, readMapLink, saysNothing } from './map-address.ts';
import { ADDRESS_MAX, NAME_MAX, PlacesError } from './provider.ts';

/** A place as the link to it says. */
export interface LinkedPlace {
  /** The address of the map, which the link led to. */
  readonly url: string;
  readonly name: string | null;
  readonly address: string | null;
  /** Both are null, or neither. The middle of the map where it marks no point. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly external_ids: Readonly<Record<'google' | 'osm' | 'fsq' | 'overture' | 'wikidata', string | null>>;
}

/** Why a link says no place: it is none of a map, leads to many places, or its service is not one that is asked. */
export type NoPlace = 'unknown' | 'many' | 'short';

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
  'g.co',
  'share.google',
  'www.google.com',
  'google.com',
]);

const COUNTRY = /^(https:\/\/(?:www\.|maps\.)?)google(?:\.com?)?\.[a-z]{2,3}\//;

/** Reads links to maps, and follows short ones to the addresses that they stand for. */
export class MapLinks {
  readonly #options: MapLinkOptions;

  constructor(options: MapLinkOptions) {
    this.#options = options;
  }

  /**
   * What a link says about a place, or why it says none. `permit` is called before the first request, and throws if the
   * client may not make one. Rejects with a PlacesError if a host does not answer.
   */
  async read(link: string, permit: () => void): Promise<LinkedPlace | NoPlace> {
    const deadline = performance.now() + TIMEOUT_MS;
    let found = readMapLink(link);
    for (let redirects = 0; found; redirects += 1) {
      if (found.kind === 'many') return 'many';
      // Addresses that say something need no request.
      const place = found.kind === 'short' ? undefined : placeOf(found);
      // Google's hosts of countries have the same addresses.
      const url = URL.parse(found.url.replace(COUNTRY, '$1google.com/'));
      if (!saysNothing(found) || !url || !HOSTS.has(url.host)) return place ?? 'short';
      if (redirects === 0) permit();
      if (redirects === MOST_REDIRECTS)
        throw this.#failed(url, new PlacesError('nonsense', { reason: 'too many redirects' }));
      const next = await this.#ask(url, deadline);
      if (next === undefined) {
        if (place) return place;
        throw this.#failed(url, new PlacesError('nonsense', { reason: 'no redirect' }));
      }
      found = readMapLink(URL.parse(next, url.href)?.href ?? '');
    }
    return 'unknown';
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

function placeOf({ url, name, address, position, google, osm }: MapLink): LinkedPlace {
  return {
    url,
    name: cutText(name, NAME_MAX),
    address: cutText(address, ADDRESS_MAX),
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    external_ids: { google: google ?? null, osm: osm ?? null, fsq: null, overture: null, wikidata: null },
  };
}
