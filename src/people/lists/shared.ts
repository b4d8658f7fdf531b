import { ALL, type SliceReader, aroundItems, inSlices, paced } from '../../kit/slices.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import type { NewLink } from './input.ts';
import type { ItemRecord, ListRecord } from './record.ts';
import type { PlaceText } from './routes.ts';
import type { ListStore } from './store.ts';

interface LinkRecord extends Omit<NewLink, 'notes'> {
  readonly id: number;
  readonly list_id: number;
  readonly notes: 0 | 1;
  readonly created_at: string;
}

interface Member {
  readonly author_id: number;
  readonly author_name: string;
  readonly joined_at: string;
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

/** Without the owner. */
export const MOST_MEMBERS = 50;
/** The most lists of others that a user is a member of. */
export const MOST_JOINED = 200;
// As many as in a feed of changes.
const MOST_NEWEST = 100;

/** The people that lists are shared with: those who joined, and those who have a link. Writes must run in a transaction. */
export class SharedLists {
  readonly #lists: ListStore;
  readonly #placeText: PlaceText;
  readonly #sql;

  /** `sql` is links.sql. */
  constructor(sql: QueryFile, lists: ListStore, placeText: PlaceText) {
    this.#lists = lists;
    this.#placeText = placeText;
    this.#sql = {
      members: sql.prepare<Member>('listMembers'),
      countJoined: sql.prepare<number>('countJoined').pluck(),
      insertMember: sql.prepare('insertMember'),
      deleteMember: sql.prepare('deleteMember'),
      links: sql.prepare<LinkRecord>('selectLink', 'whereLinkOfList'),
      openLink: sql.prepare<LinkRecord>('selectLink', 'whereOpen'),
      insertLink: sql.prepare<LinkRecord>('insertLink'),
      deleteLink: sql.prepare('deleteLink'),
      deleteExpiredLinks: sql.prepare('deleteExpiredLinks'),
      deleteJoinLinks: sql.prepare('deleteJoinLinks'),
      newestItems: sql.prepare<NewestItem>('listNewestItems'),
    };
  }

  /** The people of a list, its owner first; empty if it was never joined. */
  members({ id: listId, author_id: ownerId }: ListRecord): readonly Member[] {
    return this.#sql.members.all({ listId, ownerId });
  }

  /** The number of lists of others that a user is a member of. */
  countJoined(userId: number): number {
    return this.#sql.countJoined.get({ userId }) ?? 0;
  }

  /** Adds a member to a list that has an owner. False if it has too many. */
  join({ id: listId, author_id: ownerId, ...list }: ListRecord, userId: number, joinedAt: string): boolean {
    if (list.people > MOST_MEMBERS) return false;
    if (list.people === 0) this.#sql.insertMember.run({ listId, userId: ownerId, joinedAt: list.created_at });
    this.#sql.insertMember.run({ listId, userId, joinedAt });
    return true;
  }

  /** False if there is no such member. */
  removeMember(listId: number, userId: number): boolean {
    return this.#sql.deleteMember.run({ listId, userId }).changes > 0;
  }

  /** Each as the Link of swagger.yaml, the oldest first; also expired ones, until `removeExpired`. */
  links(listId: number): readonly object[] {
    return this.#sql.links.all({ listId }).map(linkJson);
  }

  removeExpired(listId: number, now: string): void {
    this.#sql.deleteExpiredLinks.run({ listId, now });
  }

  /** Returns the link with its address. Only a hash of the secret in it is stored. */
  createLink(listId: number, wanted: NewLink, now: string): object {
    const secret = newSecret();
    const row = { ...wanted, notes: wanted.notes ? 1 : 0, listId, hash: hashSecret(secret), now };
    const link = this.#sql.insertLink.get(row);
    if (!link) throw new Error('an insert returned no row');
    return { ...linkJson(link), url: `/l/${secret}` };
  }

  /** False if the list has no such link. */
  removeLink(listId: number, id: number): boolean {
    return this.#sql.deleteLink.run({ listId, id }).changes > 0;
  }

  endJoining(listId: number): void {
    this.#sql.deleteJoinLinks.run({ listId });
  }

  /** Undefined for a secret that is unknown or expired, and while the list or its owner's account is out of use. */
  find(secret: string): SharedList | undefined {
    const now = new Date().toISOString();
    const link = this.#sql.openLink.get({ hash: hashSecret(secret), now });
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
