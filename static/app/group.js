/**
 * Puts items under their keys, in the order in which the keys come first.
 * @template Item
 * @template Key
 * @param {readonly Item[]} items
 * @param {(item: Item) => Key} keyOf
 * @returns {Map<Key, Item[]>}
 */
export function groupBy(items, keyOf) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
