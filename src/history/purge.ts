import type { Answers } from '../storage/answers.ts';
import { shareOf } from '../storage/background.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { ChangeRow } from './record.ts';
import type { ChangeStore } from './store.ts';

interface Held {
  readonly id: number;
  readonly bytes: number;
}

const AT_ONCE = 200;

/** Removes deleted entities from the log for good. Must run inside a transaction. */
export class Purges {
  readonly #store: ChangeStore;
  readonly #answers: Pick<Answers, 'forget'>;
  readonly #sql;

  /** `sql` is changes.sql. */
  constructor(sql: QueryFile, store: ChangeStore, answers: Pick<Answers, 'forget'>) {
    this.#store = store;
    this.#answers = answers;
    this.#sql = {
      forgetDeletion: sql.prepare('forgetDeletion'),
      forgetHeld: sql.prepare('forgetHeld'),
      findNewest: sql.prepare<number | null>('findNewestOfPart').pluck(),
      next: sql.prepare<{ changeId: number; before: number }>('nextPurge'),
      set: sql.prepare('setPurge'),
      remove: sql.prepare('deletePurge'),
      blocksOf: sql.prepare<number>('blocksOfRestaurant').pluck(),
      inBlock: sql.prepare<Held>('listHeldInBlock'),
      ofPart: sql.prepare<Held>('listHeldOfPart'),
      ofEntity: sql.prepare<Held>('listHeldOfEntity'),
    };
  }

  /**
   * Forgets an entity that this change deleted, also in earlier changes: the first slice now, the rest through `goOn`. The
   * trash task removes ratings, photos and items; the sweeper removes files. `userId` is the user who purges it.
   */
  purge(deletion: ChangeRow, userId: number | null): void {
    this.#answers.forget([deletion.id]);
    this.#sql.forgetDeletion.run({ id: deletion.id, at: new Date().toISOString(), by: userId });
    this.#forgetBefore(deletion, deletion.id);
  }

  /** Forgets a rating or photo that was deleted with its restaurant, not separately. */
  forget(kind: 'rating' | 'photo', entityId: number): void {
    const newest = this.#store.get(this.#sql.findNewest.get({ kind, entityId }) ?? 0);
    if (!newest) return;
    this.#forgetHeld([newest.id]);
    this.#forgetBefore(newest, newest.id);
  }

  /** Whether a purge is not complete. */
  isPending(): boolean {
    return this.#sql.next.get() !== undefined;
  }

  /** Forgets the next part of an incomplete purge. */
  goOn(): void {
    const purge = this.#sql.next.get();
    if (!purge) return;
    const { changeId, before } = purge;
    // A change that is too old for the log has nothing before it either.
    const newest = this.#store.get(changeId);
    if (newest) this.#forgetBefore(newest, before);
    else this.#sql.remove.run({ changeId });
  }

  /** Forgets one part, and records where the next one ends; when nothing is left, the purge is complete. */
  #forgetBefore(newest: ChangeRow, before: number): void {
    const changeId = newest.id;
    const part = shareOf(this.#listHeld(newest, before));
    const last = part.at(-1);
    if (last) {
      this.#forgetHeld(part.map(({ id }) => id));
      this.#sql.set.run({ changeId, before: last.id });
    } else this.#sql.remove.run({ changeId });
  }

  #forgetHeld(ids: readonly number[]): void {
    this.#answers.forget(ids);
    this.#sql.forgetHeld.run({ ids: JSON.stringify(ids) });
  }

  /** The newest changes of an entity before a change; of a restaurant with its ratings and photos. */
  #listHeld({ kind, entity_id: id, restaurant_id }: ChangeRow, before: number): readonly Held[] {
    const { blocksOf, inBlock, ofEntity, ofPart } = this.#sql;
    if (kind !== 'restaurant') {
      const part = { kind, entityId: id, before, limit: AT_ONCE };
      return restaurant_id === null ? ofEntity.all(part) : ofPart.all(part);
    }
    const found: Held[] = [];
    for (const block of blocksOf.all({ restaurantId: id, before, limit: AT_ONCE })) {
      found.push(...inBlock.all({ block, restaurantId: id, before, limit: AT_ONCE - found.length }));
      if (found.length === AT_ONCE) break;
    }
    return found;
  }
}
