import { type ChangeCursors, placeOf } from './cursor.ts';
import {
  type ChangeRow,
  type Viewer,
  audienceOf,
  changeText,
  holdsWordsOfMany,
  isReadable,
} from './record.ts';
import type { ChangeFilters, ChangeStore } from './store.ts';

/** What a stream sends next. */
export interface NextEvents {
  /** Empty where nothing of it is for this viewer. */
  readonly text: string;
  /** The id of the last change that was read, readable or not. */
  readonly upTo: number;
  readonly hasMore: boolean;
}

/** Reads the log as events. Near its end, where most streams are, each change is read and written once for all of them. */
export type ReadEvents = (after: number, filters: ChangeFilters, viewer: Viewer) => NextEvents;

/** A change as an event, written once for viewers who see the same. */
interface SharedEvent {
  readonly row: ChangeRow;
  readonly textFor: (viewer: Viewer) => string;
}

const MOST_ROWS = 200;
// As a stream may have to hold the text until its client takes it.
const MOST_LENGTH = 64 * 1024;
// Farther behind, the filters in SQL skip in a few milliseconds what would take seconds here.
const NEAR = 2_000;
// Streams that are not at the same place read slices of their own.
const MOST_SLICES = 8;

/** Makes the reader. `version` is another one after every write, since what was read may have been erased by it. */
export function createEventReader(
  store: Pick<ChangeStore, 'after' | 'allAfter' | 'lastId'>,
  cursors: ChangeCursors,
  version: () => string,
): ReadEvents {
  let known = '';
  const slices = new Map<number, readonly SharedEvent[]>();

  function sharedAfter(id: number): readonly SharedEvent[] {
    const now = version();
    if (now !== known || slices.size >= MOST_SLICES) slices.clear();
    known = now;
    const found =
      slices.get(id) ?? store.allAfter(id, MOST_ROWS, MOST_LENGTH).map((row) => sharedEvent(row, cursors));
    slices.set(id, found);
    return found;
  }

  return (after, filters, viewer) => {
    const lastId = store.lastId();
    if (lastId - after <= NEAR) {
      const slice = sharedAfter(after);
      const seen = slice.filter(({ row }) => isReadable(row, viewer.userId) && matches(row, filters));
      const upTo = slice.at(-1)?.row.id ?? after;
      return { text: seen.map(({ textFor }) => textFor(viewer)).join(''), upTo, hasMore: upTo < lastId };
    }
    const place = { id: after, mark: '' };
    const { rows, next, hasMore } = store.after(place, MOST_ROWS, filters, viewer.userId, MOST_LENGTH);
    const text = rows.map((row) => sharedEvent(row, cursors).textFor(viewer)).join('');
    return { text, upTo: hasMore ? next.id : Math.max(next.id, lastId), hasMore };
  };
}

function sharedEvent(row: ChangeRow, cursors: ChangeCursors): SharedEvent {
  const id = cursors.seal('oldest', placeOf(row));
  const texts = new Map<string, string>();
  const isShared = !holdsWordsOfMany(row);
  return {
    row,
    textFor: (viewer) => {
      if (!isShared) return eventText('change', id, changeText(row, viewer));
      const audience = audienceOf(row, viewer);
      const text = texts.get(audience) ?? eventText('change', id, changeText(row, viewer));
      texts.set(audience, text);
      return text;
    },
  };
}

/** The same as `andFilters` of changes.sql. */
function matches(row: ChangeRow, { kinds, entityIds, actions, actors, batchIds }: ChangeFilters): boolean {
  return (
    kinds?.includes(row.kind) !== false &&
    entityIds?.includes(row.entity_id) !== false &&
    actions?.includes(row.action) !== false &&
    (actors === undefined || (row.actor_id !== null && actors.includes(row.actor_id))) &&
    (batchIds === undefined || (row.batch_id !== null && batchIds.includes(row.batch_id)))
  );
}

/** One event (HTML, "Server-sent events"); `data` has no line breaks. */
export function eventText(name: string, id: string, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
