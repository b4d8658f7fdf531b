import { createShowAuthor } from '../../catalogue/authors.ts';
import { PLACEHOLDER_ID, type Subject } from '../../storage/change-log.ts';
import {
  type Stored,
  isNumber,
  isNumberOrNull,
  isOneOf,
  isText,
  isTextOrNull,
} from '../../storage/stored.ts';

/** The columns of a list as the database and the change log have them. */
export const LIST_COLUMNS = {
  id: isNumber,
  /** Its owner; null for the placeholder of mode none. */
  author_id: isNumberOrNull,
  /** Every user has one list of each of the first two kinds. */
  kind: isOneOf(['want', 'favourites', 'own']),
  name: isText,
  description: isTextOrNull,
  created_at: isText,
  updated_at: isText,
};

export type StoredList = Stored<typeof LIST_COLUMNS>;

/** A list as the database returns it. */
export interface ListRecord extends StoredList {
  /** Without those whose restaurant is deleted. */
  readonly item_count: number;
  /** The name of its owner. */
  readonly author_name: string | null;
  /** The people of the list, its owner among them; 0 if it was never joined. */
  readonly people: number;
}

/** The columns of an item as the change log has them. */
export const ITEM_COLUMNS = {
  restaurant_id: isNumber,
  /** From 1. */
  position: isNumber,
  note: isTextOrNull,
  created_at: isText,
  /** Who added it; null for the placeholder of mode none, and once the account is gone. */
  author_id: isNumberOrNull,
};

export type StoredItem = Stored<typeof ITEM_COLUMNS>;

/** An item where it stands in its list. */
export interface ItemRecord extends StoredItem {
  /** Items are ordered by it, then by restaurant. */
  readonly rank: number;
  readonly author_name: string | null;
}

/** The JSON text of a restaurant, with its cover if that is asked for; undefined if there is none. */
export type PlaceText = (id: number, hasCover?: boolean) => string | undefined;

/** The names of an item's fields in an answer. */
export const ITEM_ANSWER: readonly string[] = ['restaurant', 'position', 'note', 'created_at', 'added_by'];

/** The names of a list's fields in an answer. */
export const LIST_ANSWER: readonly string[] = [
  ...Object.keys(LIST_COLUMNS).filter((name) => name !== 'author_id'),
  ...['item_count', 'role', 'owner', 'member_count'],
];

/** Whether a caller who may read the list owns it; the caller is null for the placeholder of mode none. */
export function isOwner({ author_id }: Pick<StoredList, 'author_id'>, callerId: number | null): boolean {
  return author_id === callerId;
}

/** The List of swagger.yaml, for someone who may read it. */
export function listJson(list: ListRecord, callerId: number | null): object {
  const { author_id: _id, author_name: _name, people, ...shown } = list;
  return {
    ...shown,
    role: isOwner(list, callerId) ? 'owner' : 'member',
    owner: personOf(list),
    member_count: Math.max(1, people),
  };
}

/** The owner of a list or the person who added an item, as the API returns them; null where there is no account. */
export const personOf = createShowAuthor(true);

/** The ListItem of swagger.yaml as JSON text, with the text of its restaurant. */
export function itemText(item: ItemRecord, restaurant: string): string {
  const { position, note, created_at } = item;
  const own = { position, note, created_at, added_by: personOf(item) };
  return `{"restaurant":${restaurant},${JSON.stringify(own).slice(1)}`;
}

/** The list as the change log has it. */
export function storedList({
  item_count: _count,
  author_name: _name,
  people: _people,
  ...stored
}: ListRecord): StoredList {
  return stored;
}

/** The item as the change log has it. */
export function storedItem({ restaurant_id, position, note, created_at, author_id }: StoredItem): StoredItem {
  return { restaurant_id, position, note, created_at, author_id };
}

/** Changes of a list that was ever joined belong to the list itself, and to its people by that. */
export function subjectOf({ id, name, author_id, people }: ListRecord): Subject {
  return { kind: 'list', id, name, ownerId: people > 0 ? -id : (author_id ?? PLACEHOLDER_ID) };
}
