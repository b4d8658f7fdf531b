import { kilometresFrom } from '../../index/geo.ts';
import { identityKey } from '../../storage/text.ts';
import { mapIdentity, readMapLink } from '../places/map-address.ts';
import type { NewRestaurant } from './fields.ts';

/** What tells places of one name apart. */
export interface Traits {
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
const [BEFORE_IDS, BETWEEN_IDS] = ['\u0002', '\u0001'];

/** The traits of a place. */
export function traitsOf({ latitude, longitude, website, google_place_id, external_ids }: Place): Traits {
  const ids = new Map<string, string>();
  const known = { google: google_place_id, ...external_ids, ...linkIds(website) };
  for (const [source, id] of Object.entries(known)) if (id !== null) ids.set(source, id);
  return { ids, position: latitude === null || longitude === null ? undefined : { latitude, longitude } };
}

/** Whether two places of one name are certainly two. */
export function differ(one: Traits, other: Traits): boolean {
  for (const [source, id] of one.ids) if ((other.ids.get(source) ?? id) !== id) return true;
  return (
    one.position !== undefined &&
    other.position !== undefined &&
    kilometresFrom(one.position)(other.position.latitude, other.position.longitude) > NEAR_KM
  );
}

/** Whether two places have one of their ids in common. */
export function share(one: Traits, other: Traits): boolean {
  return [...one.ids].some(([source, id]) => other.ids.get(source) === id);
}

/** What identifies a stored place: without an address its ids as well, so that branches of a chain can stand next to each other. */
export function storedIdentity(place: Place): string {
  const key = identityKey(place);
  const ids = place.address === null ? [...traitsOf(place).ids] : [];
  return ids.length === 0 ? key : `${key}${BEFORE_IDS}${ids.map((id) => id.join('=')).join(BETWEEN_IDS)}`;
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
