import type { Found, Restaurant } from '../base/types.js';

/** What the form of a place is for: a new place, a suggestion of one, a change, or making one of a suggestion. */
export type Purpose = 'add' | 'suggest' | 'edit' | 'convert';

/** What stands in the form, by the names of its fields, `position` as it is typed or pasted; `id` and `status` of what there was. */
export interface Values {
  readonly [name: string]: unknown;
  readonly id?: number;
  readonly status?: string;
  readonly name?: string | null;
  readonly address?: string | null;
  readonly phone?: string | null;
  readonly website?: string | null;
  readonly position?: string | undefined;
  readonly food_type_ids?: readonly number[];
  readonly diets?: Readonly<Record<string, string | null>>;
}

/** `control`: how a field is shown; without one it is not. `isNumber`: its value is one for the API, a text on the screen. */
export interface FieldRow {
  readonly name: string;
  readonly control?: 'text' | 'position' | 'select' | 'foods' | 'diets';
  readonly type?: string;
  readonly max?: number;
  readonly required?: boolean;
  readonly isNumber?: boolean;
  readonly of: readonly Purpose[];
}

const ALL: Purpose[] = ['add', 'suggest', 'edit', 'convert'];
const FACTS: Purpose[] = ['add', 'edit', 'convert'];

const FIELDS: readonly FieldRow[] = [
  { name: 'name', control: 'text', required: true, max: 255, of: ALL },
  { name: 'address', control: 'text', max: 500, of: ALL },
  { name: 'position', control: 'position', of: ['add', 'suggest', 'edit'] },
  { name: 'category_id', control: 'select', isNumber: true, of: ALL },
  { name: 'food_type_ids', control: 'foods', of: ALL },
  { name: 'price_level', control: 'select', isNumber: true, of: FACTS },
  { name: 'phone', control: 'text', type: 'tel', max: 50, of: ALL },
  { name: 'website', control: 'text', type: 'url', max: 500, of: ALL },
  { name: 'opening_hours', control: 'text', max: 1000, of: FACTS },
  { name: 'diets', control: 'diets', of: FACTS },
  { name: 'status', control: 'select', required: true, of: ['edit'] },
  { name: 'description', control: 'text', type: 'area', max: 5000, of: FACTS },
  { name: 'notes', control: 'text', type: 'area', max: 5000, of: ['suggest'] },
  { name: 'google_place_id', of: ['add', 'suggest'] },
  { name: 'external_ids', of: ['add'] },
];

export const fieldsOf = (purpose: Purpose) => FIELDS.filter(({ of }) => of.includes(purpose));

/** Where a text says that a place is, if it does: numbers, degrees or a link to a map. */
export const positionOf = (text = ''): Pick<PlaceText, 'lat' | 'lng'> => ({
  ...parsePlace(text),
  ...position(text),
});

/** A position as the form shows it, to some ten centimetres; undefined where there is none. */
export const positionText = (lat?: number | null, lng?: number | null) =>
  typeof lat === 'number' && typeof lng === 'number'
    ? [lat, lng].map((degrees) => Number(degrees.toFixed(6))).join(', ')
    : undefined;

/** What of a place is in the form in another way; `place_id` is what the maps provider calls it. */
export type Place = Partial<
  Pick<Restaurant, 'latitude' | 'longitude' | 'category' | 'food_types'> & Pick<Found, 'place_id'>
>;

export function valuesOf(all: Place): Values {
  const { latitude, longitude, category, food_types: foods, place_id: id, ...place } = all;
  const at = positionText(latitude, longitude);
  return {
    ...place,
    ...(at && { position: at }),
    ...(category && { category_id: category.id }),
    ...(foods && { food_type_ids: foods.map(({ id }) => id) }),
    ...(id && { google_place_id: id }),
    ...(id?.startsWith('osm:') && { external_ids: { osm: id.slice('osm:'.length) } }),
  };
}

function sent({ name, isNumber }: FieldRow, values: Values) {
  const value = values[name];
  if (Array.isArray(value) && value.length === 0) return null;
  if (typeof value !== 'string') return value ?? null;
  return value.trim() === '' ? null : isNumber ? Number(value) : value.trim();
}

/** The body of a request: the fields that differ from what there was before, which is empty for a new place. */
export function bodyOf(purpose: Purpose, values: Values, before: Values): Record<string, unknown> {
  const changed = fieldsOf(purpose)
    .map((row) => [row.name, sent(row, values), sent(row, before)] as const)
    .filter(([, value, old]) => JSON.stringify(value) !== JSON.stringify(old));
  const { position, ...body } = Object.fromEntries(changed.map(([name, value]) => [name, value]));
  if (position === undefined) return body;
  const { lat: latitude = null, lng: longitude = null } = positionOf(values.position);
  return { ...body, latitude, longitude };
}

/** The place that there is already, as the service says it. */
export function twinOf(message: string) {
  const [, noun, name, id] =
    /^(Restaurant|Suggestion) already exists: "(.*)" \(id (\d+)\)$/s.exec(message) ?? [];
  return name === undefined ? undefined : { id: Number(id), name, isSuggestion: noun === 'Suggestion' };
}

/**
 * What a pasted or shared text says about a place. `url` is the link to a map in it, `website` any other link; an
 * `approximate` position is the middle of a map, and an `unresolved` link says nothing until its own service is asked.
 */
type PlaceText = Partial<
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
// A word such as "via" or "street", before or after its name, means that a text is an address.
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
function position(text: string): PlaceText {
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

/** Splits "Da Enzo, Via dei Vascellari 29" into name and address; a text may also be only one of them. */
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
