import { readMapLink } from '../catalogue/places/map-address.ts';
import { type Properties, propertiesOf } from '../kit/objects.ts';
import { type Raw, elementsOf, textOf } from './source.ts';
import { readStars } from './values.ts';

type Position = readonly [longitude: unknown, latitude: unknown] | undefined;

// A search that is not one of a map.
const WEB_SEARCH = /^https:\/\/[^/]+\/search(?:[/?#]|$)/;

/** Whether a text is a link to a place on a map; a search of the web is none. */
export function isPlaceLink(text: string): boolean {
  const link = /^\s*https?:\/\//i.test(text) ? readMapLink(text) : undefined;
  return link !== undefined && link.kind !== 'many' && !WEB_SEARCH.test(link.url);
}

/** Whether the properties of a feature are those of a review, of the newer or the older kind. */
export function isReview(properties: Properties): boolean {
  return ['five_star_rating_published', 'review_text_published', 'Star Rating'].some((name) =>
    properties.has(name),
  );
}

/** Whether the properties of a GeoJSON feature are those of a saved place, of the older or the newer kind. */
export function isSavedPlace(properties: Properties): boolean {
  return properties.has('Google Maps URL') || properties.has('google_maps_url');
}

/** A saved place (`Saved Places.json`). */
export function readSavedPlace(line: number, properties: Properties, point: Position): Raw {
  const either = eitherOf(properties);
  const values = [
    ...placeValues(properties, point),
    ['description', textOf(properties.get('Comment'))] as const,
  ];
  const moment = ['created_at', either('Published', 'date')] as const;
  return { line, kind: 'restaurant', values: [...values, moment], isSaved: true };
}

// The axes of a review, by the words of its questions in the languages of the app.
const AXES: readonly (readonly [axis: string, words: RegExp])[] = [
  ['food_rating', /food|essen|speisen|comida|nourriture|cuisine|plats|cibo|eten|食事|料理|الطعام|طعام/i],
  ['service_rating', /service|servicio|servizio|serviço|bediening|サービス|الخدمة|خدمة/i],
  ['ambiance_rating', /atmosph|ambian|ambiente|atmosfera|atmósfera|sfeer|雰囲気|الأجواء|أجواء/i],
];

/** A review (`Reviews.json`): without a score for each axis, the one that there is counts for all three. */
export function readReview(line: number, properties: Properties, point: Position): Raw {
  const either = eitherOf(properties);
  const score = either('Star Rating', 'five_star_rating_published');
  // One that is no score is noted once.
  const scored = readStars(score).value === null ? AXES.slice(0, 1) : AXES;
  const scores = new Map<string, unknown>(scored.map(([axis]) => [axis, score]));
  const answers = elementsOf(properties.get('questions')).map(propertiesOf);
  const own = new Map<string, unknown>();
  for (const answer of answers) {
    const axis = AXES.find(([, words]) => words.test(textOf(answer?.get('question')) ?? ''))?.[0];
    const stars = answer?.get('rating') ?? answer?.get('selected_option');
    if (axis !== undefined && Number(stars) > 0) own.set(axis, Number(stars));
  }
  const review = new Map<string, unknown>([
    ...(own.size === AXES.length ? own : scores),
    ['comment', either('Review Comment', 'review_text_published')],
    ['created_at', either('Published', 'date')],
  ]);
  return { line, kind: 'restaurant', values: placeValues(properties, point), isSaved: true, review };
}

function eitherOf(properties: Properties) {
  return (older: string, newer: string): unknown => properties.get(older) ?? properties.get(newer);
}

function placeValues(properties: Properties, point: Position): Raw['values'] {
  const either = eitherOf(properties);
  const location = propertiesOf(either('Location', 'location')) ?? new Map<string, unknown>();
  const geo = propertiesOf(location.get('Geo Coordinates'));
  const address = textOf(location.get('Address') ?? location.get('address'));
  const business = textOf(location.get('Business Name') ?? location.get('name'));
  const name = textOf(properties.get('Title')) ?? business ?? address?.split(/[,\n]/, 1)[0];
  const isKnown = point !== undefined && (Number(point[0]) !== 0 || Number(point[1]) !== 0);
  const [longitude, latitude] = isKnown ? point : [geo?.get('Longitude'), geo?.get('Latitude')];
  return [
    ['name', name],
    ['address', address],
    ['map_link', textOf(either('Google Maps URL', 'google_maps_url'))],
    ['latitude', latitude],
    ['longitude', longitude],
  ];
}
