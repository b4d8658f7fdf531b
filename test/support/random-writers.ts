import { type Answer, type Client, array, field } from './client.ts';
import { form, photoPart, sendForm } from './photos.ts';

/** Writers that create, change, delete and revert things of every kind at random, side by side on the same things. */
export interface RandomWriters {
  readonly write: (api: Client, isOver: () => boolean) => Promise<void>;
  readonly acknowledged: () => number;
}

type Noun = 'restaurants' | 'ratings' | 'photos' | 'suggestions' | 'categories' | 'food-types';

interface Chance {
  readonly random: () => number;
  readonly below: (end: number) => number;
  readonly idOf: (noun: Noun) => number;
  readonly pick: <Value>(values: readonly Value[], none: Value) => Value;
  /** A name that some others have, too. */
  readonly name: () => string;
}

type Act = (api: Client, chance: Chance) => Promise<Answer>;

const STREETS = ['High Street', 'Rue du Bac', 'Via Roma', 'Gran Vía', 'Østergade'];
const STATUSES = ['active', 'temporarily_closed', 'closed'];
const MODERATED = ['pending', 'approved', 'tested', 'rejected'];
// Of ids that may be deleted already: others are found again and again.
const RECENT = 200;
const REVERTED = 50;

function place({ below, idOf, pick, name, random }: Chance): object {
  const position = random() < 0.3 ? { latitude: below(170) - 85, longitude: below(360) - 180 } : {};
  return {
    ...position,
    name: name(),
    address: random() < 0.7 ? `${below(50)} ${pick(STREETS, '')}` : null,
    phone: random() < 0.5 ? `+1 555 ${1000 + below(9000)}` : null,
    google_place_id: random() < 0.2 ? `place-${below(500)}` : null,
    category_id: random() < 0.6 ? idOf('categories') : null,
    food_type_ids: random() < 0.5 ? [...new Set([idOf('food-types'), idOf('food-types')])] : [],
  };
}

function scores({ below, random, name }: Chance): object {
  const score = (): number => 1 + below(5);
  const own = { food_rating: score(), service_rating: score(), ambiance_rating: score() };
  return random() < 0.5 ? own : { ...own, comment: `${name()} "quoted", and a comma` };
}

const remove =
  (noun: Noun): Act =>
  (api, { idOf }) =>
    api.delete(`/${noun}/${idOf(noun)}`);

const lookup = (noun: 'categories' | 'food-types'): readonly (readonly [number, Noun | undefined, Act])[] => [
  [2, noun, (api, { name }) => api.post(`/${noun}`, { name: name() })],
  [2, undefined, (api, { name, idOf }) => api.put(`/${noun}/${idOf(noun)}`, { name: name() })],
  [1, undefined, remove(noun)],
];

// How often each is done among the others, what its answer is the id of, and what it is.
const ACTS: readonly (readonly [number, Noun | undefined, Act])[] = [
  [14, 'restaurants', (api, chance) => api.post('/restaurants', place(chance))],
  [10, undefined, (api, chance) => api.put(`/restaurants/${chance.idOf('restaurants')}`, place(chance))],
  [5, undefined, remove('restaurants')],
  [
    20,
    'ratings',
    (api, chance) => api.post('/ratings', { restaurant_id: chance.idOf('restaurants'), ...scores(chance) }),
  ],
  [6, undefined, remove('ratings')],
  [8, 'suggestions', (api, chance) => api.post('/suggestions', place(chance))],
  [
    4,
    undefined,
    (api, { idOf, pick }) =>
      api.patch(`/suggestions/${idOf('suggestions')}/status`, { status: pick(MODERATED, '') }),
  ],
  [
    4,
    'restaurants',
    (api, chance) => api.post(`/suggestions/${chance.idOf('suggestions')}/convert`, scores(chance)),
  ],
  [2, undefined, remove('suggestions')],
  [
    2,
    undefined,
    (api, { idOf, pick }) => api.put(`/restaurants/${idOf('restaurants')}`, { status: pick(STATUSES, '') }),
  ],
  [
    1,
    'photos',
    (api, { idOf, name }) => {
      const sent = form(photoPart(), { name: 'caption', content: name() });
      return sendForm(api, sent, undefined, `/api/restaurants/${idOf('restaurants')}/photos`);
    },
  ],
  [1, undefined, (api, { idOf, name }) => api.patch(`/photos/${idOf('photos')}`, { caption: name() })],
  [1, undefined, remove('photos')],
  ...lookup('categories'),
  ...lookup('food-types'),
];
const PLAN = ACTS.flatMap(([times, made, act]) => Array.from({ length: times }, () => ({ made, act })));
const REVERT_SHARE = 0.1;
const WRITERS = 8;

/** Opens them. `random` is not asked in the same order in each run, since answers come as they come. */
export function createRandomWriters(random: () => number, writers = WRITERS): RandomWriters {
  const issued = new Map<Noun, number[]>();
  const changes: number[] = [];
  let acknowledged = 0;
  const below = (end: number): number => Math.floor(random() * end);
  const chance: Chance = {
    random,
    below,
    idOf: (noun) => {
      const ids = issued.get(noun) ?? [];
      return ids[ids.length - 1 - below(Math.min(RECENT, ids.length))] ?? 1;
    },
    pick: (values, none) => values[below(values.length)] ?? none,
    name: () => `Chez ${['Zoë', 'Émile', 'Ōta', 'Anna'][below(4)] ?? ''} ${below(2_000)}`,
  };

  function note({ status, headers, body }: Answer, made: Noun | undefined): void {
    if (status >= 500) throw new Error(`${status} for ${made ?? 'a change'}: ${JSON.stringify(body)}`);
    const change = headers.get('change');
    if (change === null) return;
    acknowledged += 1;
    changes.push(Number(change));
    if (made !== undefined && status === 201)
      issued.set(made, [...(issued.get(made) ?? []).slice(-RECENT), Number(field(body, 'id'))]);
  }

  async function act(api: Client): Promise<void> {
    if (random() < REVERT_SHARE && changes.length > 0) {
      const id = changes[changes.length - 1 - below(Math.min(REVERTED, changes.length))] ?? 0;
      note(await api.post(`/changes/${id}/revert`, {}), undefined);
      return;
    }
    const planned = PLAN[below(PLAN.length)];
    if (planned) note(await planned.act(api, chance), planned.made);
  }

  return {
    acknowledged: () => acknowledged,
    write: async (api, isOver) => {
      for (const noun of ['categories', 'food-types'] as const) {
        const found = array((await api.get(`/${noun}`)).body).map((one) => Number(field(one, 'id')));
        if (!issued.has(noun)) issued.set(noun, found);
      }
      const one = async (): Promise<void> => {
        while (!isOver()) await act(api);
      };
      await Promise.all(Array.from({ length: writers }, one));
    },
  };
}
