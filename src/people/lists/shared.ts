import { Cache } from '../../kit/cache.ts';
import { parseJson, propertiesOf } from '../../kit/objects.ts';
import { bytesInTurns } from '../../kit/slices.ts';
import type { ListRecord } from './record.ts';
import type { FeedEntry } from '../feeds/atom.ts';
import type { LinkRecord, LinkStore } from './links.ts';
import type { PlaceText } from './routes.ts';
import type { ListStore } from './store.ts';

// As many as in a feed of changes.
const NEWEST = 100;
// Lists of 1,000 places have about a megabyte.
const MOST_BYTES = 8 * 1024 * 1024;

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
  readonly #version: () => string;
  readonly #made = new Cache<string, Buffer>({ maxBytes: MOST_BYTES });

  /** `version` changes with every write, whichever process makes it. */
  constructor(lists: ListStore, links: Pick<LinkStore, 'find'>, placeText: PlaceText, version: () => string) {
    this.#lists = lists;
    this.#links = links;
    this.#placeText = placeText;
    this.#version = version;
  }

  /** Undefined for every secret that opens nothing. */
  find(secret: string): SharedList | undefined {
    const link = this.#links.find(secret, new Date());
    const list = link && this.#lists.get(link.list_id);
    return list && { link, list };
  }

  /** The SharedList of swagger.yaml as JSON, made once for a version of the catalogue. */
  async json(found: SharedList, hasCover: boolean, pause: () => Promise<void>): Promise<Buffer> {
    const version = this.#version();
    const key = `${version} ${found.link.id} ${String(hasCover)}`;
    const known = this.#made.get(key);
    if (known) return known;
    const made = await bytesInTurns(this.#jsonPieces(found, hasCover), pause);
    if (this.#version() === version) this.#made.set(key, made, made.length);
    return made;
  }

  /** The places of a list. */
  ids({ list }: SharedList): readonly number[] {
    return [...this.#lists.items.read(list.id, undefined, -1, 0)].map((item) => item.restaurant_id);
  }

  /** The places that were added last, the newest first. */
  newest({ link, list }: SharedList): readonly FeedEntry[] {
    const items = [...this.#lists.items.read(list.id, undefined, -1, 0)];
    const newest = items.sort((one, other) => (one.created_at < other.created_at ? 1 : -1)).slice(0, NEWEST);
    return newest.map(({ restaurant_id: id, created_at: at, note }) => {
      const name = propertiesOf(parseJson(this.#placeText(id) ?? '{}'))?.get('name');
      const summary = link.notes === 1 ? note : null;
      const [own, page] = [`/lists/${list.id}/${id}`, `/restaurants/${id}`];
      return { id: own, at, title: String(name), author: undefined, summary, page };
    });
  }

  *#jsonPieces({ link, list }: SharedList, hasCover: boolean): Generator<string> {
    const { name, description, item_count } = list;
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
