/** Plain objects and lists that cannot change any more: a kernel need not look at them again before a launch. */

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);

/** Freezes plain objects and lists, all through. They are objects of this package: what the author gives is copied before. */
export function freeze(value: unknown): void {
  if (!isPlain(value) || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const held of Object.values(value)) freeze(held);
}

/** A copy of plain objects and lists, frozen all through; what else is in them, such as functions and tensors, is the same. */
export function frozenCopy<T>(value: T): T {
  if (!isPlain(value)) return value;
  const copy: unknown = Array.isArray(value)
    ? value.map((held: unknown) => frozenCopy(held))
    : Object.fromEntries(Object.entries(value).map(([name, held]) => [name, frozenCopy(held as unknown)]));
  return Object.freeze(copy) as T;
}
