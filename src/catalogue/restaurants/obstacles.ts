import type { Prepared, QueryFile } from '../../storage/statements.ts';
import { type PlaceIdentity, identityKey } from '../../storage/text.ts';
import { type Facts, externalIds } from './facts.ts';
import type { NewRestaurant, RestaurantChange } from './fields.ts';

/** Another restaurant that stands in the way, with enough to name it. */
export interface Duplicate {
  readonly id: number;
  readonly name: string;
}

/** The fields by which two restaurants are the same one. */
export type Identity = PlaceIdentity & {
  readonly google_place_id: string | null;
  /** Suggestions have none. */
  readonly external_ids?: Facts;
};

/** Why a restaurant cannot be stored. */
export type Obstacle =
  | { readonly outcome: 'duplicate'; readonly of: Duplicate }
  | { readonly outcome: 'invalid'; readonly faults: readonly string[] };

/** Finds the obstacles to storing a restaurant that only the database knows. */
export interface Obstacles {
  /** The restaurant that this one would double, other than `except`: an id in another catalogue, or name and address. */
  readonly findDuplicate: (input: Identity, except?: number) => Duplicate | undefined;
  /** A category and food types that do not exist. `categoryField` is what the category is called in the body. */
  readonly findReferenceFaults: ReferenceChecker;
  /** These, and half a pair of coordinates. */
  readonly faultsOf: FaultFinder;
  /** All that is wrong with a whole restaurant, of which `except` is the id it has. */
  readonly obstacle: (input: NewRestaurant, except?: number) => Obstacle | undefined;
}

/** Opens the finders on restaurants.sql. */
export function createObstacles(sql: QueryFile): Obstacles {
  const findDuplicate = createDuplicateFinder(
    sql.prepare('findByPlace'),
    sql.prepare('findByIdentity'),
    sql.prepare('findByExternalId'),
  );
  const findReferenceFaults = createReferenceChecker(sql);
  const faultsOf = createFaultFinder(findReferenceFaults);
  return {
    ...{ findDuplicate, findReferenceFaults, faultsOf },
    obstacle: createObstacleFinder(faultsOf, findDuplicate),
  };
}

/**
 * Finds the record of the same place, by its place id, else an id in another catalogue, else its identity, other than the
 * one with the id `except`.
 */
export function createDuplicateFinder(
  findByPlace: Prepared<Duplicate>,
  findByIdentity: Prepared<Duplicate>,
  findByExternalId?: Prepared<Duplicate>,
): Obstacles['findDuplicate'] {
  return (place, except = 0) => {
    const { google_place_id, external_ids = {} } = place;
    const samePlace = google_place_id === null ? undefined : findByPlace.get({ google_place_id, except });
    const hasIds = Object.values(external_ids).some((id) => id !== null);
    const sameId = () =>
      hasIds ? findByExternalId?.get({ ...externalIds.merge(undefined, external_ids), except }) : undefined;
    return samePlace ?? sameId() ?? findByIdentity.get({ identityKey: identityKey(place), except });
  };
}

type References = Pick<RestaurantChange, 'category_id' | 'food_type_ids'>;
type ReferenceChecker = (references: References, categoryField?: string) => readonly string[];

function createReferenceChecker(sql: QueryFile): ReferenceChecker {
  const categoryExists = sql.prepare('categoryExists');
  const missingFoodTypes = sql.prepare<{ id: number }>('missingFoodTypes');
  return ({ category_id = null, food_type_ids = [] }, categoryField = 'category_id') => {
    const faults: string[] = [];
    if (category_id !== null && !categoryExists.get({ id: category_id }))
      faults.push(`${categoryField} ${category_id} does not exist`);
    const missing = missingFoodTypes.all({ ids: JSON.stringify(food_type_ids) }).map(({ id }) => id);
    if (missing.length > 0) faults.push(`food_type_ids ${missing.join(', ')} do not exist`);
    return faults;
  };
}

type FaultFinder = (fields: RestaurantChange) => readonly string[];

/** Finds the faults that only the database knows, and half a pair of coordinates, which a change may leave behind. */
function createFaultFinder(findReferenceFaults: ReferenceChecker): FaultFinder {
  return (fields) => {
    const { latitude = null, longitude = null } = fields;
    const isHalf = (latitude === null) !== (longitude === null);
    return [
      ...(isHalf ? ['latitude and longitude must be given together'] : []),
      ...findReferenceFaults(fields),
    ];
  };
}

/** Finds the faults of an input, or its duplicate. */
function createObstacleFinder(
  faultsOf: FaultFinder,
  findDuplicate: Obstacles['findDuplicate'],
): (input: NewRestaurant, except?: number) => Obstacle | undefined {
  return (input, except) => {
    const faults = faultsOf(input);
    if (faults.length > 0) return { outcome: 'invalid', faults };
    const of = findDuplicate(input, except);
    return of && { outcome: 'duplicate', of };
  };
}
