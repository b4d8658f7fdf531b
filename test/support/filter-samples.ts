import { type Client, record } from './client.ts';

/** A place as its own answer shows it. */
export interface Place {
  readonly id: number;
  readonly name: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly category: number | null;
  readonly foodTypes: readonly number[];
  readonly status: string;
  readonly overall: number;
  readonly createdAt: string;
  /** What the caller has noted. */
  readonly mine: Readonly<Record<string, unknown>>;
  /** All of the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** A value of a filter, and what a place must be to pass it. */
export interface Sample {
  readonly value: string;
  /** Whether pending suggestions have what it is about, so that they are listed, too. */
  readonly isOfSuggestions?: true;
  readonly has: (place: Place) => boolean;
  /** Fields of random places that no other part of these tests has a use for. */
  readonly fields?: (below: (count: number) => number) => Readonly<Record<string, unknown>>;
  /** Notes something of a random place. */
  readonly note?: (api: Client, id: number, below: (count: number) => number) => Promise<unknown>;
}

/** Every filter of the table, by the name of its parameter. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  category_id: { value: '2', isOfSuggestions: true, has: ({ category }) => category === 2 },
  food_type_ids: {
    value: '3,5',
    isOfSuggestions: true,
    has: ({ foodTypes }) => foodTypes.some((id) => id === 3 || id === 5),
  },
  bbox: {
    isOfSuggestions: true,
    value: '2.05,48.55,2.45,49.05',
    has: ({ latitude, longitude }) => isBetween(latitude, 48.55, 49.05) && isBetween(longitude, 2.05, 2.45),
  },
  status: { value: 'closed', has: ({ status }) => status === 'closed' },
  price_level: {
    value: '1,3',
    has: ({ answer }) => answer['price_level'] === 1 || answer['price_level'] === 3,
    fields: (below) => ({ price_level: below(5) || null }),
  },
  diet: {
    value: 'vegan,halal',
    has: ({ answer }) => {
      const diets = record(answer['diets'] ?? {});
      return ['vegan', 'halal'].every((diet) => ['yes', 'only'].includes(String(diets[diet])));
    },
    fields: (below) => {
      const values = ['yes', 'only', 'limited', 'no', null];
      return { diets: { vegan: values[below(5)], halal: values[below(5)], kosher: values[below(5)] } };
    },
  },
  list: {
    value: 'want',
    has: ({ mine }) => mine['want'] === true,
    note: async (api, id, below) => below(3) > 0 && api.put(`/lists/want/items/${id}`, {}),
  },
  visited: {
    value: 'no',
    has: ({ mine }) => mine['visits'] === 0,
    note: async (api, id, below) => below(2) === 0 && api.post('/visits', { restaurant_id: id }),
  },
  min_rating: { value: '3', has: ({ overall }) => overall >= 3 },
  // A Wednesday, 14:00 at these places; without coordinates no place has a time zone.
  open_at: {
    value: '2026-07-15T12:00:00Z',
    has: ({ status, latitude, answer }) =>
      status === 'active' && (latitude === null || answer['opening_hours'] !== 'Sa-Su 10:00-20:00'),
    fields: (below) => ({
      opening_hours: ['Mo-Fr 12:00-15:00', 'Sa-Su 10:00-20:00', 'Sa-Su 10:00-20:00', 'sometimes', null][
        below(5)
      ],
    }),
  },
};

function isBetween(value: number | null, least: number, most: number): boolean {
  return value !== null && value >= least && value <= most;
}
