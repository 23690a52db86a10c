import { fieldsOf } from "../../base/fields.ts";
import { Unusable } from "../numbers/unusable.ts";
import { failHere } from "../trace/fail-here.ts";
import { hasStructure, isOwnObject, Staged, structure } from "../trace/staged.ts";
import { bornHere, type Frame } from "./frames.ts";
import { type CopyKind, noteCopy } from "./identity.ts";

/** In place of a field's value: the object has no such field. */
export const noField: unique symbol = Symbol("no such field");

/** The fields of objects as they were at one point: `of` gives those that it knows, `noField` for one that was not there. */
export interface FieldsThen {
  of(object: object): ReadonlyMap<PropertyKey, unknown> | undefined;
}

/** A structure taken apart: two merge where `shape`, `kind` and `keys` are equal. */
export interface Parts {
  readonly kind: unknown;
  readonly shape: string;
  readonly leaves: readonly unknown[];
  /** The fields or elements of an object of the author that the leaves are; undefined for a value of the dsl. */
  readonly keys: readonly PropertyKey[] | undefined;
  rebuild(leaves: readonly unknown[]): unknown;
}

const deepest = 32;

/** A copy of a frozen object is frozen. */
const asOpenAs = <T extends object>(x: object, copy: T): T =>
  Object.isFrozen(x) ? Object.freeze(copy) : Object.isExtensible(x) ? copy : Object.preventExtensions(copy);

const isOpaque = (x: object): boolean =>
  x instanceof Map ||
  x instanceof Set ||
  x instanceof Promise ||
  x instanceof Date ||
  x instanceof RegExp ||
  ArrayBuffer.isView(x);

function partsOfArray(x: readonly unknown[], changed: ReadonlyMap<PropertyKey, unknown> | undefined): Parts {
  const indices = Array.from(x, (_, i) => String(i));
  const known = new Set<PropertyKey>([...indices, "length"]);
  const named = Reflect.ownKeys(x).filter((key) => !known.has(key) && changed?.get(key) !== noField);
  const keys: readonly PropertyKey[] = named.length > 0 ? [...indices, ...named] : indices;
  const fields = fieldsOf(x);
  return {
    kind: Array.prototype,
    shape: `[${x.length}] ${named.map(String).join(" ")}`,
    keys,
    leaves: keys.map((key) => (changed?.has(key) ? changed.get(key) : fields[key])),
    rebuild: (leaves) => {
      const copy = leaves.slice(0, x.length);
      named.forEach((key, i) => {
        Object.assign(copy, { [key]: leaves[x.length + i] });
      });
      return asOpenAs(x, copy);
    },
  };
}

const newField: PropertyDescriptor = { writable: true, enumerable: true, configurable: true };

function partsOfObject(x: object, changed: ReadonlyMap<PropertyKey, unknown> | undefined): Parts {
  const prototype = Object.getPrototypeOf(x) as object | null;
  const all = Object.getOwnPropertyDescriptors(x) as Record<PropertyKey, PropertyDescriptor>;
  for (const [key, value] of changed ?? []) if (value === noField) Reflect.deleteProperty(all, key);
  const own = Reflect.ownKeys(all).filter((key) => all[key] && "value" in all[key]);
  const added = [...(changed ?? [])].filter(([key, value]) => value !== noField && !(key in all));
  const keys = [...own, ...added.map(([key]) => key)];
  return {
    kind: prototype,
    shape: JSON.stringify(keys.map(String)),
    keys,
    leaves: keys.map((key) => (changed?.has(key) ? changed.get(key) : all[key]?.value)),
    rebuild: (leaves) => {
      const fields = { ...all };
      keys.forEach((key, i) => {
        fields[key] = { ...(all[key] ?? newField), value: leaves[i] };
      });
      return asOpenAs(x, Object.defineProperties(Object.create(prototype) as object, fields));
    },
  };
}

/** What control flow merges and carries of the value, as its fields are, or were in `heap`; undefined for a leaf. */
export function partsOf(x: unknown, heap?: FieldsThen): Parts | undefined {
  if (typeof x !== "object" || x === null || x instanceof Staged || x instanceof Unusable) return undefined;
  if (hasStructure(x)) {
    const { shape, leaves, rebuild } = x[structure];
    return { kind: structure, shape, keys: undefined, leaves, rebuild: (merged) => rebuild(merged) };
  }
  if (isOwnObject(x) || isOpaque(x)) return undefined;
  return Array.isArray(x) ? partsOfArray(x, heap?.of(x)) : partsOfObject(x, heap?.of(x));
}

/** Are they structures of one kind? */
export const sameParts = (a: Parts, b: Parts): boolean =>
  a.kind === b.kind &&
  a.shape === b.shape &&
  a.leaves.length === b.leaves.length &&
  (a.keys === b.keys || Boolean(a.keys?.every((key, i) => key === b.keys?.[i])));

/** How copies are made. */
export interface Copying {
  readonly kind: CopyKind;
  /** Where a copy counts as made; where the trace stands if it is left out. */
  readonly frame?: Frame;
  /** The fields of the objects that are copied, where they are no longer as they should be. */
  readonly heap?: FieldsThen;
  /** Objects that are not taken apart. */
  readonly whole?: (x: object) => boolean;
}
export const reachable: Copying = { kind: "reachable" };
export const hidden: Copying = { kind: "hidden" };

/** A copy of `parts` with other leaves; it stands for all of `of`. */
export function copyOf(parts: Parts, leaves: readonly unknown[], of: readonly unknown[], how: Copying): unknown {
  const copy = parts.rebuild(leaves);
  if (!parts.keys) return copy;
  noteCopy(copy as object, of as readonly object[], how.kind);
  return bornHere(copy, how.frame);
}

/** The same structure with every leaf changed; the value itself where no leaf changes. */
export function mapLeaves(x: unknown, change: (leaf: unknown) => unknown, how: Copying = reachable, depth = 0): unknown {
  if (depth > deepest) failHere("W2025", {});
  const parts = partsOf(x, how.heap);
  if (!parts) return change(x);
  if (parts.keys && how.whole?.(x as object)) return x;
  const leaves = parts.leaves.map((leaf) => mapLeaves(leaf, change, how, depth + 1));
  return leaves.every((leaf, i) => leaf === parts.leaves[i]) ? x : copyOf(parts, leaves, [x], how);
}

/** Objects that one variable of a loop may hold, each counted on every way to it. */
const mostObjects = 4096;

/** Refuses what is too large to be copied: objects that share their parts are copied on each way to them. W2025. */
export function checkSize(x: unknown, heap: FieldsThen | undefined): void {
  let objects = 0;
  const visit = (at: unknown, depth: number): void => {
    const parts = partsOf(at, heap);
    if (!parts?.keys) return;
    if (++objects > mostObjects || depth > deepest) failHere("W2025", {});
    for (const leaf of parts.leaves) visit(leaf, depth + 1);
  };
  visit(x, 0);
}

/** How two structures are brought together. */
export interface Zip {
  readonly leaf: (a: unknown, b: unknown) => unknown;
  /** Asked where the two are not of one shape. */
  readonly differ: () => unknown;
  /** Told of two that are not the same before they are taken apart. */
  readonly read?: (a: unknown, b: unknown) => void;
  /** The fields of the objects on either side. */
  readonly heaps?: readonly [FieldsThen | undefined, FieldsThen | undefined];
  /** The one object for two that meet, made where they first meet. */
  readonly once?: (a: object, b: object, make: () => unknown) => unknown;
  readonly copying: Copying;
}

/** Two structures leaf by leaf. */
export function zipLeaves(a: unknown, b: unknown, zip: Zip, depth = 0): unknown {
  if (a === b) return a;
  if (depth > deepest) failHere("W2025", {});
  if (depth === 0) zip.read?.(a, b);
  const [x, y] = [partsOf(a, zip.heaps?.[0]), partsOf(b, zip.heaps?.[1])];
  if (!x && !y) return zip.leaf(a, b);
  if (!x || !y) return isUnset(a) || isUnset(b) ? zip.leaf(a, b) : zip.differ();
  if (!sameParts(x, y)) return zip.differ();
  const make = (): unknown => {
    const leaves = x.leaves.map((value, i) => zipLeaves(value, y.leaves[i], zip, depth + 1));
    // Values of the dsl are one where their parts are; objects of the author are not.
    return !x.keys && leaves.every((value, i) => value === x.leaves[i]) ? a : copyOf(x, leaves, [a, b], zip.copying);
  };
  return x.keys && zip.once ? zip.once(a as object, b as object, make) : make();
}

const isUnset = (x: unknown): boolean => x === undefined || x instanceof Unusable || typeof x === "symbol";

/** Does it hold a value of the GPU, itself or in its structure? Plain objects and arrays are followed field by field instead. */
export function holdsStaged(x: unknown): boolean {
  if (x instanceof Staged) return true;
  return hasStructure(x) && x[structure].leaves.some(holdsStaged);
}
