import { type ItemRecord, storedItem } from '../people/lists/items.ts';
import type { StoredItem } from '../people/lists/record.ts';
import { type ListStore, TOO_MANY_ITEMS } from '../people/lists/store.ts';
import { isObject } from '../kit/objects.ts';
import type { Entity, Write } from '../storage/change-log.ts';
import { storedFields } from '../storage/stored.ts';
import { readVisitFields } from '../people/visits/record.ts';
import type { VisitStore } from '../people/visits/store.ts';
import type { EntityAccess } from './entity-access.ts';

/** Writes reverts to lists. An update is about the name and the description of a list, or about one of its items. */
export function listAccess(lists: ListStore): EntityAccess {
  return {
    get: (id) => lists.stored(id),
    narrowed: (current, before, made) => {
      if (!('items' in made)) return current;
      const [had, has] = [itemIn(before), itemIn(made)];
      const listId = storedFields(current).number('id');
      const item = lists.items.get(listId, (has ?? had)?.restaurant_id ?? 0);
      return { ...current, items: item ? [placed(item, had, has)] : [] };
    },
    update: (id, values, write, made) => {
      if ('items' in values) return updateItem(lists, id, [itemIn(values), itemIn(made)], write);
      const { text, textOrNull } = storedFields({ ...lists.stored(id), ...values });
      const outcome = lists.update(id, { name: text('name'), description: textOrNull('description') }, write);
      // Not by its name: the obstacles of a batch are read by administrators.
      return outcome?.outcome === 'duplicate' ? [`list ${outcome.of.id} already exists`] : [];
    },
    remove: lists.remove,
    restore: lists.restore,
    // How many they are is the owner's: the obstacles of a batch are read by administrators.
    others: (id, had, at) => (lists.hasOthers(id, had, at) ? 'other items' : undefined),
  };
}

/** Writes reverts to visits. */
export function visitAccess(visits: VisitStore): EntityAccess {
  return {
    get: (id) => {
      // The name is the restaurant's, and changes with it.
      const { restaurant_name: _name, ...stored } = visits.stored(id) ?? {};
      return 'id' in stored ? stored : undefined;
    },
    update: (id, values, write) => {
      visits.update(id, readVisitFields({ ...visits.stored(id), ...values }), write);
      return [];
    },
    remove: visits.remove,
    restore: (before, write) => {
      visits.restore(before, write);
      return [];
    },
  };
}

/** The item where the change left it, unless the change was a move: others that come and go move it as well. */
function placed(item: ItemRecord, had: StoredItem | undefined, has: StoredItem | undefined): StoredItem {
  const isMove = had && has && had.position !== has.position;
  return storedItem(isMove ? item : { ...item, position: has?.position ?? item.position });
}

/** Sets an item back from `made` to `wanted`. */
function updateItem(
  { items }: ListStore,
  listId: number,
  [wanted, made]: readonly [StoredItem | undefined, StoredItem | undefined],
  write: Write,
): readonly string[] {
  if (!wanted) {
    if (made) items.remove(listId, made.restaurant_id, write);
    return [];
  }
  const { restaurant_id, position, note, created_at } = wanted;
  const isMove = position !== made?.position;
  const outcome = items.put(listId, restaurant_id, { note, ...(isMove && { position }) }, write, created_at);
  switch (outcome?.outcome) {
    case 'no restaurant':
      return [`restaurant ${restaurant_id} does not exist`];
    case 'full':
      return [TOO_MANY_ITEMS];
    default:
      return [];
  }
}

/** The one item of a change. */
function itemIn(entity: Entity): StoredItem | undefined {
  return itemsIn(entity)[0];
}

function itemsIn({ items }: Entity): readonly StoredItem[] {
  if (!Array.isArray(items)) return [];
  return items.filter(isObject).map((item) => {
    const { number, text, textOrNull } = storedFields({ ...item });
    const place = { restaurant_id: number('restaurant_id'), position: number('position') };
    return { ...place, note: textOrNull('note'), created_at: text('created_at') };
  });
}
