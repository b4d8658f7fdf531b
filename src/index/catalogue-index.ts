import { setImmediate } from 'node:timers/promises';
import type { Subject } from '../storage/change-log.ts';
import type { Followed, Follower } from '../storage/follower.ts';
import type { QueryFile } from '../storage/statements.ts';
import type { Versions } from '../storage/versions.ts';
import { intersect } from './bits.ts';
import { applyCondition, bitsAmong } from './conditions.ts';
import { needsCircle } from './distances.ts';
import { idsOf, pageOf } from './lists.ts';
import { LookupCache, type Lookups } from './lookups.ts';
import { mapOf } from './map.ts';
import { OpenResults, openOnly } from './opening.ts';
import { Reader } from './reader.ts';
import type {
  RowChoice,
  Condition,
  IndexedField,
  ListRequest,
  MapRequest,
  OpenCondition,
  Page,
  PageRequest,
  PlaceMap,
  StartArea,
} from './request.ts';
import { Rows, type HoursBySlot, type ZoneOf } from './rows.ts';
import { Search } from './search.ts';
import { type Selection, within } from './selection.ts';
import { startAreaOf } from './start-area.ts';

export interface IndexOptions {
  /** index.sql */
  readonly sql: QueryFile;
  /** search.sql */
  readonly searchSql: QueryFile;
  readonly versions: Versions;
  readonly follower: Follower;
  readonly fields: readonly IndexedField[];
  readonly zoneOf: ZoneOf;
  /** Creates empty timetables. */
  readonly timetables: () => HoursBySlot;
  /** Called with the ids of rows that may have changed, before a result that reflects the change; undefined for all. */
  readonly changed: (ids: Iterable<number> | undefined) => void;
}

const SLICE = 500;
// With more changes than this, reloading all rows is faster.
const MOST_FOLLOWED = 50_000;

/**
 * All restaurants and pending suggestions in memory, with the values that lists need. It loads in slices of a few
 * milliseconds, on `ready` or the first request, and then follows the change log. Results include everything committed so
 * far; they are copies, so that no later write changes them.
 */
export class CatalogueIndex {
  readonly #options: IndexOptions;
  readonly #reader: Reader;
  readonly #search: Search;
  readonly #lookups: LookupCache;
  #rows: Rows;
  #isLoaded = false;
  #noted = 0;
  /** The version at which the change log was last read. */
  #seen: number | undefined;
  #updating: Promise<void> | undefined;
  #readingHours: Promise<void> | undefined;
  #startArea: { readonly area: StartArea; readonly version: number | undefined } | undefined;

  constructor(options: IndexOptions) {
    const { sql, searchSql, versions, fields } = options;
    this.#options = options;
    this.#reader = new Reader(sql, fields);
    this.#search = new Search(searchSql);
    this.#lookups = new LookupCache(sql, versions);
    this.#rows = this.#newRows();
  }

  /** Loads the index, and then without waiting what only some requests need. */
  async ready(): Promise<void> {
    const rows = await this.#current();
    // If these fail, the next request retries.
    this.#currentWithHours().catch(() => undefined);
    this.#search.learn(rows).catch(() => undefined);
  }

  /** All categories and food types. Up to date even within a transaction. */
  lookups(): Lookups {
    return this.#lookups.get();
  }

  /** Call it with the kind of each change by this process, within the transaction. */
  note(kind: Subject['kind']): void {
    this.#noted += 1;
    if (kind === 'category' || kind === 'food_type') this.#lookups.drop();
    // Reads may be rare, so do not wait for one. If this fails, the next request retries.
    if (this.#noted % SLICE === 0)
      globalThis.setImmediate(() => {
        this.#current().catch(() => undefined);
      });
  }

  async page(request: PageRequest): Promise<Page> {
    // Reading this page from the database is much faster than loading all rows.
    if (!this.#isLoaded && isFirstOfAll(request)) return this.#reader.newest(request.limit);
    return this.#answer(request, (selection) => pageOf(request, selection));
  }

  /** The ids of a list in slices; the caller should pause between them. */
  async *ids(request: ListRequest): AsyncGenerator<readonly number[]> {
    yield* await this.#answer(request, (selection) => idsOf(request, selection), needsCircle(request));
  }

  map(request: MapRequest): Promise<PlaceMap> {
    return this.#answer(request, (selection) => mapOf(request, selection));
  }

  /** The area where a look at all restaurants begins. */
  async startArea(): Promise<StartArea> {
    const rows = await this.#current();
    if (!this.#startArea || this.#startArea.version !== this.#seen)
      this.#startArea = { area: startAreaOf(rows, this.lookups()), version: this.#seen };
    return this.#startArea.area;
  }

  /** The ids of the first `limit` rows with all words, in the order of lists by `match`. */
  async search(
    words: string,
    limit: number,
    withPending: boolean,
    pause: () => Promise<void>,
  ): Promise<readonly number[]> {
    return this.#search.first(words, limit, withPending, await this.#current(), this.lookups(), pause);
  }

  /**
   * Calls `answer` with the rows that pass all conditions. Opening hours are tested in slices. Writes may happen between
   * slices, so each slice starts over with everything else and reuses the results of the rows that have not changed.
   */
  async #answer<Answer>(
    request: RowChoice,
    answer: (selection: Selection) => Answer,
    withCircle = true,
  ): Promise<Answer> {
    const { words, conditions, work } = request;
    const matches =
      words === undefined
        ? undefined
        : await this.#search.all(words, await this.#current(), this.lookups(), work.pause);
    const open = conditions.find(isOpenCondition);
    for (let results: OpenResults | undefined; ; results ??= new OpenResults()) {
      const rows = await this.#inTurn(request, open !== undefined);
      const plain = this.#select(request, matches, rows, withCircle);
      const selection = open ? openOnly(plain, open, results) : plain;
      if (selection) return answer(selection);
      await work.pause();
    }
  }

  /** Waits for the request's turn, then returns the current rows. */
  async #inTurn({ work }: RowChoice, withHours: boolean): Promise<Rows> {
    for (;;) {
      const rows = await (withHours ? this.#currentWithHours() : this.#current());
      const turn = work.turn();
      if (!turn) return rows;
      await turn;
    }
  }

  /** The rows that meet all conditions except opening hours. */
  #select(
    { conditions, near, withPending }: RowChoice,
    matches: readonly number[] | undefined,
    rows: Rows,
    withCircle: boolean,
  ): Selection {
    const isAll = !matches && conditions.every(isOpenCondition) && (withPending || !rows.hasPending());
    const passing = isAll ? undefined : rows.all(withPending);
    if (passing) {
      if (matches) intersect(passing, bitsAmong(matches, rows));
      for (const condition of conditions)
        if (!isOpenCondition(condition)) applyCondition(condition, passing, rows, this.lookups());
    }
    const circle =
      near?.radius === undefined || !withCircle
        ? undefined
        : within({ ...near, radius: near.radius }, rows, passing);
    return { rows, passing, circle };
  }

  /** Changes with every write of any process. */
  #version(): number {
    return this.#options.versions.foreignWrites() + this.#noted;
  }

  /** The current rows. Waits while the index loads or reads changes. */
  async #current(): Promise<Rows> {
    while (this.#updating || this.#seen !== this.#version()) await (this.#updating ??= this.#update());
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

  async #update(): Promise<void> {
    try {
      while (!(await this.#follow())) await this.#load();
    } catch (error) {
      // The next request tries again. Of changes that failed half way, the rows may have a part.
      this.#isLoaded = false;
      this.#seen = undefined;
      throw error;
    } finally {
      this.#updating = undefined;
    }
  }

  /** Applies all logged changes since the last one. Returns false if the rows must be loaded instead. */
  async #follow(): Promise<boolean> {
    if (!this.#isLoaded || this.#rows.hasUnusedSets()) return false;
    for (let count = 0; count < MOST_FOLLOWED; count += SLICE) {
      this.#seen = this.#version();
      const followed = this.#options.follower.next(SLICE);
      if (!followed) return false;
      this.#refresh(followed);
      if (!followed.isCut) return true;
      await setImmediate();
    }
    return false;
  }

  /** Reads all rows in slices. */
  async #load(): Promise<void> {
    this.#isLoaded = false;
    this.#options.follower.start();
    const rows = this.#newRows(this.#reader.count());
    for (const part of this.#reader.all()) {
      for (const [name, slots] of rows.put(part, () => true)) {
        // Yield before each order, so that no request waits for more than one.
        await setImmediate();
        rows.sortIn(name, slots);
      }
    }
    this.#rows = rows;
    this.#isLoaded = true;
    this.#options.changed(undefined);
  }

  #newRows(expected = 0): Rows {
    const { fields, timetables, zoneOf } = this.#options;
    return new Rows(fields, timetables(), zoneOf, expected);
  }

  /** Reads again the rows that some changes may affect. */
  #refresh({ affected, edited, hasLookups }: Followed): void {
    this.#options.changed(hasLookups ? undefined : affected);
    const found = this.#reader.some([...affected]);
    // Nothing else moves a row in any order but that by rating, or changes its texts.
    for (const [name, slots] of this.#rows.put(found, (id) => edited.has(id))) this.#rows.sortIn(name, slots);
    this.#rows.remove(affected.difference(new Set(found.map(([[, id]]) => id))));
  }
}

function isOpenCondition(condition: Condition): condition is OpenCondition {
  return 'openAt' in condition;
}

/** True for the first page of all restaurants, the newest first. */
function isFirstOfAll({ conditions, words, near, withPending, sort, after }: PageRequest): boolean {
  return (
    sort === 'newest' && !after && words === undefined && !near && !withPending && conditions.length === 0
  );
}
