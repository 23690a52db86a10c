import { failHere } from "../fail-here.ts";
import { Unusable } from "../numbers/unusable.ts";
import { hasStructure, isOwnObject, Staged, structure } from "../staged.ts";
import { bornHere } from "./frames.ts";
import { noteCopy } from "./identity.ts";

/** A structure taken apart: two merge where `shape` and `kind` are equal. */
interface Parts {
  readonly kind: unknown;
  readonly shape: string;
  readonly leaves: readonly unknown[];
  rebuild(leaves: readonly unknown[]): unknown;
}

const deepest = 32;

/** A copy of a frozen object is frozen. */
const asOpenAs = <T extends object>(x: object, copy: T): T =>
  Object.isFrozen(x) ? Object.freeze(copy) : Object.isExtensible(x) ? copy : Object.preventExtensions(copy);

function partsOfObject(x: object): Parts | undefined {
  const prototype: unknown = Object.getPrototypeOf(x);
  if (
    x instanceof Map ||
    x instanceof Set ||
    x instanceof Promise ||
    x instanceof Date ||
    x instanceof RegExp ||
    ArrayBuffer.isView(x)
  )
    return undefined;
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(x)).filter(([, d]) => "value" in d);
  return {
    kind: prototype,
    shape: JSON.stringify(descriptors.map(([key]) => key)),
    leaves: descriptors.map(([, d]) => d.value as unknown),
    rebuild: (leaves) => {
      const changed = descriptors.map(([key, d], i) => [key, { ...d, value: leaves[i] }]);
      const all = { ...Object.getOwnPropertyDescriptors(x), ...(Object.fromEntries(changed) as PropertyDescriptorMap) };
      return bornHere(asOpenAs(x, Object.defineProperties(Object.create(prototype as object | null) as object, all)));
    },
  };
}

/** What control flow merges and carries of the value; undefined for a leaf. */
export function partsOf(x: unknown): Parts | undefined {
  if (typeof x !== "object" || x === null || x instanceof Staged || x instanceof Unusable) return undefined;
  if (hasStructure(x)) {
    const { shape, leaves, rebuild } = x[structure];
    return { kind: structure, shape, leaves, rebuild: (merged) => rebuild(merged) };
  }
  if (isOwnObject(x)) return undefined;
  if (Array.isArray(x))
    return { kind: Array.prototype, shape: `[${x.length}]`, leaves: x, rebuild: (leaves) => bornHere(asOpenAs(x, [...leaves])) };
  return partsOfObject(x);
}

/** Are they structures of one kind? */
const sameParts = (a: Parts, b: Parts): boolean =>
  a.kind === b.kind && a.shape === b.shape && a.leaves.length === b.leaves.length;

/** Can the author get at a copy, and change it or see changes of it? */
export type Copies = "reachable" | "hidden";

/** A copy of `parts` with other leaves; it stands for all of `of`. */
function copyOf(parts: Parts, leaves: readonly unknown[], of: readonly unknown[], copies: Copies): unknown {
  const copy = parts.rebuild(leaves);
  if (parts.kind !== structure) noteCopy(copy as object, of as readonly object[], copies === "reachable");
  return copy;
}

/** The same structure with every leaf changed; the value itself where no leaf changes. */
export function mapLeaves(x: unknown, change: (leaf: unknown) => unknown, copies: Copies = "reachable", depth = 0): unknown {
  if (depth > deepest) failHere("W2025", {});
  const parts = partsOf(x);
  if (!parts) return change(x);
  const leaves = parts.leaves.map((leaf) => mapLeaves(leaf, change, copies, depth + 1));
  return leaves.every((leaf, i) => leaf === parts.leaves[i]) ? x : copyOf(parts, leaves, [x], copies);
}

/** Two structures leaf by leaf. `differ` is asked where the two are not of one shape. */
export function zipLeaves(
  a: unknown,
  b: unknown,
  leaf: (a: unknown, b: unknown) => unknown,
  differ: () => unknown,
  copies: Copies = "reachable",
  depth = 0,
): unknown {
  if (a === b) return a;
  if (depth > deepest) failHere("W2025", {});
  const [x, y] = [partsOf(a), partsOf(b)];
  if (!x && !y) return leaf(a, b);
  if (!x || !y) return isUnset(a) || isUnset(b) ? leaf(a, b) : differ();
  if (!sameParts(x, y)) return differ();
  const leaves = x.leaves.map((value, i) => zipLeaves(value, y.leaves[i], leaf, differ, copies, depth + 1));
  // Values of the dsl are one where their parts are; objects of the author are not.
  if (x.kind === structure && leaves.every((value, i) => value === x.leaves[i])) return a;
  return copyOf(x, leaves, [a, b], copies);
}

const isUnset = (x: unknown): boolean => x === undefined || x instanceof Unusable || typeof x === "symbol";

/**
 * The value as it is at the end of the region that is open now: taking some objects of the dsl apart computes, and that has to
 * happen where their parts are defined.
 */
export function settled(x: unknown, depth = 0): unknown {
  const parts = depth > deepest ? undefined : partsOf(x);
  if (!parts) return x;
  const leaves = parts.leaves.map((leaf) => settled(leaf, depth + 1));
  return parts.kind !== structure && leaves.every((leaf, i) => leaf === parts.leaves[i])
    ? x
    : copyOf(parts, leaves, [x], "reachable");
}

/** Does it hold a value of the GPU, itself or in its structure? Plain objects and arrays are followed field by field instead. */
export function holdsStaged(x: unknown): boolean {
  if (x instanceof Staged) return true;
  return hasStructure(x) && x[structure].leaves.some(holdsStaged);
}
