import { texts } from './texts.js';

/** What else a note of an import calls the fields of a place, by the words of the app for these. */
const OTHER_NAMES = {
  name: 'brand branch',
  address: 'street house_number unit place district postcode city region country',
  position: 'latitude longitude',
  category_id: 'category',
  food_type_ids: 'food_types cuisine',
  price_level: 'price',
  status: 'closed paused open former present',
  external_ids: 'id osm_id osm_type google_place_id map_link',
  rating: 'ratings food_rating service_rating ambiance_rating',
};

/** What the app calls a field of a note, such as `diets.vegan`. */
export function fieldWord(field: string) {
  const [own = ''] = field.split('.');
  const same = Object.entries(OTHER_NAMES).find(([, names]) => names.split(' ').includes(own))?.[0] ?? own;
  const [here, form]: readonly Readonly<Record<string, string | undefined>>[] = [
    texts.import.fields,
    texts.add.fields,
  ];
  return here?.[same] ?? form?.[same] ?? field;
}
