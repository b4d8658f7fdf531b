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

/** A list with the number of its items, without those whose restaurant is deleted. */
export type ListRecord = StoredList & { readonly item_count: number };

/** The columns of an item as the change log has them. */
export const ITEM_COLUMNS = {
  restaurant_id: isNumber,
  /** From 1. */
  position: isNumber,
  note: isTextOrNull,
  created_at: isText,
};

export type StoredItem = Stored<typeof ITEM_COLUMNS>;

/** The names of an item's fields in an answer. */
export const ITEM_ANSWER: readonly string[] = ['restaurant', 'position', 'note', 'created_at'];

/** The names of a list's fields in an answer. */
export const LIST_ANSWER: readonly string[] = ['item_count', ...Object.keys(LIST_COLUMNS)].filter(
  (name) => name !== 'author_id',
);

/** The List of swagger.yaml. */
export function listJson({ author_id: _owner, ...shown }: ListRecord): object {
  return shown;
}

/** The ListItem of swagger.yaml as JSON text, with the text of its restaurant. */
export function itemText({ position, note, created_at }: StoredItem, restaurant: string): string {
  return `{"restaurant":${restaurant},${JSON.stringify({ position, note, created_at }).slice(1)}`;
}

/** The list as the change log has it. */
export function storedList({ item_count: _computed, ...stored }: ListRecord): StoredList {
  return stored;
}

/** The item as the change log has it. */
export function storedItem({ restaurant_id, position, note, created_at }: StoredItem): StoredItem {
  return { restaurant_id, position, note, created_at };
}

export function subjectOf({ id, name, author_id }: ListRecord): Subject {
  return { kind: 'list', id, name, ownerId: author_id ?? PLACEHOLDER_ID };
}
