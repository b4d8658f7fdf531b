import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { parseJson, propertiesOf } from '../../kit/objects.ts';
import type { Work } from '../../kit/slices.ts';
import type { Follower } from '../../storage/follower.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Likely } from './traits.ts';
import { type Match, Matcher } from './matcher.ts';
import { type Pair, type PairPlace, Pairs } from './pairs.ts';

/** A place as it is stored. */
export type LikelyRow = Omit<Likely, 'external_ids'> & {
  readonly id: number;
  readonly external_ids: string | null;
};

export function likelyOf({ external_ids, ...place }: LikelyRow): Likely {
  const ids = propertiesOf(parseJson(external_ids ?? 'null')) ?? [];
  return { ...place, external_ids: Object.fromEntries(ids) };
}

/** A part of the pairs that are known. */
interface Part {
  readonly pairs: readonly Pair[];
  readonly total: number;
  /** Whether the catalogue is still being searched. */
  readonly searching: boolean;
  /** False while it is searched, and where there are more pairs than the list may have. */
  readonly complete: boolean;
}

const SLICE_MS = 4;
const READ_AT_ONCE = 5;
const LISTED_AT_ONCE = 1_000;
// How long a request for pairs waits for a search that is under way.
const PATIENCE_MS = 250;

/**
 * All restaurants and pending suggestions as the matcher compares them, and the pairs of restaurants that look alike. The first
 * request reads all places, in slices of a few milliseconds; after that they follow the change log. Pairs are looked for from
 * the first request for them on.
 */
export class Duplicates {
  readonly #sql;
  readonly #matcher = new Matcher();
  readonly #pairs = new Pairs();
  readonly #pending = new Set<number>();
  /** Places to read, and places whose pairs are to be looked for. */
  readonly #unread = new Set<number>();
  readonly #unpaired = new Set<number>();
  /** Counts what would make a search that is under way start again. */
  #edits = 0;
  readonly #follower: Follower;
  /** The highest id queued for reading; undefined once all places were queued. */
  #listedUpTo: number | undefined;
  #reading: Promise<void> | undefined;
  #pairing: Promise<void> | undefined;

  /** `sql` is duplicates.sql. */
  constructor(sql: QueryFile, follower: Follower) {
    this.#follower = follower;
    this.#sql = {
      listIds: sql.prepare<number>('listIds').pluck(),
      readPlaces: sql.prepare<LikelyRow & { readonly is_pending: number }>('readPlaces'),
      isDismissed: sql.prepare('isDismissed'),
    };
  }

  /** The restaurants and pending suggestions that look like a place, certain ones first. */
  async similar(place: Likely, work: Work): Promise<readonly Match[]> {
    await this.#current();
    await work.turn();
    return runInSlices(this.#matcher.search(place), work.pause);
  }

  /** The pairs after a place without those that were dismissed, certain ones first. */
  async part(after: PairPlace | undefined, limit: number): Promise<Part> {
    const search = this.#current().then(() => this.#paired());
    // It goes on when this request was answered; if it fails then, the next request starts it again.
    search.catch(() => undefined);
    await Promise.race([search, wait(PATIENCE_MS, undefined, { ref: false })]);
    const searching = this.#listedUpTo !== undefined || this.#unread.size + this.#unpaired.size > 0;
    const complete = !searching && this.#pairs.isWhole;
    return { ...this.#pairs.part(after, limit), searching, complete };
  }

  /** Follows a pair that was dismissed, which makes room for others, or whose dismissal was undone. */
  decided(a: number, b: number, isDismissed: boolean): void {
    this.#edits += 1;
    for (const id of isDismissed ? this.#pairs.remove(a, b) : [a, b]) this.#unpaired.add(id);
  }

  /** Resolves once all that was committed before is read. */
  #current(): Promise<void> {
    return (this.#reading ??= runInSlices(this.#read()).finally(() => (this.#reading = undefined)));
  }

  #paired(): Promise<void> {
    return (this.#pairing ??= runInSlices(this.#pair()).finally(() => (this.#pairing = undefined)));
  }

  /** Reads all places that were changed, some at a time. */
  *#read(): Generator<undefined> {
    while (this.#follow() || this.#unread.size > 0) {
      let ids: number[] = [];
      for (const id of this.#unread) {
        if (ids.push(id) < READ_AT_ONCE) continue;
        this.#readPlaces(ids);
        ids = [];
        yield;
      }
      this.#readPlaces(ids);
      yield;
    }
  }

  #readPlaces(ids: readonly number[]): void {
    const rows = this.#sql.readPlaces.all({ ids: JSON.stringify(ids) });
    this.#edits += 1;
    for (const id of ids) {
      this.#matcher.remove(id);
      for (const other of this.#pairs.remove(id)) this.#unpaired.add(other);
      for (const set of [this.#pending, this.#unpaired, this.#unread]) set.delete(id);
    }
    for (const { is_pending, ...row } of rows) {
      this.#matcher.put(row.id, likelyOf(row));
      (is_pending === 1 ? this.#pending : this.#unpaired).add(row.id);
    }
  }

  /** Notes which places are to be read; true if there may be more. */
  #follow(): boolean {
    if (this.#listedUpTo !== undefined) {
      const ids = this.#sql.listIds.all({ after: this.#listedUpTo, limit: LISTED_AT_ONCE });
      for (const id of ids) this.#unread.add(id);
      this.#listedUpTo = ids.at(-1);
      return true;
    }
    const followed = this.#follower.next(LISTED_AT_ONCE);
    if (!followed) {
      this.#follower.start();
      this.#listedUpTo = 0;
      // What is gone is read again as well.
      for (const id of this.#matcher.ids()) this.#unread.add(id);
      return true;
    }
    for (const id of followed.edited) this.#unread.add(id);
    return followed.isCut;
  }

  /** Finds the pairs of all places that are to be searched for. */
  *#pair(): Generator<undefined, void> {
    const isDismissed = ({ a, b }: Pair): boolean => this.#sql.isDismissed.get({ a, b }) !== undefined;
    for (const id of this.#unpaired) {
      const edits = this.#edits;
      const matches = yield* this.#matcher.searchFor(id);
      this.#unpaired.delete(id);
      if (edits === this.#edits)
        this.#pairs.add(
          id,
          matches.filter((match) => !this.#pending.has(match.id)),
          isDismissed,
        );
      else this.#unpaired.add(id);
      yield;
    }
  }
}

/** Takes steps, and lets others run after every few milliseconds. */
async function runInSlices<End>(
  steps: Iterator<undefined, End>,
  pause: () => Promise<unknown> = setImmediate,
): Promise<End> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() <= until) continue;
    await pause();
    until = performance.now() + SLICE_MS;
  }
}
