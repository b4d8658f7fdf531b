import type { Entity, Write } from '../storage/change-log.ts';

/** Writes a revert to entities of one kind. Writes return their obstacles; nothing is written when there are any. */
export interface EntityAccess {
  readonly get: (id: number) => Entity | undefined;
  /** Sets these values; the others stay. `made`: the values that are undone. */
  readonly update: (id: number, values: Entity, write: Write, made: Entity) => readonly string[];
  readonly remove: (id: number, write: Write) => unknown;
  readonly restore: (entity: Entity, write: Write) => readonly string[];
  /** The current values as far as an update was about them; all of them without this function. */
  readonly narrowed?: (current: Entity, before: Entity, made: Entity) => Entity;
  /**
   * Describes new belongings that it did not have at a moment, such as `2 ratings and 1 photo`; undefined when there are
   * none.
   */
  readonly others?: (id: number, had: Entity, at: string) => string | undefined;
}
