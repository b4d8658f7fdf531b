import { type Client, idOf } from './client.ts';
import { SAMPLES } from './filter-samples.ts';

/** A whole number from 0 to below a count. */
export type Below = (count: number) => number;

/** The fields of a restaurant, of few kinds and at few places, so that many are equal in something. */
export function fieldsOf(index: number, below: Below): Readonly<Record<string, unknown>> {
  const isPlaced = below(6) > 0;
  return {
    name: `${['Anna', 'Berta', 'carlo', 'Ödön'][below(4)] ?? ''} ${below(20)} ${index}`,
    address: `${index} Rue`,
    // Few places, so that some have the same distance.
    latitude: isPlaced ? 48.5 + below(8) / 10 : null,
    longitude: isPlaced ? 2 + below(8) / 10 : null,
    category_id: below(4) === 0 ? null : 1 + below(3),
    food_type_ids: [1, 2, 3, 4, 5].filter(() => below(3) === 0),
    status: ['active', 'closed', 'temporarily_closed'][below(3)],
    ...Object.fromEntries(
      Object.values(SAMPLES).flatMap(({ fields }) => Object.entries(fields?.(below) ?? {})),
    ),
  };
}

/** Adds one with up to two ratings. */
export async function addPlace(api: Client, index: number, below: Below, more: object = {}): Promise<void> {
  const id = idOf(await api.post('/restaurants', { ...fieldsOf(index, below), ...more }));
  for (const { note } of Object.values(SAMPLES)) await note?.(api, id, below);
  for (let rating = below(3); rating > 0; rating -= 1) await rate(api, id, below);
}

/** Rates a restaurant. */
export async function rate(api: Client, id: number, below: Below): Promise<void> {
  const value = (): number => 1 + below(5);
  const ratings = { food_rating: value(), service_rating: value(), ambiance_rating: value() };
  await api.post('/ratings', { restaurant_id: id, ...ratings });
}
