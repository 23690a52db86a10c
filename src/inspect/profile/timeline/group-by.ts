/** Adds to the list that a key has. */
export function append<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

/** Items in the order in which they come, by what `key` gives. */
export function groupBy<K, T>(items: Iterable<T>, key: (item: T) => K): Map<K, T[]> {
  const lists = new Map<K, T[]>();
  for (const item of items) append(lists, key(item), item);
  return lists;
}
