import { ALL, type SliceReader, aroundItems, inSlices, paced } from '../../kit/slices.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import type { ItemRecord, ListRecord, PlaceText } from '../lists/record.ts';
import type { ListStore } from '../lists/store.ts';
import type { Outing, OutingJson, Voter } from '../outings/record.ts';
import type { Outings } from '../outings/store.ts';
import type { NewLink } from './input.ts';

interface LinkRecord extends Omit<NewLink, 'notes'> {
  readonly id: number;
  readonly list_id: number;
  readonly notes: 0 | 1;
  readonly created_at: string;
}

/** An item that was added to a list. */
interface NewestItem {
  readonly restaurant_id: number;
  readonly name: string;
  readonly note: string | null;
  readonly created_at: string;
}

/** A list that a link opens. */
export interface SharedList {
  readonly link: LinkRecord;
  readonly list: ListRecord;
}

// As many as in a feed of changes.
const MOST_NEWEST = 100;

/** The links of lists and outings, and what they open. Writes must run in a transaction. */
export class Links {
  readonly #outings: Outings;
  readonly #lists: ListStore;
  readonly #placeText: PlaceText;
  readonly #sql;

  /** `sql` is links.sql. */
  constructor(sql: QueryFile, lists: ListStore, outings: Outings, placeText: PlaceText) {
    this.#outings = outings;
    this.#lists = lists;
    this.#placeText = placeText;
    this.#sql = {
      ofList: sql.prepare<LinkRecord>('selectLink', 'whereLinkOfList'),
      open: sql.prepare<LinkRecord>('selectLink', 'whereOpen'),
      insert: sql.prepare<LinkRecord>('insertLink'),
      delete: sql.prepare('deleteLink'),
      deleteExpired: sql.prepare('deleteExpiredLinks'),
      newestItems: sql.prepare<NewestItem>('listNewestItems'),
    };
  }

  /** Each as the Link of swagger.yaml, the oldest first; also expired ones, until `removeExpired`. */
  ofList(listId: number): readonly object[] {
    return this.#sql.ofList.all({ listId }).map(linkJson);
  }

  removeExpired(listId: number, now: string): void {
    this.#sql.deleteExpired.run({ listId, now });
  }

  /** Returns the link with its address. Only a hash of the secret in it is stored. */
  create(listId: number, wanted: NewLink, now: string): object {
    const secret = newSecret();
    const row = { ...wanted, notes: wanted.notes ? 1 : 0, listId, hash: hashSecret(secret), now };
    const link = this.#sql.insert.get(row);
    if (!link) throw new Error('an insert returned no row');
    return { ...linkJson(link), url: `/l/${secret}` };
  }

  /** False if the list has no such link. */
  remove(listId: number, id: number): boolean {
    return this.#sql.delete.run({ listId, id }).changes > 0;
  }

  /** The outing that a link opens; undefined for a token that is unknown, and while its creator's account is out of use. */
  outing(token: string): Outing | undefined {
    return this.#outings.opened(token);
  }

  /** The SharedOuting of swagger.yaml for a voter. */
  outingJson(
    outing: Outing,
    voter: Voter | undefined,
  ): { readonly kind: 'outing'; readonly outing: OutingJson } {
    return { kind: 'outing', outing: this.#outings.json(outing, voter) };
  }

  /** Undefined for a secret that is unknown or expired, and while the list or its owner's account is out of use. */
  list(secret: string): SharedList | undefined {
    const now = new Date().toISOString();
    const link = this.#sql.open.get({ hash: hashSecret(secret), now });
    const list = link && this.#lists.get(link.list_id);
    return list && { link, list };
  }

  /** The SharedList of swagger.yaml, without its items. */
  head({ link, list: { name, description, item_count } }: SharedList): object {
    return { kind: 'list', access: link.access, list: { name, description, item_count } };
  }

  /** At most `limit` items after `after`, or after the first `offset` if it is absent. */
  read({ list }: SharedList, ...slice: Parameters<SliceReader<ItemRecord>>): Iterable<ItemRecord> {
    return this.#lists.items.read(list.id, ...slice);
  }

  /** An item of the SharedList of swagger.yaml as JSON; undefined where its restaurant has just been deleted. */
  itemText(
    { link }: SharedList,
    { restaurant_id: id, note }: ItemRecord,
    hasCover: boolean,
  ): string | undefined {
    const restaurant = this.#placeText(id, hasCover);
    const more = link.notes === 1 ? `,"note":${JSON.stringify(note)}` : '';
    return restaurant && `{"restaurant":${restaurant}${more}}`;
  }

  /** The SharedList of swagger.yaml as JSON with covers; undefined if that takes more than `most` characters. */
  async text(found: SharedList, most: number, pause: () => Promise<void>): Promise<string | undefined> {
    const { start, end } = aroundItems(this.head(found));
    let text = start;
    const items = inSlices(
      ALL,
      (...slice) => this.read(found, ...slice),
      (item: ItemRecord) => this.itemText(found, item, true),
    );
    for await (const entries of paced(items, pause)) {
      for (const { pieces } of entries) text += `${text === start ? '' : ','}${pieces.join('')}`;
      if (text.length > most) return undefined;
    }
    return text + end;
  }

  /** The items that were added last, the newest first. */
  newestItems(listId: number): readonly NewestItem[] {
    return this.#sql.newestItems.all({ listId, limit: MOST_NEWEST });
  }
}

function linkJson({ id, access, notes, created_at, expires_at }: LinkRecord): object {
  return { id, access, notes: notes === 1, created_at, expires_at };
}
