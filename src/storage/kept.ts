import { randomBytes } from 'node:crypto';
import { type Cache, createCache } from '../memory/cache.ts';
import type { Connection } from './database.ts';
import type { QueryFile } from './statements.ts';
import type { Storage } from './storage.ts';

/*
 * What costs time to make of rows is kept here and nowhere else: restaurants as JSON, and whole answers. Nothing kept
 * is ever older than the database, and nobody who writes has to think of it:
 *
 * - Another process that writes (an import, say) changes the database's `data_version`, which is read in every callback
 *   of the event loop in which something cached is asked for. Then all of it goes.
 * - This process tells itself: temporary triggers call `note_change` with the id of a restaurant whose row, food types or
 *   ratings it changes, and with nothing where a category or food type is renamed. So a rating costs one restaurant.
 * - An answer may hold anything, so whatever this process commits drops all answers.
 *
 * Writes run whole within one turn of the event loop and never read what is kept, so that nothing uncommitted gets in.
 * What was begun before a change is put into what was current then, which is not looked at any more.
 */

/** What is kept of one kind. */
export interface Kept<Key, Value> {
  /** What is still true now. Ask anew in every callback; what was given before may still be added to. */
  readonly current: () => Cache<Key, Value>;
}

/** What is kept until somebody writes. */
export interface KeptUntilWrite<Value> extends Kept<string, Value> {
  /** Another text than ever before, in earlier runs too, once anybody has written. */
  readonly version: () => string;
}

/** Makes places to keep things in. */
export interface Keeper {
  /** How often other processes were seen to have written. */
  readonly foreignWrites: () => number;
  /** By the id of a restaurant, for as long as its record stays as it is. */
  readonly byRestaurant: <Value>(maxBytes: number) => Kept<number, Value>;
  /** For as long as nothing at all is written. */
  readonly untilAnyWrite: <Value>(maxBytes: number) => KeptUntilWrite<Value>;
}

/** Opens the keeper on kept.sql. */
export function createKeeper(
  { connection, transactions }: Pick<Storage, 'connection' | 'transactions'>,
  sql: QueryFile,
): Keeper {
  const foreignVersion = createForeignVersion(sql);
  const listeners: ((restaurantId: unknown) => void)[] = [];
  watch(connection, sql, (restaurantId) => {
    for (const listener of listeners) listener(restaurantId);
  });
  // Each counts up and never down, so that their sum is another one after every write; both begin anew with each start.
  const count = (): number => foreignVersion() + transactions.commits();
  const run = randomBytes(6).toString('base64url');
  const version = (): string => `${run}.${count()}`;

  return {
    foreignWrites: foreignVersion,
    byRestaurant: <Value>(maxBytes: number) => {
      const kept = keptFor<number, Value>(maxBytes, foreignVersion);
      listeners.push((restaurantId) => {
        if (typeof restaurantId === 'number') kept.forget(restaurantId);
        else kept.drop();
      });
      return kept;
    },
    untilAnyWrite: <Value>(maxBytes: number) => ({ ...keptFor<string, Value>(maxBytes, count), version }),
  };
}

/** Counts how often other processes were seen to have written. The look costs as much as reading a row. */
function createForeignVersion(sql: QueryFile): () => number {
  const dataVersion = sql.prepare<{ data_version: number }>('dataVersion');
  let known: number | undefined;
  let seen = 0;
  let isFresh = false;
  const look = (): void => {
    const version = dataVersion.get()?.data_version;
    if (version !== known) seen += 1;
    known = version;
    isFresh = true;
    // Runs before the next callback, which may belong to a client that has seen what was written meanwhile.
    process.nextTick(() => {
      isFresh = false;
    });
  };
  return () => {
    if (!isFresh) look();
    return seen;
  };
}

/** A replica is written to by others alone, and takes no triggers. */
function watch(connection: Connection, sql: QueryFile, note: (restaurantId: unknown) => void): void {
  const triggers = [
    ...['watchChangedRestaurants', 'watchGoneRestaurants', 'watchNewFoodTypes', 'watchGoneFoodTypes'],
    ...['watchRenamedCategories', 'watchRenamedFoodTypes'],
  ].map((name) => sql.fragment(name));
  if (connection.pragma('query_only', { simple: true }) === 1) return;
  connection.function('note_change', (restaurantId: unknown) => {
    note(restaurantId);
    return null;
  });
  for (const trigger of triggers) connection.exec(trigger);
}

function keptFor<Key, Value>(
  maxBytes: number,
  version: () => number,
): Kept<Key, Value> & { readonly forget: (key: Key) => void; readonly drop: () => void } {
  let known = version();
  let held = createCache<Key, Value>({ maxBytes });
  const drop = (): void => {
    held = createCache({ maxBytes });
  };
  return {
    current: () => {
      const now = version();
      if (now !== known) drop();
      known = now;
      return held;
    },
    // Called in the middle of a statement, when the database cannot be asked for its version.
    forget: (key) => {
      held.delete(key);
    },
    drop,
  };
}
