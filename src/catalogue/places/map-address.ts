import { type Position, positionOf, readPosition } from './positions.ts';

// The web app reads links with this module too, so it imports nothing that a browser does not have.

/** What a link to a map says. */
export interface MapLink {
  /** The link, with `https` if it is a web address. */
  readonly url: string;
  /** `short` says nothing until its own service is asked; `many` leads to a list or a map of many places. */
  readonly kind: 'place' | 'short' | 'many';
  readonly name?: string;
  readonly address?: string;
  readonly position?: Position;
  /** The position is the middle of a map. */
  readonly isApproximate?: boolean;
  readonly google?: string;
  /** Such as `N5261`. */
  readonly osm?: string;
}

/** How the links of a map say a place. `a,b` among names of parameters are two that make a position. */
interface MapService {
  /** The hosts, with paths. */
  readonly at: RegExp;
  /** A part of the path with words, a position, or both. */
  readonly target?: RegExp;
  /** Parameters with the position of the place, the most exact first. */
  readonly points?: readonly string[];
  /** Parameters with the middle of the map. */
  readonly middles?: readonly string[];
  /** Of these parameters, those with the longitude first. */
  readonly turned?: RegExp;
  /** Positions in the link, by groups `north` and `east`; the last match counts. */
  readonly pins?: readonly RegExp[];
  /** The same for the middle of the map. */
  readonly views?: readonly RegExp[];
  /** Parameters with the name, or with name and address. */
  readonly names?: readonly string[];
  /** A code in the path that encodes a position. */
  readonly code?: PositionCode;
  /** Its objects, by the letters of their types and numbers. */
  readonly objects?: RegExp;
  /** Names in the path have `_` for blanks. */
  readonly hasUnderscores?: boolean;
}

/** Every character holds some bits of the coordinates, which take turns. */
interface PositionCode {
  readonly at: RegExp;
  readonly alphabet: string;
  readonly isNorthFirst: boolean;
}

const GOOGLE_TLD = String.raw`google(?:\.com?)?\.[a-z]{2,3}`;
const YANDEX_TLD = String.raw`yandex\.(?:com(?:\.[a-z]{2})?|[a-z]{2})`;
const DEGREES = String.raw`[+-]?\d{1,3}(?:\.\d+)?`;
const NORTH = `(?<north>${DEGREES})`;
const EAST = `(?<east>${DEGREES})`;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const last = (text: string): RegExp => new RegExp(text, 'g');

const SERVICES: readonly MapService[] = [
  {
    at: new RegExp(
      String.raw`^(?:(?:www\.|m\.)?${GOOGLE_TLD}\/(?:maps|search)|maps\.${GOOGLE_TLD}\/|search\.google\.com\/local\/|google\.invalid\/)`,
    ),
    // Of directions, the goal.
    target:
      /\/(?:place|search|dir)\/(?:(?!@|data=)[^/?#]*\/)*(?!@|data=)([^/?#]+)(?:\/(?:@|data=)[^?#]*|\/)?(?:[?#]|$)/,
    pins: [
      last(`!3d${NORTH}!4d${EAST}`),
      last(String.raw`!1d${EAST}!2d${NORTH}(?<=\/dir\/.*)`),
      last(String.raw`!2d${EAST}!3d${NORTH}(?<=\/embed\?.*)`),
    ],
    points: ['ll', 'destination', 'daddr', 'query', 'q', 'viewpoint'],
    middles: ['center', 'sll'],
    views: [last(String.raw`\/@${NORTH},${EAST}(?<!\/dir\/.*)`)],
    names: ['q', 'query', 'destination', 'daddr'],
  },
  {
    at: /^maps\.apple\.com\//,
    points: ['coordinate', 'll', 'destination', 'daddr', 'q'],
    middles: ['center', 'sll', 'near'],
    names: ['name', 'q', 'query', 'destination', 'daddr'],
  },
  {
    at: /^(?:www\.|m\.)?(?:openstreetmap|osm)\.org\//,
    // https://wiki.openstreetmap.org/wiki/Shortlink: what follows the code belongs to the zoom.
    code: { at: /^\/go\/([\w@~]{1,20})={0,2}-{0,2}$/, alphabet: `${LETTERS}_~`, isNorthFirst: false },
    objects: /[/?&]([nwr])(?:ode|ay|elation)[/=]([1-9]\d{0,18})(?=[/?&#]|$)/,
    points: ['mlat,mlon', 'marker', 'to'],
    middles: ['lat,lon'],
    views: [last(String.raw`#map=[\d.]+\/${NORTH}\/${EAST}`)],
    names: ['query'],
  },
  {
    // Organic Maps, Maps.me and CoMaps: the first character of a code is the zoom.
    at: /^(?:omaps\.app|ge0\.me|comaps\.at)\//,
    code: {
      at: /^\/(?!crosshair(?:\/|$))[\w-]([\w-]{6,10})(?:\/|$)/,
      alphabet: `${LETTERS}-_`,
      isNorthFirst: true,
    },
    target: /\/[\w-]{7,11}\/([^/?#]+)/,
    hasUnderscores: true,
    points: ['ll', 'dll'],
    middles: ['cll'],
    names: ['n', 'daddr', 'query'],
  },
  { at: /^geo\.invalid\//, target: /\/([^/?#]+)(?:\?|$)/, points: ['q'], names: ['q'] },
  {
    at: /^(?:wego|share|www)\.here\.com\//,
    target: /\/(?:l|r|mylocation|directions\/[^?#]*)\/([^/?#]+)\/?(?:[?#]|$)/,
    middles: ['map'],
    names: ['q'],
  },
  {
    at: /^(?:www\.)?bing\.com\/maps/,
    points: ['sp', 'rtp', 'q', 'where1'],
    middles: ['cp'],
    names: ['sp', 'rtp', 'where1', 'q'],
  },
  {
    at: /^(?:(?:www|ul)\.)?waze\.com\//,
    // A geohash.
    code: {
      at: /^\/ul\/h([0-9b-hjkmnp-z]{6,12})$/,
      alphabet: '0123456789bcdefghjkmnpqrstuvwxyz',
      isNorthFirst: false,
    },
    points: ['ll', 'latlng', 'to', 'lat,lon', 'q'],
    names: ['q'],
  },
  {
    at: new RegExp(String.raw`^(?:(?:www\.)?${YANDEX_TLD}\/maps|maps\.${YANDEX_TLD}\/)`),
    target: /\/org\/(?!\d+(?:\/|$))([^/?#]+)/,
    hasUnderscores: true,
    points: ['whatshere[point]', 'poi[point]', 'pt', 'rtext', 'text'],
    middles: ['ll', 'sll'],
    turned: /^(?:s?ll|pt|.*\[point\])$/,
    names: ['text', 'rtext'],
  },
  {
    at: /^(?:(?:m\.)?map|m\.place)\.naver\.com\//,
    target: /\/search\/([^/?#]+)/,
    pins: [last(String.raw`\/directions\/[^/?#]*\/${EAST},${NORTH}`)],
    points: ['lat,lng', 'dlat,dlng'],
    names: ['title', 'pinTitle', 'name', 'dname', 'query'],
  },
  {
    at: /^(?:m\.|place\.)?map\.kakao\.com\//,
    target: /\/link\/(?:[^?#]*\/)?([^/?#]+)/,
    points: ['p', 'ep'],
    names: ['q', 'name'],
  },
];

// Links that apps open, and the hosts whose links say the same.
const SCHEMES: readonly (readonly [RegExp, string])[] = [
  [/^geo:/i, 'geo.invalid/'],
  [/^(?:om|ge0|cm|mapsme|mapswithme):\/\//i, 'omaps.app/'],
  [/^comgooglemaps:\/\//i, 'google.invalid/'],
  [/^google\.navigation:/i, 'google.invalid/?'],
  [/^waze:\/\//i, 'waze.com/'],
  [/^yandexmaps:\/\/(?:maps\.yandex\.\w+\/)?/i, 'yandex.ru/maps/'],
  [/^nmap:\/\//i, 'map.naver.com/'],
  [/^kakaomap:\/\//i, 'map.kakao.com/'],
  [/^maps:\/\//i, 'maps.apple.com/'],
];
const WRAPPED = new RegExp(
  String.raw`^(?:(?:www|consent)\.${GOOGLE_TLD}\/(?:url|ml?|sorry\/index)|maps\.app\.goo\.gl\/)$`,
);
const WITHIN = ['continue', 'link', 'url', 'q'];
const SHORT = new RegExp(
  String.raw`^(?:(?:maps\.app\.goo\.gl|goo\.gl\/maps|g\.co\/kgs|g\.page|share\.google|maps\.apple(?:\.com)?\/p|her\.is|share\.here\.com\/(?:p|r(?!\/(?:mylocation|-?\d)))|w3w\.co|what3words\.com|naver\.me|kko\.to|kko\.kakao\.com|binged\.it|${YANDEX_TLD}\/maps\/-)\/.|www\.google\.com\/share\.google$)`,
);
const MANY = new RegExp(
  String.raw`^(?:(?:www\.)?${GOOGLE_TLD}\/maps\/(?:d\/|placelists|lists|saved|contrib|timeline|(?!place\/|dir\/).*!11m\d+!2s)|maps\.${GOOGLE_TLD}\/(?:d\/|maps\/ms\b)|maps\.apple\.com\/(?:guides|.*[?&]ug=)|guides\.apple\.com\/|umap\.openstreetmap\.[a-z]+\/|${YANDEX_TLD}\/maps\/.*(?:bookmarks|usermaps|constructor|discovery)|map\.(?:naver|kakao)\.com\/(?:.*[/?&])?(?:favorite|folder)|www\.google\.com\/(?:interests|collections|save)\b)`,
);
// Place ids of Google; only these begin with ChIJ in links of others.
const GOOGLE_ID =
  /(?:[?&](?:query|destination)_place_id=|[?&]placeid=|place_id(?::|%3A)|!19s|[?&](?:place=|to=place\.)(?=ChIJ))([\w-]+)/g;
const FEATURE = /(?:!1s|[?&]ftid=)0x[\da-f]{1,16}(?::|%3A)0x([\da-f]{1,16})|[?&](?:ludo)?cid=(\d{1,20})/gi;
const PAIR = new RegExp(
  String.raw`^${NORTH}\s*[,~_]\s*${EAST}\s*(?:\((?<label>.*)\)|[_,;]\s*(?<rest>.*))?$`,
  's',
);
const NAMED_PAIR = new RegExp(
  String.raw`^(?<label>.*[^\d\s.,+-].*?)[,:@]\s*(?<north>-?\d{1,2}\.\d+),\s*(?<east>-?\d{1,3}\.\d+)$`,
  's',
);
const PLUS_CODE = /(?<!\w)[23456789CFGHJMPQRVWX]{4,8}\+[23456789CFGHJMPQRVWX]{2,4}(?!\w)[\s,]*/g;
// A word such as "via" or "street", before or after its name, means that a text is an address.
const STREET =
  /(?:^|[\s,])(?:via|viale|vicolo|piazza|corso|largo|rue|avenue|ave|boulevard|bd|place|quai|street|st|road|rd|lane|ln|drive|square|calle|avenida|av|plaza|paseo|carrer|rua|ul|ulica|ул|улица|проспект|вул|οδός)(?=[\s.,]|$)|(?:stra(?:ß|ss)e|str\.|platz|weg|allee|gasse|straat|gatan|vej|katu)(?=[\s,]|$)|[都道府県市区町村路街号號](?=[\s,\d０-９一-十]|\p{L}+\d|$)|丁目|番地|[로길]\s?\d|شارع|רחוב/iu;

/** What a link says; undefined unless it is one to a known map. A link may come without its scheme. */
export function readMapLink(text: string): MapLink | undefined {
  const link = text.trim();
  const scheme = SCHEMES.find(([pattern]) => pattern.test(link));
  const url = webAddress(scheme ? link.replace(...scheme) : link);
  if (!url) return undefined;
  const place = url.host + url.pathname;
  const within = WRAPPED.test(place) ? WITHIN.map((name) => url.searchParams.get(name)) : [];
  const inner = within.find((one) => one !== null) ?? '';
  if (inner !== '') return readMapLink(inner);
  const found = { url: scheme ? link : url.href };
  if (MANY.test(place + url.search)) return { ...found, kind: 'many' };
  if (SHORT.test(place)) return { ...found, kind: 'short' };
  const service = SERVICES.find(({ at }) => at.test(place));
  return service && { ...found, kind: 'place', ...readPlace(service, url) };
}

/** Whether a link says nothing until its own service is asked. */
export function saysNothing(link: MapLink): boolean {
  const { name, address, position, google, osm } = link;
  return link.kind !== 'many' && (name ?? address ?? position ?? google ?? osm) === undefined;
}

/** The id that a link has for its place at Google or OpenStreetMap. All links to one place have the same. */
export function mapIdentity(link: string): string | undefined {
  if (!/0x|cid|place_?id|ChIJ|node|way|relation/.test(link)) return undefined;
  const place = readMapLink(link);
  if (place?.kind !== 'place') return undefined;
  const [, feature, cid] = lastOf(FEATURE, place.url) ?? [];
  const id = feature === undefined ? cid : String(BigInt(`0x${feature}`));
  if (id !== undefined && id !== '0') return `google:${id}`;
  return place.google === undefined ? place.osm && `osm:${place.osm}` : `google:${place.google}`;
}

/** Whether a text has a word for a street. */
export function isStreet(text: string): boolean {
  return STREET.test(text);
}

/** Splits "Da Enzo, Via dei Vascellari 29" into name and address; a text may also be only one of them. */
export function splitWords(text: string): Pick<MapLink, 'name' | 'address'> {
  const plain = text.replace(PLUS_CODE, '').replace(/^[\s,]+|[\s,]+$/g, '');
  const [first = '', ...rest] = plain.split(/\s*[,，、]\s*/u);
  if (STREET.test(first) && (/\d/.test(first) || /^\d+\S?$/u.test(rest[0] ?? ''))) return { address: plain };
  const address = rest.join(', ');
  // What follows a plus code is a place and its town.
  if (/\p{Nd}/u.test(address) || STREET.test(address) || (address !== '' && plain !== text))
    return { name: first, address };
  return plain === '' ? {} : { name: plain };
}

/** An address over https; undefined for text that is none. */
function webAddress(text: string): URL | undefined {
  const address = text.trim().replace(/^(?:http:\/\/|(?!https:\/\/))/i, 'https://');
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
    ? url
    : undefined;
}

function readPlace(service: MapService, url: URL): Omit<MapLink, 'url' | 'kind'> {
  const { target: part, points = [], middles = [], pins = [], views = [], names = [] } = service;
  const { href, pathname, searchParams } = url;
  const get = (name: string): Said => {
    const values = name.split(',').map((one) => searchParams.get(one)?.trim() ?? '');
    // Of a route, the goal; without the words for a kind of point that some maps write in front.
    const value =
      values
        .join()
        .split(/~(?=[a-z]|[^~]*,)/)
        .at(-1) ?? '';
    return readSaid(
      value.replace(/^(?:loc:|ll\.|point\.|pos\.|adr\.|place(?:_id:|\.).*)/, ''),
      service.turned?.test(name),
    );
  };
  const path = decoded(part?.exec(href)?.[1] ?? '');
  const target = readSaid(service.hasUnderscores === true ? path.replaceAll('_', ' ') : path);
  const pinned = (pattern: RegExp): Position | undefined => pairOf(lastOf(pattern, href)?.groups);
  const stated = (name: string): Position | undefined => get(name).position;
  const exact = [
    decodePosition(service.code, pathname),
    ...pins.map(pinned),
    ...points.map(stated),
    target.position,
  ];
  const position = exact.find((one) => one);
  const approximate = position ?? [...middles.map(stated), ...views.map(pinned)].find((one) => one);
  const words = [target, ...names.map(get), ...points.map(get)]
    .map((said) => said.words)
    .find((text) => /[\p{L}\p{N}]/u.test(text) && !/°|^\d{6,}$/.test(text));
  const address = searchParams.get('address')?.trim() ?? '';
  const [, google] = lastOf(GOOGLE_ID, href) ?? [];
  const [, kind, id] = service.objects?.exec(href) ?? [];
  return {
    ...splitWords(words ?? ''),
    ...(address !== '' && { address }),
    ...(approximate && { position: approximate }),
    ...(approximate && !position && { isApproximate: true }),
    ...(google !== undefined && { google }),
    ...(kind !== undefined && id !== undefined && { osm: `${kind.toUpperCase()}${id}` }),
  };
}

interface Said {
  readonly position?: Position | undefined;
  readonly words: string;
}

/** Reads a part of a link: 41.9,12.5 or 41.9,12.5(Name) or Name,41.9,12.5, a position in another notation, or words. */
function readSaid(text: string, isTurned = false): Said {
  const pair = (PAIR.exec(text) ?? NAMED_PAIR.exec(text))?.groups;
  if (!pair) {
    const position = readPosition(text);
    return { position, words: position ? '' : text };
  }
  const { north, east, label, rest = '' } = pair;
  // "12, 5, Main Street"
  if (/^\p{L}[^=]*$/u.test(rest) && !/\..*\./.test(`${north}${east}`)) return { words: text };
  const position = pairOf(isTurned ? { north: east, east: north } : pair);
  return { position, words: isTurned ? '' : (label ?? /^\p{L}[^_;=]*(?!.*=)/u.exec(rest)?.[0] ?? '') };
}

function pairOf(pair: Readonly<Record<string, string | undefined>> | undefined): Position | undefined {
  return pair && positionOf(Number(pair['north']), Number(pair['east']));
}

function decodePosition(how: PositionCode | undefined, pathname: string): Position | undefined {
  const [, code] = how?.at.exec(pathname) ?? [];
  if (!how || code === undefined) return undefined;
  const { alphabet, isNorthFirst } = how;
  const bits = Array.from(code.replaceAll('@', '~'), (character) =>
    alphabet.indexOf(character).toString(2).padStart(Math.log2(alphabet.length), '0'),
  ).join('');
  // The middle of the square that the bits leave.
  const degrees = (first: number, all: number): number => {
    const own = Array.from(bits).filter((_, at) => at % 2 === first);
    const share = (parseInt(own.join(''), 2) + 0.5) / 2 ** own.length;
    return Number((share * all - all / 2).toFixed(6));
  };
  return positionOf(degrees(isNorthFirst ? 0 : 1, 180), degrees(isNorthFirst ? 1 : 0, 360));
}

function lastOf(pattern: RegExp, text: string): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].at(-1);
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced).trim();
  } catch {
    return spaced;
  }
}
