/** The kinds of lists: everyone has one of each of the first two. */
export const LIST_KINDS = ['want', 'favourites', 'own'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A list as it is stored, under the names of the API. */
export interface ListRecord {
  readonly id: number;
  /** Its owner; null for the placeholder of mode none. */
  readonly author_id: number | null;
  readonly kind: ListKind;
  readonly name: string;
  readonly description: string | null;
  /** Without items whose restaurant is deleted. */
  readonly item_count: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An item as the change log holds it. */
export interface StoredItem {
  readonly restaurant_id: number;
  /** From 1. */
  readonly position: number;
  readonly note: string | null;
  readonly created_at: string;
}

/** The names of an item's fields in an answer. */
export const ITEM_ANSWER: readonly string[] = ['restaurant', 'position', 'note', 'created_at'];

/** The names of a list's fields in an answer. */
export const LIST_ANSWER: readonly string[] = Object.keys({
  ...{ id: true, kind: true, name: true, description: true, item_count: true },
  ...{ created_at: true, updated_at: true },
} satisfies Record<keyof Omit<ListRecord, 'author_id'>, true>);

/** The List of swagger.yaml. */
export function listJson(list: ListRecord): object {
  const { author_id: _owner, ...shown } = list;
  return shown;
}

/** The ListItem of swagger.yaml as JSON text, with the text of its restaurant. */
export function itemText({ position, note, created_at }: StoredItem, restaurant: string): string {
  return `{"restaurant":${restaurant},${JSON.stringify({ position, note, created_at }).slice(1)}`;
}
