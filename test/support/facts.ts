import { zoneOf } from '../../src/catalogue/hours/zones.ts';
import { DIETS } from '../../src/catalogue/restaurants/field-table.ts';
import { FACT_NAMES } from '../../src/catalogue/restaurants/fields.ts';

interface Place {
  readonly latitude?: number | null;
  readonly longitude?: number | null;
  readonly google_place_id?: string | null;
}

/** How the facts of a place are answered that has none but what follows from its other fields. */
export function withoutFacts({ latitude, longitude, google_place_id }: Place, isSuggestion = false): object {
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  return {
    ...Object.fromEntries(FACT_NAMES.map((name) => [name, null])),
    time_zone: isPlaced && !isSuggestion ? zoneOf(latitude, longitude) : null,
    diets: Object.fromEntries(DIETS.map((diet) => [diet, null])),
    external_ids: { google: google_place_id ?? null, osm: null, fsq: null, overture: null, wikidata: null },
  };
}
