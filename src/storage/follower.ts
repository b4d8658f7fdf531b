import { numbersIn } from '../kit/objects.ts';
import type { EntityKind } from './change-log.ts';
import type { Prepared, QueryFile } from './statements.ts';

interface LoggedChange {
  readonly id: number;
  readonly kind: EntityKind;
  readonly entity_id: number;
  /** The ids of the restaurants and suggestions that it may affect, as a JSON array. */
  readonly affected: string;
}

/** The effect of some changes on a copy of the catalogue. */
export interface Followed {
  /** The ids of the restaurants and suggestions that they may affect. */
  readonly affected: ReadonlySet<number>;
  /** The ids of the restaurants and suggestions that were themselves changed. */
  readonly edited: ReadonlySet<number>;
  /** True if a category or food type was changed, which any of them may have. */
  readonly hasLookups: boolean;
  /** True if there may be more changes. */
  readonly isCut: boolean;
}

/**
 * Follows the change log for a copy of the catalogue in memory. Call `start` before reading the copy, so that writes during the
 * reading are followed. Some of them are in the copy already: applying a change twice must do no harm.
 */
export class Follower {
  readonly #newest: Prepared<number | null>;
  readonly #changes: Prepared<LoggedChange>;
  /** The id of the last change that was followed; undefined before the start. */
  #last: number | undefined;

  /** `sql` is follower.sql. */
  constructor(sql: QueryFile) {
    this.#newest = sql.prepare<number | null>('newestChange').pluck();
    this.#changes = sql.prepare('listChanges');
  }

  /** Call it right before everything is read, for the first time or again. */
  start(): void {
    this.#last = this.#newest.get() ?? 0;
  }

  /**
   * Up to `limit` changes since the last call; undefined if the copy must start, for the first time, or again because older
   * changes were deleted in the meantime.
   */
  next(limit: number): Followed | undefined {
    if (this.#last === undefined) return undefined;
    const changes = this.#changes.all({ after: this.#last, limit });
    const [first] = changes;
    if (first !== undefined && first.id > this.#last + 1) return undefined;
    this.#last = changes.at(-1)?.id ?? this.#last;
    const edited = changes.filter(({ kind }) => kind === 'restaurant' || kind === 'suggestion');
    return {
      affected: new Set(changes.flatMap(({ affected }) => numbersIn(affected))),
      edited: new Set(edited.map(({ entity_id }) => entity_id)),
      hasLookups: changes.some(({ kind }) => kind === 'category' || kind === 'food_type'),
      isCut: changes.length === limit,
    };
  }
}
