/**
 * What a pasted or shared text says about a place. `url` is the link to a map in it, `website` any other link.
 * `approximate` marks a position that is only the middle of a map; `unresolved` a link that says nothing until its
 * own service is asked.
 */
export type PlaceText = Partial<
  Record<'name' | 'address' | 'phone' | 'google_place_id' | 'osm' | 'url' | 'website', string> &
    Record<'lat' | 'lng', number> &
    Record<'approximate' | 'unresolved', boolean>
>;

const LINK =
  /geo:[^\s(<>"]+(?:\([^)]*\))?|(?:https?:\/\/|(?:www|maps|wego|share)\.(?=\S+\/)|(?:goo\.gl|osm\.org|openstreetmap\.org|waze\.com)\/)[^\s<>"]+/iu;
const MAPS =
  /^(?:geo\.invalid\/|(?:(?:www|maps)\.)?google\.[a-z.]{2,6}\/(?:maps|search)|maps\.google\.[a-z.]{2,6}\/|maps\.apple\.com\/|(?:www\.)?(?:openstreetmap|osm)\.org\/|(?:www\.)?bing\.com\/maps|(?:(?:www|ul)\.)?waze\.com\/|(?:wego|share|www)\.here\.com\/)/u;
const SHORT =
  /^(?:maps\.app\.goo\.gl|goo\.gl|g\.co|g\.page|share\.google|maps\.apple|her\.is|share\.here\.com\/[pr]|(?:www\.)?(?:osm|openstreetmap)\.org\/go|w3w\.co|what3words\.com|omaps\.app|ge0\.me)\//u;
const WRAPPED = /^(?:www|consent)\.google\.[a-z.]{2,6}\/(?:url|m)$/u;
// The word of a street, before or behind its name, tells an address from a name.
const STREET =
  /(?:^|[\s,])(?:via|viale|vicolo|piazza|corso|largo|rue|avenue|ave|boulevard|bd|place|quai|street|st|road|rd|lane|ln|drive|square|calle|avenida|av|plaza|paseo|carrer|rua|ul|ulica|ул|улица|проспект|вул|οδός)(?=[\s.,]|$)|(?:stra(?:ß|ss)e|str\.|platz|weg|allee|gasse|straat|gatan|vej|katu)(?=[\s,]|$)|[都道府県市区町村路街号號](?=[\s,\d０-９一-十]|\p{L}+\d|$)|丁目|番地|[로길]\s?\d|شارع|רחוב/iu;
const PHONE = /^\+?[\d\s()./-]{6,24}$/u;
const PAIR =
  /^(?:[^:\d]*:|ll\.|point\.)?([+-]?\d+(?:\.\d+)?)\s*[,~_;\s]\s*([+-]?\d+(?:\.\d+)?)\s*(?:[(_,;](.*))?$/iu;
const COMMAS = /^([+-]?\d+),(\d{2,})\s*[;\s]\s*([+-]?\d+),(\d{2,})$/u;
const ANGLE = /(\d+)[°º]\s*(?:(\d+)['′’]\s*)?(?:([\d.]+)["″”]\s*)?([NSEW])/giu;
const EXACT = ['coordinate', 'll', 'destination', 'daddr', 'to', 'query', 'q', 'pin', 'sp'];
const MIDDLE = ['map', 'cp', 'center'];
const NAMES = ['name', 'q', 'query', 'destination', 'daddr', 'where1'];

function decoded(text: string) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).trim();
  } catch {
    return text;
  }
}

/** @param text as 41.9,12.5 or 41.9,12.5(Name) or point.41.9_12.5_Name or 41°53'24"N 12°28'39"E */
export function position(text: string): PlaceText {
  const angles = [...text.matchAll(ANGLE)].map(
    ([, degrees, minutes = 0, seconds = 0, side = '']) =>
      (Number(degrees) + Number(minutes) / 60 + Number(seconds) / 3600) * (/[SW]/i.test(side) ? -1 : 1),
  );
  const pair = PAIR.exec(text.trim().replace(COMMAS, '$1.$2 $3.$4'));
  const [lat = NaN, lng = NaN] = angles.length === 2 ? angles : [Number(pair?.[1]), Number(pair?.[2])];
  // Links write 0, 0 where they know no position.
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180) || (lat === 0 && lng === 0)) return {};
  const name = /^\s*(\p{L}[^)_]*)/u.exec(pair?.[3] ?? '')?.[1];
  return { lat, lng, ...(name && { name: name.trim() }) };
}

const firstPosition = (texts: string[]) => texts.map(position).find(({ lat }) => lat !== undefined);

/** Tells "Da Enzo, Via dei Vascellari 29" from a name and from an address. */
function words(text: string): PlaceText {
  const [first = '', ...rest] = text.split(/\s*[,，、]\s*/u);
  if (STREET.test(first) && (/\d/.test(first) || /^\d+\S?$/u.test(rest[0] ?? ''))) return { address: text };
  const address = rest.join(', ');
  if (/\d/.test(address) || STREET.test(address)) return { name: first, address };
  return text === '' ? {} : { name: text };
}

function fromMap({ href, pathname, searchParams }: URL): PlaceText {
  const last = (pattern: RegExp) => [...href.matchAll(pattern)].at(-1)?.slice(1) ?? [];
  const get = (name: string) => searchParams.get(name)?.trim() ?? '';
  const [path = ''] = /(?<=\/(?:place|search|dir|l)\/).*?(?=\/@|\/data=|\/?$)/u.exec(pathname) ?? [];
  const target = decoded(path.split('/').at(-1) ?? '');
  const point = last(/!3d(-?[\d.]+)!4d(-?[\d.]+)/gu).join();
  const goal = last(/!1d(-?[\d.]+)!2d(-?[\d.]+)/gu)
    .toReversed()
    .join();
  const exact = firstPosition([point, goal, `${get('mlat')},${get('mlon')}`, ...EXACT.map(get), target]);
  const corner = last(/\/@([^/,]*),([^/,]*),[\d.]+[zma]/gu).join();
  const middle = firstPosition([...MIDDLE.map(get), corner, last(/#map=[\d.]+\/([^/]+)\/([^/&]+)/gu).join()]);
  const named = [target, ...NAMES.map(get)].find(
    (text) => /[\p{L}\d]/u.test(text) && !PAIR.test(text) && !/^place_id:|°/u.test(text),
  );
  const [google] = last(/(?:[?&](?:query|destination)_place_id=|place_id(?::|%3A)|!19s)([\w-]+)/gu);
  const [kind = '', id] = last(/\/(node|way|relation)\/(\d+)/gu);
  return {
    ...(exact ?? (middle && { ...middle, approximate: true })),
    ...words(named ?? ''),
    ...(get('address') && { address: get('address') }),
    ...(google && { google_place_id: google }),
    ...(id && { osm: `${kind.charAt(0).toUpperCase()}${id}` }),
  };
}

function fromLink(link: string): PlaceText {
  const text = link
    .replace(/^geo:([^?]*)/iu, 'https://geo.invalid/l/$1')
    .replace(/^(?!https?:)/iu, 'https://');
  if (!URL.canParse(text)) return {};
  const url = new URL(text);
  const place = url.host + url.pathname;
  const inner = WRAPPED.test(place) && (url.searchParams.get('continue') ?? url.searchParams.get('q'));
  if (inner) return fromLink(inner);
  if (SHORT.test(place)) return { url: text, unresolved: true };
  return MAPS.test(place) ? { ...fromMap(url), url: /^geo:/iu.test(link) ? link : text } : { website: text };
}

/** Reads a name, an address, a position or a link to a map out of what a person pasted or shared. It never throws. */
export function parsePlace(input: string): PlaceText {
  const text = input.slice(0, 5_000).normalize('NFC');
  const found = LINK.exec(text)?.[0] ?? '';
  const link = found.replace(found.includes('(') ? /[.,;:!?'»\]]+$/u : /[.,;:!?'»\])]+$/u, '');
  const lines = text
    .replace(link, '\n')
    .replace(/[^\S\n]+/gu, ' ')
    .split(/[\s(]*\n[\s).]*/u);
  const spot = lines.find((line) => /[.,]\d|°/u.test(line) && firstPosition([line]));
  const phone = lines.find((line) => line !== spot && PHONE.test(line));
  const said = lines.filter((line) => /[\p{L}\d]/u.test(line) && line !== spot && line !== phone);
  const [first = '', ...rest] = new Set(said.map((line) => line.trim()));
  return {
    ...(rest.length > 0 ? { name: first, address: rest.join(', ') } : words(first)),
    ...position(spot ?? ''),
    ...(phone && { phone: phone.trim() }),
    ...(link && fromLink(link)),
  };
}
