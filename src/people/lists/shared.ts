import type { ListRecord } from './record.ts';
import type { LinkRecord, LinkStore } from './links.ts';
import type { PlaceText } from './routes.ts';
import type { ListStore } from './store.ts';

/** A list that a link opens. */
export interface SharedList {
  readonly link: LinkRecord;
  readonly list: ListRecord;
}

/** Reads lists by their links, as anyone may who has one. */
export class SharedLists {
  readonly #lists: ListStore;
  readonly #links: Pick<LinkStore, 'find'>;
  readonly #placeText: PlaceText;

  constructor(lists: ListStore, links: Pick<LinkStore, 'find'>, placeText: PlaceText) {
    this.#lists = lists;
    this.#links = links;
    this.#placeText = placeText;
  }

  /** Undefined for every secret that opens nothing. */
  find(secret: string): SharedList | undefined {
    const link = this.#links.find(secret, new Date());
    const list = link && this.#lists.get(link.list_id);
    return list && { link, list };
  }

  /** The SharedList of swagger.yaml as JSON in pieces. */
  *pieces({ link, list }: SharedList, hasCover: boolean): Generator<string> {
    const { name, description, item_count } = list;
    // Read at once: nothing may be written while rows are being read.
    const items = [...this.#lists.items.read(list.id, undefined, -1, 0)];
    yield `{"kind":"list","access":"${link.access}","list":${JSON.stringify({ name, description, item_count })},"items":[`;
    let comma = '';
    for (const item of items) {
      const restaurant = this.#placeText(item.restaurant_id, hasCover);
      // Another process has deleted it just now.
      if (restaurant === undefined) continue;
      const note = link.notes === 1 ? `,"note":${JSON.stringify(item.note)}` : '';
      yield `${comma}{"restaurant":${restaurant}${note}}`;
      comma = ',';
    }
    yield ']}';
  }
}
