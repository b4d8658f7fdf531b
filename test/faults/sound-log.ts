import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fieldsOfColumns } from '../../src/catalogue/restaurants/fields.ts';
import { PUBLIC_KINDS, type PublicKind } from '../../src/storage/change-log.ts';
import { array, record } from '../support/client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The content of the catalogue by its log: of each kind, what is known of each thing by its id. */
type Told = Readonly<Record<PublicKind, Map<number, Fields>>> & {
  /** What went with deleted restaurants, by their ids. */
  readonly along: Readonly<Record<'rating' | 'photo', Map<number, readonly (readonly [number, Fields])[]>>>;
};

const TABLES: Readonly<Record<PublicKind, string>> = {
  restaurant: 'restaurants',
  category: 'categories',
  food_type: 'food_types',
  suggestion: 'suggestions',
  rating: 'ratings',
  photo: 'photos',
};
// Where a restaurant and a suggestion name their category.
const CATEGORY = { restaurant: 'category_id', suggestion: 'suggested_category_id' } as const;
type Place = keyof typeof CATEGORY;
const PLACES: readonly Place[] = ['restaurant', 'suggestion'];

// The log reads new ratings and restaurants from their rows.
const CHANGES = `SELECT *, CASE
  WHEN after = '[]' AND kind = 'rating' THEN (SELECT entity FROM logged_ratings WHERE id = entity_id)
  WHEN after = '[]' THEN (SELECT entity FROM logged_restaurants WHERE id = entity_id)
  ELSE after
END AS after FROM changes ORDER BY id`;

/** Where the change log of a data folder and its tables do not agree, a line each. Nothing may have been compacted. */
export function faultsOfLog(folder: string): string[] {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
  try {
    const changes = database.prepare(CHANGES).all().map(record);
    const gap = changes.findIndex(({ id }, index) => id !== index + 1);
    const told = tell(changes);
    return [
      ...(gap === -1 ? [] : [`the log has no change ${gap + 1}`]),
      ...faultsOfReverts(changes),
      ...PUBLIC_KINDS.flatMap((kind) => differences(kind, told, stored(database, kind))),
    ];
  } finally {
    database.close();
  }
}

function faultsOfReverts(changes: readonly Fields[]): string[] {
  const revertedBy = new Map<unknown, unknown>();
  const reverts = new Map(changes.map((change) => [change['id'], change['reverts']]));
  for (const { id, reverts: undone } of changes) {
    if (undone === null) continue;
    revertedBy.set(undone, id);
    revertedBy.delete(reverts.get(undone));
  }
  return changes
    .filter(({ id, reverted_by }) => (revertedBy.get(id) ?? null) !== reverted_by)
    .map(({ id, reverted_by }) => `change ${String(id)} is not reverted by ${String(reverted_by)}`);
}

/**
 * The content after all changes. What goes with a restaurant comes back with it; the log names the first hundred. Of what a
 * new catalogue has, only what was changed of it is known.
 */
function tell(changes: readonly Fields[]): Told {
  const told: Told = {
    restaurant: new Map(),
    category: new Map(),
    food_type: new Map(),
    suggestion: new Map(),
    rating: new Map(),
    photo: new Map(),
    along: { rating: new Map(), photo: new Map() },
  };
  for (const { kind: name, entity_id, action, after } of changes) {
    const kind = PUBLIC_KINDS.find((one) => one === name);
    if (!kind) throw new Error(`a change of ${String(name)}`);
    const id = Number(entity_id);
    if (action === 'delete') remove(told, kind, id);
    // Of what was purged the log holds nothing.
    else if (typeof after === 'string') put(told, kind, id, record(JSON.parse(after)));
  }
  return told;
}

function put(told: Told, kind: PublicKind, id: number, after: Fields): void {
  const { restaurant_ids, suggestion_ids = [], ...logged } = after;
  const own = Object.fromEntries(
    Object.entries(logged).filter(([name]) => !/^(last_)?(rating|photo)s?_(ids?|total)$/.test(name)),
  );
  told[kind].set(id, { ...told[kind].get(id), ...own });
  if (kind === 'restaurant')
    for (const of of ['rating', 'photo'] as const)
      for (const [one, row] of told.along[of].get(id) ?? []) told[of].set(one, row);
  if (kind === 'restaurant') amend(told, 'suggestion', array(suggestion_ids), () => ({ restaurant_id: id }));
  if (restaurant_ids === undefined) return;
  amend(told, 'restaurant', array(restaurant_ids), named(kind, id, 'restaurant'));
  amend(told, 'suggestion', array(suggestion_ids), named(kind, id, 'suggestion'));
}

function amend(
  told: Told,
  kind: PublicKind,
  ids: readonly unknown[],
  change: (known: Fields) => Fields,
): void {
  for (const id of ids.map(Number)) {
    const known = told[kind].get(id);
    if (known) told[kind].set(id, { ...known, ...change(known) });
  }
}

/** A place with a category or a food type that came back. */
function named(kind: PublicKind, id: number, place: Place): (known: Fields) => Fields {
  if (kind === 'category') return () => ({ [CATEGORY[place]]: id });
  return ({ food_type_ids: types }) => ({
    food_type_ids: [...new Set([...array(types).map(Number), id])].sort((left, right) => left - right),
  });
}

function remove(told: Told, kind: PublicKind, id: number): void {
  told[kind].delete(id);
  if (kind === 'restaurant') for (const of of ['rating', 'photo'] as const) take(told, of, id);
  for (const place of PLACES) amend(told, place, [...told[place].keys()], without(kind, id, place));
}

/** Takes ratings or photos away with their restaurant. */
function take(told: Told, of: 'rating' | 'photo', restaurantId: number): void {
  const taken = [...told[of]].filter(([, { restaurant_id }]) => restaurant_id === restaurantId);
  for (const [one] of taken) told[of].delete(one);
  told.along[of].set(restaurantId, taken);
}

/** A place without what is gone. */
function without(kind: PublicKind, id: number, place: Place): (known: Fields) => Fields {
  return (known) => {
    const [single] = Object.entries({
      category: CATEGORY[place],
      restaurant: 'restaurant_id',
      suggestion: 'suggestion_id',
    }).flatMap(([of, name]) => (of === kind && known[name] === id ? [name] : []));
    if (kind === 'food_type')
      return { food_type_ids: array(known['food_type_ids']).filter((type) => type !== id) };
    return single === undefined ? {} : { [single]: null };
  };
}

function stored(database: Database.Database, kind: PublicKind): Map<number, Fields> {
  // What went with a restaurant is in the trash.
  const where =
    kind === 'rating' || kind === 'photo' ? 'WHERE restaurant_id IN (SELECT id FROM restaurants)' : '';
  const rows = database.prepare(`SELECT * FROM ${TABLES[kind]} ${where}`).all().map(record);
  const there = rows.filter(({ deleted_at = null }) => deleted_at === null);
  const extra = placeFields(database, kind);
  return new Map(
    there.map((row) => [
      Number(row['id']),
      {
        ...row,
        author_id: row['user_id'],
        // Empty in a rating that was not changed.
        updated_at: row['updated_at'] === '' ? row['created_at'] : row['updated_at'],
        ...extra(row),
        ...(kind === 'restaurant' && factsOf(row)),
      },
    ]),
  );
}

/** The fields with several keys, which are JSON in their columns. */
function factsOf(row: Fields): Fields {
  const column = (name: string): string | null => (typeof row[name] === 'string' ? row[name] : null);
  return { ...fieldsOfColumns({ diets: column('diets'), external_ids: column('external_ids') }) };
}

/** The category and the food types of restaurants and suggestions that are not deleted. */
function placeFields(database: Database.Database, kind: PublicKind): (row: Fields) => Fields {
  const place = PLACES.find((one) => one === kind);
  if (!place) return () => ({});
  const idsOf = (sql: string): unknown[] => database.prepare(sql).pluck().all();
  const categories = new Set(idsOf('SELECT id FROM categories WHERE deleted_at IS NULL'));
  const links = database
    .prepare(
      `SELECT ${place}_id AS place, food_type_id AS type FROM ${place}_food_types
      JOIN food_types ON food_types.id = food_type_id WHERE deleted_at IS NULL ORDER BY food_type_id`,
    )
    .all()
    .map(record);
  const types = new Map<unknown, unknown[]>();
  for (const { place: of, type } of links) types.set(of, [...(types.get(of) ?? []), type]);
  return (row) => ({
    [CATEGORY[place]]: categories.has(row[CATEGORY[place]]) ? row[CATEGORY[place]] : null,
    food_type_ids: types.get(row['id']) ?? [],
  });
}

function differences(kind: PublicKind, told: Told, rows: Map<number, Fields>): string[] {
  const known = told[kind];
  const isSeeded = kind === 'category' || kind === 'food_type';
  return [
    ...[...rows.keys()]
      .filter((id) => !known.has(id) && !isSeeded)
      .map((id) => `${kind} ${id} is in no change`),
    ...[...known].flatMap(([id, fields]) => {
      const row = rows.get(id);
      if (!row) return [`${kind} ${id} is not there`];
      return Object.keys(fields)
        .filter((name) => JSON.stringify(fields[name]) !== JSON.stringify(row[name]))
        .map(
          (name) =>
            `${name} of ${kind} ${id} is ${JSON.stringify(row[name])}, not ${JSON.stringify(fields[name])}`,
        );
    }),
  ];
}
