import { setImmediate } from 'node:timers/promises';
import type { QueryFile } from '../storage/statements.ts';
import type { Versions } from '../storage/versions.ts';
import { only, within } from './circles.ts';
import { ORDER_NAMES } from './columns.ts';
import { applyCondition, markAmong, openTest } from './conditions.ts';
import { type Selection, idsOf, pageOf } from './lists.ts';
import { LookupCache, type Lookups } from './lookups.ts';
import { mapOf } from './map.ts';
import { type LoggedChange, Reader, type ZoneOf, rowsOf } from './reader.ts';
import type {
  Choice,
  Condition,
  IndexedField,
  ListRequest,
  MapRequest,
  OpenCondition,
  Page,
  PageRequest,
  PlaceMap,
} from './request.ts';
import { Rows, type Timetables } from './rows.ts';
import { Search } from './search.ts';

export interface IndexOptions {
  /** index.sql */
  readonly sql: QueryFile;
  /** search.sql */
  readonly searchSql: QueryFile;
  readonly versions: Versions;
  readonly fields: readonly IndexedField[];
  readonly zoneOf: ZoneOf;
  /** Creates empty timetables. */
  readonly timetables: () => Timetables;
}

const SLICE = 500;
// With more changes than this by other processes, reloading all rows is faster.
const MOST_FOLLOWED = 50_000;
// The length of a slice of testing opening hours. A row takes up to a few microseconds.
const TEST_MS = 8;
const CHECK_CLOCK_EVERY = 64;
const SMALL_RADIUS_KM = 50;

/**
 * All restaurants and pending suggestions in memory, with the values that lists need. It loads in slices of a few
 * milliseconds, and then follows the change log. Results include everything committed so far; they are copies, so that no
 * later write changes them.
 */
export class CatalogueIndex {
  readonly #options: IndexOptions;
  readonly #reader: Reader;
  readonly #search: Search;
  readonly #lookups: LookupCache;
  readonly #own: LoggedChange[] = [];
  #rows: Rows;
  #lastChange: number | undefined;
  #foreignWrites: number | undefined;
  #updating: Promise<void> | undefined;
  #readingHours: Promise<void> | undefined;

  constructor(options: IndexOptions) {
    const { sql, searchSql, versions, fields, zoneOf } = options;
    this.#options = options;
    this.#reader = new Reader(sql, fields, zoneOf);
    this.#search = new Search(searchSql);
    this.#lookups = new LookupCache(sql, versions);
    this.#rows = this.#newRows();
    // If this fails, the next request retries.
    this.#currentWithHours().catch(() => undefined);
    this.#current()
      .then((rows) => this.#search.learn(rows))
      .catch(() => undefined);
  }

  /** Resolves once the index is loaded. */
  async ready(): Promise<void> {
    await this.#current();
  }

  /** All categories and food types. Up to date even within a transaction. */
  lookups(): Lookups {
    return this.#lookups.get();
  }

  /** Records a change by this process. Call it within the transaction. */
  note(change: LoggedChange): void {
    this.#own.push(change);
    if (change.kind === 'category' || change.kind === 'food_type') this.#lookups.drop();
    // Reads may be rare, so do not wait for one. By then the transaction is over.
    if (this.#own.length % SLICE === 0)
      globalThis.setImmediate(() => {
        this.#applyOwn();
      });
  }

  page(request: PageRequest): Promise<Page> {
    return this.#answer(request, (selection) => pageOf(request, selection));
  }

  /** The ids of a list in slices; the caller should pause between them. */
  async *ids(request: ListRequest): AsyncGenerator<readonly number[]> {
    yield* await this.#answer(request, (selection) => idsOf(request, selection));
  }

  map(request: MapRequest): Promise<PlaceMap> {
    return this.#answer(request, (selection) => mapOf(request, selection));
  }

  /**
   * The ids of at most `limit` rows with all words, best first: the exact name, names that start with the words, names that
   * contain all words, then the rest.
   */
  async search(
    words: string,
    limit: number,
    withPending: boolean,
    pause: () => Promise<void>,
  ): Promise<readonly number[]> {
    const state = { rows: await this.#current(), lookups: this.lookups() };
    return this.#search.best(words, limit, withPending, state, pause);
  }

  /**
   * Calls `answer` with the rows that pass all conditions; it must apply the circle of the request itself. Opening hours are
   * tested in slices. Writes may happen between slices, so each slice starts over with everything else and reuses the
   * results of the rows that have not changed.
   */
  async #answer<Answer>(request: Choice, answer: (selection: Selection) => Answer): Promise<Answer> {
    const { words, conditions, work } = request;
    const matches =
      words === undefined
        ? undefined
        : await this.#search.all(words, { rows: await this.#current(), lookups: this.lookups() }, work.pause);
    const open = conditions.find(isOpenCondition);
    for (let results: OpenResults | undefined; ; results ??= new OpenResults()) {
      const rows = await this.#inTurn(request, open !== undefined);
      const plain = this.#select(request, matches, rows);
      const selection = open ? tested(plain, openTest(open, rows), results, request) : plain;
      if (selection) return answer(selection);
      await work.pause();
    }
  }

  /** Waits for the request's turn, then returns the current rows. */
  async #inTurn({ work }: Choice, withHours: boolean): Promise<Rows> {
    for (;;) {
      const rows = await (withHours ? this.#currentWithHours() : this.#current());
      const turn = work.turn();
      if (!turn) return rows;
      await turn;
    }
  }

  /** The rows that meet all conditions except opening hours. */
  #select(
    { conditions, withPending }: Choice,
    matches: readonly number[] | undefined,
    rows: Rows,
  ): Selection {
    if (conditions.every(isOpenCondition) && !matches && (withPending || !rows.hasPending()))
      return { rows, marks: undefined, found: undefined };
    const marks = rows.mark(withPending);
    if (matches) markAmong(matches, true, marks, rows);
    for (const condition of conditions)
      if (!isOpenCondition(condition)) applyCondition(condition, marks, rows, this.lookups());
    return { rows, marks, found: undefined };
  }

  /** The current rows. Waits while the index loads or reads the changes of another process. */
  async #current(): Promise<Rows> {
    const now = this.#options.versions.foreignWrites();
    if (now !== this.#foreignWrites || this.#updating) {
      this.#foreignWrites = now;
      this.#updating ??= this.#update();
      await this.#updating;
    }
    this.#applyOwn();
    return this.#rows;
  }

  /** Like `#current`, but waits until all opening hours are parsed, which takes longest. */
  async #currentWithHours(): Promise<Rows> {
    await this.#current();
    await (this.#readingHours ??= this.#readHours());
    return this.#current();
  }

  async #readHours(): Promise<void> {
    try {
      while (this.#rows.timetables.readSome()) await setImmediate();
    } finally {
      this.#readingHours = undefined;
    }
  }

  #applyOwn(): void {
    if (this.#own.length === 0 || this.#updating) return;
    const last = this.#reader.lastChange();
    this.#refresh(this.#own.splice(0));
    // All changes up to `last` are this process's own, and need not be read from the log.
    if (this.#options.versions.checkForeignWrites() === this.#foreignWrites) this.#lastChange = last;
  }

  async #update(): Promise<void> {
    try {
      while (!(await this.#follow(this.#lastChange ?? (await this.#load())))) this.#lastChange = undefined;
    } catch (error) {
      // The next request tries again.
      this.#foreignWrites = undefined;
      throw error;
    } finally {
      this.#updating = undefined;
    }
  }

  /** Applies all logged changes after `last`. Returns false if there is a gap or there are too many. */
  async #follow(last: number): Promise<boolean> {
    this.#lastChange = last;
    for (let count = 0; count < MOST_FOLLOWED; count += SLICE) {
      const changes = this.#reader.changesAfter(this.#lastChange, SLICE);
      const [first] = changes;
      if (first !== undefined && first.id > this.#lastChange + 1) return false;
      this.#refresh(changes);
      this.#lastChange = changes.at(-1)?.id ?? this.#lastChange;
      if (changes.length < SLICE) return true;
      await setImmediate();
    }
    return false;
  }

  /** Reads all rows in slices. Returns the last change before that. */
  async #load(): Promise<number> {
    const last = this.#reader.lastChange();
    const rows = this.#newRows(this.#reader.count());
    for (const part of this.#reader.all()) {
      for (const row of part) rows.put(row, true);
      for (const name of ORDER_NAMES) {
        // Yield before each order, so that no request waits for more than one.
        await setImmediate();
        rows.order(name);
      }
    }
    this.#rows = rows;
    return last;
  }

  #newRows(expected = 0): Rows {
    return new Rows(this.#options.fields, this.#options.timetables(), expected);
  }

  /** Reads again the rows that these changes may affect. */
  #refresh(changes: readonly LoggedChange[]): void {
    const ids = new Set(changes.flatMap(rowsOf));
    // Only these changes can affect a row's own texts.
    const edited = new Set(
      changes.flatMap(({ kind, entity_id }) =>
        kind === 'restaurant' || kind === 'suggestion' ? entity_id : [],
      ),
    );
    for (const row of this.#reader.some([...ids])) {
      this.#rows.put(row, edited.has(row.id));
      ids.delete(row.id);
    }
    for (const id of ids) this.#rows.remove(id);
  }
}

function isOpenCondition(condition: Condition): condition is OpenCondition {
  return 'openAt' in condition;
}

/** The rows that pass a slow test; undefined if one slice was not enough to test all. */
function tested(
  { rows, marks }: Selection,
  test: (slot: number) => boolean,
  results: OpenResults | undefined,
  { near }: Choice,
): Selection | undefined {
  // Most requests need only one slice, and caching results would take longer than the rest.
  const passes = results ? results.of(rows, test) : test;
  const until = performance.now() + TEST_MS;
  let count = 0;
  const slice = { isOver: false };
  const check = (slot: number): boolean => {
    if ((count += 1) % CHECK_CLOCK_EVERY === 0) slice.isOver ||= performance.now() > until;
    return !slice.isOver && passes(slot);
  };
  if (near?.radius !== undefined && near.radius <= SMALL_RADIUS_KM) {
    // A small circle leaves fewer rows than any other condition.
    const found = only(within({ ...near, radius: near.radius }, rows, marks), check);
    return slice.isOver ? undefined : { rows, marks, found };
  }
  const left = marks ?? rows.mark(true);
  for (let slot = 0; slot < left.length && !slice.isOver; slot += 1)
    if (left[slot] === 1 && !check(slot)) left[slot] = 0;
  return slice.isOver ? undefined : { rows, marks: left, found: undefined };
}

/** Caches results of an opening hours test by slot, each until the texts of its row change. */
class OpenResults {
  #rows: Rows | undefined;
  #results = new Uint32Array(0);

  of(rows: Rows, test: (slot: number) => boolean): (slot: number) => boolean {
    const { edits, capacity } = rows.columns;
    if (rows !== this.#rows || this.#results.length < capacity) {
      const results = new Uint32Array(capacity);
      if (rows === this.#rows) results.set(this.#results);
      this.#results = results;
    }
    this.#rows = rows;
    const results = this.#results;
    return (slot) => {
      // Edits count from 1, so 0 means not cached.
      const passed = 2 * (edits[slot] ?? 0) + 1;
      if (results[slot] !== passed && results[slot] !== passed - 1)
        results[slot] = test(slot) ? passed : passed - 1;
      return results[slot] === passed;
    };
  }
}
