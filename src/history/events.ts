import type { Sealer } from '../kit/input/sealed.ts';
import { logPositionOf, sealLogPosition } from './cursor.ts';
import { type ChangeRow, type Viewer, audienceOf } from './record.ts';
import { type ChangeFilters, type ChangeStore, matches } from './store.ts';

/** The next piece of a stream. */
interface NextEvents {
  /** Empty if the viewer may see none of the changes that were read. */
  readonly text: string;
  /** The id of the last change that was read, readable or not. */
  readonly upTo: number;
  readonly hasMore: boolean;
}

/** A change as an event, serialised once for all viewers who see the same text. */
interface SharedEvent {
  readonly row: ChangeRow;
  readonly textFor: (viewer: Viewer) => string;
}

const MOST_ROWS = 200;
// A stream may have to hold the text until its client takes it.
const MOST_LENGTH = 64 * 1024;
// Streams that are farther behind use SQL: its filters skip in milliseconds what would take seconds here.
const NEAR = 2_000;
// One per place that streams have reached.
const MOST_SLICES = 8;

/** Reads the log as events. Near its end, where most streams are, each change is read and written once for all of them. */
export class EventReader {
  readonly #store: ChangeStore;
  readonly #sealer: Sealer;
  readonly #version: () => string;
  readonly #slices = new Map<number, readonly SharedEvent[]>();
  #known = '';

  /** `version` differs after every write, which may have erased what was read. */
  constructor(store: ChangeStore, sealer: Sealer, version: () => string) {
    this.#store = store;
    this.#sealer = sealer;
    this.#version = version;
  }

  /** Ends with the event that makes the text too long together with what was deleted with its restaurant. */
  read(after: number, filters: ChangeFilters, viewer: Viewer): NextEvents {
    const lastId = this.#store.lastId();
    const place = { id: after, mark: '' };
    const part =
      lastId - after > NEAR
        ? this.#store.read('oldest', place, MOST_ROWS, filters, viewer.userId, MOST_LENGTH)
        : undefined;
    const events = part ? this.#eventsOf(part.rows) : this.#sharedAfter(after);
    let text = '';
    let upTo = after;
    for (const { row, textFor } of events) {
      if (text.length >= MOST_LENGTH) return { text, upTo, hasMore: true };
      if (this.#store.isReadable(row, viewer.userId) && matches(row, filters)) text += textFor(viewer);
      upTo = row.id;
    }
    if (!part) return { text, upTo, hasMore: upTo < lastId };
    const { next, hasMore } = part;
    return { text, upTo: hasMore ? next.id : Math.max(next.id, lastId), hasMore };
  }

  #sharedAfter(id: number): readonly SharedEvent[] {
    const version = this.#version();
    if (version !== this.#known || this.#slices.size >= MOST_SLICES) this.#slices.clear();
    this.#known = version;
    const found = this.#slices.get(id) ?? this.#eventsOf(this.#store.allAfter(id, MOST_ROWS, MOST_LENGTH));
    this.#slices.set(id, found);
    return found;
  }

  #eventsOf(rows: readonly ChangeRow[]): readonly SharedEvent[] {
    return rows.map((row) => {
      const id = sealLogPosition(this.#sealer, 'oldest', logPositionOf(row));
      const texts = new Map<string, string>();
      return {
        row,
        textFor: (viewer) => {
          const audience = audienceOf(row, viewer);
          const text = texts.get(audience) ?? serverSentEvent('change', id, this.#store.textFor(row, viewer));
          texts.set(audience, text);
          return text;
        },
      };
    });
  }
}

/** One event (HTML, "Server-sent events"); `data` has no line breaks. */
export function serverSentEvent(name: string, id: string, data: string): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}
