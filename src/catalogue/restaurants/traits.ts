import { kilometresFrom } from '../../index/geo.ts';
import { identityKey } from '../../storage/text.ts';
import { mapIdentity, readMapLink } from '../places/map-address.ts';
import type { NewRestaurant } from './fields.ts';

/** The facts by which places with the same name are distinguished. */
export interface Distinction {
  /** By where they come from: other catalogues, the map of a link, and the link itself. */
  readonly ids: ReadonlyMap<string, string>;
  readonly position: { readonly latitude: number; readonly longitude: number } | undefined;
}

type Place = Pick<
  NewRestaurant,
  'name' | 'address' | 'latitude' | 'longitude' | 'website' | 'google_place_id' | 'external_ids'
>;

// Rough coordinates of one place are up to 150 metres apart.
const NEAR_KM = 0.15;
// Not those within a postcode such as `1AA` or `2T6`.
const NUMBERS = /(?<![a-z\p{Nd}])\p{Nd}+(?=[a-z]?(?![a-z\p{Nd}]))/giu;
const SPACED_POSTCODE = /(?<!\p{Nd})\p{Nd}{3} \p{Nd}{2}(?!\p{Nd})/gu;
// With which the position in an identity begins.
const PLACED = '@';
const [BEFORE_IDS, BETWEEN_IDS] = ['\u0002', '\u0001'];

/** The traits of a place. */
export function distinctionOf({
  latitude,
  longitude,
  website,
  google_place_id,
  external_ids,
}: Place): Distinction {
  const ids = new Map<string, string>();
  const known = { google: google_place_id, ...external_ids, ...linkIds(website) };
  for (const [source, id] of Object.entries(known)) if (id !== null) ids.set(source, id);
  return { ids, position: latitude === null || longitude === null ? undefined : { latitude, longitude } };
}

/** Whether two places of one name are certainly two. */
export function differ(one: Distinction, other: Distinction): boolean {
  for (const [source, id] of one.ids) if ((other.ids.get(source) ?? id) !== id) return true;
  return (
    one.position !== undefined &&
    other.position !== undefined &&
    kilometresFrom(one.position)(other.position.latitude, other.position.longitude) > NEAR_KM
  );
}

/** Whether two places have one of their ids in common. */
export function share(one: Distinction, other: Distinction): boolean {
  return [...one.ids].some(([source, id]) => other.ids.get(source) === id);
}

/**
 * Whether an address has the number of a house, so that places of one name at it are one: a number of up to three digits, or
 * two numbers, one of which may be a postcode. `75001 Paris` says no more than the city.
 */
export function isExact(address: string | null): boolean {
  const numbers = address?.replace(SPACED_POSTCODE, ' ').match(NUMBERS) ?? [];
  return numbers.length > 1 || numbers.some((number) => number.length < 4);
}

/**
 * What identifies a stored place: without an exact address its ids and its position as well, so that branches of a chain can
 * stand next to each other.
 */
export function storedIdentity(place: Place): string {
  const key = identityKey(place);
  if (isExact(place.address)) return key;
  const { ids, position } = distinctionOf(place);
  const parts = [...ids].map((id) => id.join('='));
  // Without any address the position is a part of the key.
  if (position && place.address !== null) parts.push(identityKey({ ...place, name: '', address: null }));
  return parts.length === 0 ? key : `${key}${BEFORE_IDS}${parts.join(BETWEEN_IDS)}`;
}

/** What places of one name that may be one have in common: the address, or, without one, whether there is a position. */
export function groupKey(place: Place): string {
  const isPlaced = place.address === null && place.latitude !== null;
  return isPlaced ? identityKey({ ...place, latitude: null, longitude: null }) + PLACED : identityKey(place);
}

function linkIds(website: string | null): Readonly<Record<string, string>> {
  const url = website !== null && URL.canParse(website) ? new URL(website) : undefined;
  if (!url) return {};
  const map = mapIdentity(url.href);
  if (map !== undefined) return { map };
  // Other links to maps differ for one place.
  if (readMapLink(url.href)) return {};
  return { link: url.host.replace(/^www\./, '') + url.pathname.replace(/\/+$/, '') };
}
