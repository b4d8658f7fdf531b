import { cutText } from '../../kit/input/fields.ts';
import { NAME_MAX } from './provider.ts';

/** What the address of a map says about a place. */
export interface MapPlace {
  readonly name: string | null;
  /** Both are null, or neither. The middle of the map where it marks no point. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly external_ids: Readonly<Record<'google' | 'osm' | 'fsq' | 'overture' | 'wikidata', string | null>>;
}

// Without requests; a page of a country's Google has the same address as that of google.com.
const GOOGLE =
  /^(?:(?:www\.)?google(?:\.com?)?\.[a-z]{2,3}\/(?:maps|search)|maps\.google(?:\.com?)?\.[a-z]{2,3}\/)/;
const APPLE = /^maps\.apple\.com\//;
const OSM = /^(?:www\.)?(?:openstreetmap|osm)\.org\//;
const WRAPPED = /^(?:www|consent)\.google(?:\.com?)?\.[a-z]{2,3}\/(?:url|ml?|sorry\/index)$/;
const SHORT_OSM = /^\/go\/([\w@~]{1,20}={0,2}-{0,2})$/;
const SHORT = /^(?:maps\.app\.goo\.gl\/.|goo\.gl\/maps\/.|maps\.apple(?:\.com)?\/p\/.)/;
const OSM_OBJECT = /^\/([nwr])(?:ode|ay|elation)\/([1-9]\d{0,18})(?:\/|$)/;
const PAIR = /^(?:loc:)?\s*([+-]?\d{1,3}(?:\.\d+)?),\s*([+-]?\d{1,3}(?:\.\d+)?)\s*(?:\((.*)\))?$/;
const POINTS = ['coordinate', 'll', 'destination', 'daddr', 'query', 'q'];
const NAMES = ['name', 'q', 'query', 'destination', 'daddr'];

/** An address over https; undefined for text that is none. A link may come without its scheme. */
export function webAddress(text: string): URL | undefined {
  const address = text.trim().replace(/^(?:http:\/\/|(?!https:\/\/))/i, 'https://');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
    ? url
    : undefined;
}

/** The address within that of Google's consent page or of a search result, otherwise the same one. */
export function unwrapped(url: URL): URL {
  if (!WRAPPED.test(url.host + url.pathname)) return url;
  return webAddress(url.searchParams.get('continue') ?? url.searchParams.get('q') ?? '') ?? url;
}

/** True for a link that says nothing until its own service is asked. */
export function isShort({ host, pathname }: URL): boolean {
  return SHORT.test(host + pathname);
}

/** True for the address of a map. */
export function isMap({ host, pathname }: URL): boolean {
  return [GOOGLE, APPLE, OSM].some((pattern) => pattern.test(host + pathname));
}

/** What the address of a map says about a place. */
export function readMapAddress(url: URL): MapPlace {
  const { href, searchParams } = url;
  const [code] = OSM.test(`${url.host}/`) ? (SHORT_OSM.exec(url.pathname)?.slice(1) ?? []) : [];
  const get = (name: string): string => searchParams.get(name)?.trim() ?? '';
  const [, kind, path = ''] = /\/(place|search|dir)\/(.*)/.exec(url.pathname) ?? [];
  // Of directions, the goal.
  const target = decoded(path.split('/').findLast((part) => !/^(?:@|data=|$)/.test(part)) ?? '');
  const data = last(/!3d(-?[\d.]+)!4d(-?[\d.]+)/g, href);
  const goal = last(/!1d(-?[\d.]+)!2d(-?[\d.]+)/g, href)
    .split(',')
    .reverse()
    .join();
  const marker = `${get('mlat')},${get('mlon')}`;
  const middle = last(/\/@(-?[\d.]+,-?[\d.]+)/g, href) || last(/#map=[\d.]+\/(-?[\d.]+)\/(-?[\d.]+)/g, href);
  const views = kind === 'dir' ? [goal] : [get('center'), middle];
  const points = [data, marker, ...POINTS.map(get), target, ...views].map(positionIn);
  const point = (code === undefined ? undefined : shortPosition(code)) ?? points.find((one) => one);
  const words = [target, ...NAMES.map(get)].find(
    (text) => /[\p{L}\p{N}]/u.test(text) && !PAIR.test(text) && !/^place_id:|°/.test(text),
  );
  const label = points.find((one) => one?.label)?.label;
  return {
    name: nameIn(words ?? label ?? ''),
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
    external_ids: {
      google: last(/(?:[?&](?:query|destination)_place_id=|place_id(?::|%3A)|!19s)([\w-]+)/g, href) || null,
      osm: osmId(url),
      fsq: null,
      overture: null,
      wikidata: null,
    },
  };
}

interface MapPosition {
  readonly latitude: number;
  readonly longitude: number;
  readonly label?: string | undefined;
}

function positionIn(text: string): MapPosition | undefined {
  const [, north, east, label] = PAIR.exec(text) ?? [];
  const [latitude, longitude] = [Number(north), Number(east)];
  // Links write 0, 0 where they know no position.
  const isPlace =
    Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && !(latitude === 0 && longitude === 0);
  return isPlace ? { latitude, longitude, label } : undefined;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~';

/**
 * The position of a short code of OpenStreetMap: every character holds three bits of each coordinate, in turns
 * (https://wiki.openstreetmap.org/wiki/Shortlink). Hyphens at the end belong to the zoom.
 */
function shortPosition(code: string): MapPosition {
  let [x, y, size] = [0, 0, 1];
  for (const character of code.replace(/[-=]+$/, '').replaceAll('@', '~')) {
    const value = DIGITS.indexOf(character);
    for (let bit = 5; bit > 0; bit -= 2) {
      size /= 2;
      x += size * ((value >> bit) & 1);
      y += size * ((value >> (bit - 1)) & 1);
    }
  }
  const degrees = (share: number, all: number): number =>
    Number(((share + size / 2) * all - all / 2).toFixed(6));
  return { latitude: degrees(y, 180), longitude: degrees(x, 360) };
}

/** The last match's groups, joined by a comma. */
function last(pattern: RegExp, text: string): string {
  return [...text.matchAll(pattern)].at(-1)?.slice(1).join() ?? '';
}

/** The name in "Da Enzo, Via dei Vascellari 29": an address has a number. */
function nameIn(text: string): string | null {
  const [first = '', ...rest] = text.split(/\s*[,，、]\s*/u);
  const name = rest.some((part) => /\p{N}/u.test(part)) ? first : text;
  return cutText(name, NAME_MAX);
}

function osmId({ host, pathname, searchParams }: URL): string | null {
  if (!OSM.test(`${host}/`)) return null;
  const named = ['node', 'way', 'relation'].map((one) => `/${one}/${searchParams.get(one) ?? ''}`);
  const [kind, id] =
    [pathname, ...named].map((path) => OSM_OBJECT.exec(path)?.slice(1)).find((one) => one) ?? [];
  return kind === undefined || id === undefined ? null : `${kind.toUpperCase()}${id}`;
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced).trim();
  } catch {
    return spaced;
  }
}
