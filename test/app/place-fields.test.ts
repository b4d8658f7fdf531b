import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, fieldsOf, twinOf, valuesOf } from '../../static/app/add/fields.js';
import { texts } from '../../static/app/texts/texts.js';
import { readDescription } from '../support/description.ts';

const { document, entries, resolve } = readDescription();
const schemas = resolve(resolve(document['components'])['schemas']);
const namesIn = (schema: string): string[] =>
  entries(resolve(schemas[schema])['properties']).map(([name]) => name);
const namesFor = (purpose: Parameters<typeof fieldsOf>[0]): string[] =>
  fieldsOf(purpose).flatMap(({ name }) => (name === 'position' ? ['latitude', 'longitude'] : [name]));

// Left to the service, to a rating, or to other screens.
const ELSEWHERE = /^(time_zone|suggested_category_id|comment|.*_rating|google_place_id|external_ids)$/;

const REQUESTS = [
  ['edit', 'RestaurantUpdate'],
  ['suggest', 'SuggestionCreate'],
  ['convert', 'SuggestionConversion'],
] as const;

for (const [purpose, schema] of REQUESTS)
  test(`The form has the fields of ${schema}`, () => {
    const known = namesIn(schema);
    assert.deepEqual(
      namesFor(purpose).filter((name) => !known.includes(name)),
      [],
    );
    assert.deepEqual(
      known.filter((name) => !namesFor(purpose).includes(name) && !ELSEWHERE.test(name)),
      [],
    );
  });

test('A new place is sent without the fields that nobody filled', () => {
  const body = bodyOf(
    'add',
    { name: ' Da Enzo ', address: '  ', food_type_ids: [], notes: 'x', phone: null },
    {},
  );
  assert.deepEqual(body, { name: 'Da Enzo' });
});

test('A change holds what differs: cleared fields as null, and both halves of a position', () => {
  const before = { name: 'A', phone: '1', position: '1, 2', food_type_ids: [3], description: null };
  assert.deepEqual(bodyOf('edit', { ...before, phone: '', food_type_ids: [] }, before), {
    phone: null,
    food_type_ids: null,
  });
  assert.deepEqual(bodyOf('edit', { ...before, position: '5, 2' }, before), { latitude: 5, longitude: 2 });
  assert.deepEqual(bodyOf('edit', { ...before, position: '' }, before), {
    latitude: null,
    longitude: null,
  });
  assert.deepEqual(bodyOf('edit', { ...before, description: '' }, before), {});
});

test('A place of OpenStreetMap that was looked up keeps its id there', () => {
  const found = { name: 'Da Enzo', address: null };
  assert.deepEqual(valuesOf({ ...found, place_id: 'osm:N26608425' }), {
    ...found,
    google_place_id: 'osm:N26608425',
    external_ids: { osm: 'N26608425' },
  });
  assert.deepEqual(valuesOf({ ...found, place_id: 'ChIJ' }), { ...found, google_place_id: 'ChIJ' });
});

test('The form shows category and food types by their ids', () => {
  const values = valuesOf({ category: { id: 7, name: 'Thai' }, food_types: [{ id: 3, name: 'Curry' }] });
  assert.deepEqual(values, { category_id: 7, food_type_ids: [3] });
});

test('A refusal says which place there is already', () => {
  assert.deepEqual(twinOf('Restaurant already exists: "Da "Enzo" (old)" (id 12)'), {
    id: 12,
    name: 'Da "Enzo" (old)',
    isSuggestion: false,
  });
  assert.deepEqual(twinOf('Suggestion already exists: "Kichi" (id 4)'), {
    id: 4,
    name: 'Kichi',
    isSuggestion: true,
  });
  assert.equal(twinOf('Suggestion 2 was rejected before'), undefined);
});

const { activity, add: words } = texts;

test('Every field has its words: in the form, for its choices, and in the activity', () => {
  const shown = (['add', 'suggest', 'edit', 'convert'] as const).flatMap((purpose) =>
    fieldsOf(purpose).filter(({ control }) => control !== undefined),
  );
  assert.deepEqual(
    shown.map(({ name }) => name).filter((name) => !(name in words.fields)),
    [],
  );
  assert.deepEqual(
    shown
      .filter(({ name, control }) => control === 'select' && !/_(?:id|level)$/.test(name))
      .filter(({ name }) => !(name in words.choices)),
    [],
  );
  assert.deepEqual(
    namesIn('RestaurantUpdate').filter((name) => !(name in activity.fields)),
    [],
  );
});
