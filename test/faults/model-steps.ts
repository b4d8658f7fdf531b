import fc from 'fast-check';
import type { Query } from './model-views.ts';

const NAMES = [
  'Chez Nous',
  'CHEZ NOUS',
  'Chez Noüs',
  'Café Zoé',
  'Cafe Zoe',
  'Le Petit Coin',
  'Sakura',
  'Sakura Garden',
  'La Roma',
  'Al',
  "Joe's Diner",
  'Garden',
];
const ADDRESSES = [null, null, '1 Rue du Bac', '1 RUE DU BAC', '2 High Street', 'Am Markt 3'];
const TEXTS = [null, 'A garden behind the house', 'Fish & chips, and sushi too'];
const LOOKUPS = ['Bistro', 'BISTRO', 'Bistró', 'Garden', 'Pizza', 'Italian', 'Zoé', 'Sushi', 'Thai'];
const POSITIONS = [null, null, [48.85, 2.32], [48.86, 2.35], [-33.87, 151.2], [89.9, -179.9]] as const;
const WORDS = [
  'garden',
  'GARDEN zoé',
  'zoe',
  'ar',
  's',
  'ous',
  'chez nous',
  'nous chez',
  'bac',
  'sushi',
  'bistro',
  'pizz',
  'italian',
  'xyzzy',
  'rue 1',
  '"',
  'or',
  'cafe zoe',
  'al',
  'joes',
  "joe's",
];
const STATUSES = ['active', 'temporarily_closed', 'closed'];
const CHANGES = [
  ...([
    'name',
    'address',
    'description',
    'position',
    'google_place_id',
    'category_id',
    'food_type_ids',
  ] as const),
  ...(['status'] as const),
];

// How often each comes, among the others.
const KINDS = {
  createRestaurant: 8,
  changeRestaurant: 5,
  deleteRestaurant: 2,
  rate: 6,
  changeRating: 3,
  deleteRating: 2,
  suggest: 6,
  moderate: 4,
  convert: 4,
  deleteSuggestion: 1,
  createCategory: 2,
  renameCategory: 1,
  deleteCategory: 1,
  createFoodType: 2,
  renameFoodType: 1,
  deleteFoodType: 1,
  upload: 1,
  caption: 1,
  deletePhoto: 1,
  revertChange: 8,
  startWalk: 3,
  walkOn: 8,
} as const;

/** A step of a user. */
type Kind = keyof typeof KINDS;

/** A step that may change something. */
export type WriteKind = Exclude<Kind, 'startWalk' | 'walkOn'>;

/** A field of a restaurant that a change may send; a position is sent as both coordinates. */
export type ChangedField = (typeof CHANGES)[number];

/** One step of a run. It names things by numbers among those that are or were there, so that steps may be left out. */
export interface Step {
  readonly kind: Kind;
  readonly pick: number;
  readonly name: string;
  readonly lookup: string;
  readonly address: string | null;
  readonly text: string | null;
  readonly place: number | null;
  readonly position: readonly [number, number] | null;
  readonly category: number | null;
  readonly foodTypes: readonly number[];
  readonly status: string;
  readonly moderated: string;
  readonly scores: readonly [number, number, number] | null;
  readonly sent: readonly ChangedField[];
  readonly limit: number;
  readonly query: Query;
}

/** Steps of every kind; what is simpler, and done less often, comes first where they are shrunk. */
export function stepArbitrary(): fc.Arbitrary<Step> {
  const pick = fc.nat(999);
  const score = fc.integer({ min: 1, max: 5 });
  return fc.record({
    kind: fc.constantFrom(...kinds()),
    pick,
    name: fc.constantFrom(...NAMES),
    lookup: fc.constantFrom(...LOOKUPS),
    address: fc.constantFrom(...ADDRESSES),
    text: fc.constantFrom(...TEXTS),
    place: fc.option(fc.nat(3), { freq: 1 }),
    position: fc.constantFrom(...POSITIONS),
    category: fc.option(pick, { freq: 3 }),
    foodTypes: fc.array(pick, { maxLength: 3 }),
    status: fc.constantFrom(...STATUSES),
    moderated: fc.constantFrom('pending', 'approved', 'tested', 'rejected'),
    scores: fc.option(fc.tuple(score, score, score)),
    sent: fc.subarray([...CHANGES]),
    limit: fc.integer({ min: 1, max: 4 }),
    query: queryArbitrary(),
  });
}

function kinds(): Kind[] {
  const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name);
  return Object.entries(KINDS).flatMap(([kind, times]) =>
    isKind(kind) ? Array.from({ length: times }, () => kind) : [],
  );
}

function queryArbitrary(): fc.Arbitrary<Query> {
  const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
    fc
      .option(arbitrary, { freq: 1, nil: undefined })
      .chain((value) => fc.constantFrom(undefined, undefined, value));
  const id = fc.integer({ min: 1, max: 14 });
  return fc.record({
    category: rarely(id),
    foodTypes: rarely(fc.array(id, { minLength: 1, maxLength: 4 })),
    status: rarely(fc.constantFrom(...STATUSES)),
    minRating: rarely(fc.constantFrom(1, 2.5, 4)),
    words: rarely(fc.constantFrom(...WORDS)),
    near: rarely(
      fc.record({
        at: fc.constantFrom([48.85, 2.3] as const, [-33.8, 151.1] as const, [89.9, 0.1] as const),
        radius: fc.constantFrom(3, 20, 20_038),
      }),
    ),
    sort: fc.constantFrom('newest', 'name', 'rating'),
  });
}

/** Everything that is asked for of search. */
export function searchWords(): readonly string[] {
  return WORDS;
}
