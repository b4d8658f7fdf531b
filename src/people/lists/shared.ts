import { Cache } from '../../kit/cache.ts';
import { bytesInTurns } from '../../kit/slices.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import type { NewLink } from './input.ts';
import { type ListRecord, textWithItems } from './record.ts';
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
// Lists of 1,000 places have about a megabyte.
const MOST_BYTES = 8 * 1024 * 1024;

/** The people that lists are shared with: those who joined, and those who have a link. Writes must run in a transaction. */
export class SharedLists {
  readonly #lists: ListStore;
  readonly #placeText: PlaceText;
  readonly #version: () => string;
  readonly #sql;
  readonly #made = new Cache<string, Buffer>({ maxBytes: MOST_BYTES });

  /** `sql` is links.sql; `version` changes with every write, whichever process makes it. */
  constructor(sql: QueryFile, lists: ListStore, placeText: PlaceText, version: () => string) {
    this.#lists = lists;
    this.#placeText = placeText;
    this.#version = version;
    this.#sql = {
      members: sql.prepare<Member>('listMembers'),
      countJoined: sql.prepare<number>('countJoined').pluck(),
      insertMember: sql.prepare('insertMember'),
      deleteMember: sql.prepare('deleteMember'),
      links: sql.prepare<LinkRecord>('selectLink', 'whereLinkOfList'),
      openLink: sql.prepare<LinkRecord>('selectLink', 'whereOpen'),
      insertLink: sql.prepare<LinkRecord>('insertLink'),
      deleteLink: sql.prepare('deleteLink'),
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

  /** Each as the Link of swagger.yaml, the oldest first; expired ones too. */
  links(listId: number): readonly object[] {
    return this.#sql.links.all({ listId }).map(linkJson);
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

  /** The SharedList of swagger.yaml as JSON, made once for a version of the catalogue. */
  async json({ link, list }: SharedList, hasCover: boolean, pause: () => Promise<void>): Promise<Buffer> {
    const version = this.#version();
    const key = `${version} ${link.id} ${String(hasCover)}`;
    const known = this.#made.get(key);
    if (known) return known;
    const { name, description, item_count } = list;
    const head = { kind: 'list', access: link.access, list: { name, description, item_count } };
    const text = textWithItems(head, this.#lists.items.all(list.id), ({ restaurant_id: id, note }) => {
      const restaurant = this.#placeText(id, hasCover);
      const more = link.notes === 1 ? `,"note":${JSON.stringify(note)}` : '';
      return restaurant && `{"restaurant":${restaurant}${more}}`;
    });
    const made = await bytesInTurns(text, pause);
    if (this.#version() === version) this.#made.set(key, made, made.length);
    return made;
  }

  /** The items that were added last, the newest first. */
  newestItems(listId: number): readonly NewestItem[] {
    return this.#sql.newestItems.all({ listId, limit: MOST_NEWEST });
  }
}

function linkJson({ id, access, notes, created_at, expires_at }: LinkRecord): object {
  return { id, access, notes: notes === 1, created_at, expires_at };
}
