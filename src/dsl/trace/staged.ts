import { exact, exactMembers, exactMethods as ownMethods } from "../../base/diag/index.ts";
import type { Value } from "../../ir/index.ts";
import type { Trace } from "./trace.ts";

/** Marks everything that the dsl itself made: its methods may be called from a kernel, and only the dsl knows what they mean. */
export const ownBrand: unique symbol = Symbol("warpsmith.own");
/** `object[index]` and `object[index] = value` in a kernel, for objects that have them (tensors, shared views). */
export const indexGet: unique symbol = Symbol("warpsmith.index.get");
export const indexSet: unique symbol = Symbol("warpsmith.index.set");
/** How control flow takes an object of the dsl apart and puts it together again: see `Structure`. */
export const structure: unique symbol = Symbol("warpsmith.structure");

/**
 * A value on the GPU. Scalars are `StagedScalar` (scalar.ts); the others (accumulators, addresses, descriptors) are held
 * inside objects of the dsl.
 */
export class Staged {
  readonly [ownBrand] = true;
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

/**
 * What a branch merges or a loop carries of an object. Two objects merge when their `shape`s are equal; their leaves (staged
 * values, static values, or structures again) merge one by one; `rebuild` makes the object from merged leaves.
 */
export interface Structure {
  /** Everything static about the object, as text: class, dtype, extents, … */
  readonly shape: string;
  readonly leaves: readonly unknown[];
  rebuild(leaves: readonly unknown[]): unknown;
  /** The object in the author's words, for errors: "an accumulator [128, 128]". */
  readonly describe: string;
  /** Calling what gives it has no other effect: a statement that drops it is a mistake. */
  readonly kept?: true;
}

/** That of an object around one value, which `make` makes for another. */
export const structureOf = (value: Value, shape: string, describe: string, make: (value: Value) => unknown): Structure => ({
  shape,
  leaves: [new Staged(value)],
  rebuild: ([merged]) => make((merged as Staged).value),
  describe,
});

export interface HasStructure {
  readonly [structure]: Structure;
}
export interface Indexable {
  [indexGet](index: unknown): unknown;
  [indexSet](index: unknown, value: unknown): void;
}

/** Of three numbers, `.x`, `.y` and `.z`: what the author calls them. */
export const tripleName: unique symbol = Symbol("warpsmith.triple");

/** Of memory: its address, as a value of the kernel. */
export const addressIn: unique symbol = Symbol("warpsmith.address");
export interface HasAddress {
  [addressIn](trace: Trace): Value;
}
export const hasAddress = (x: unknown): x is HasAddress => typeof x === "object" && x !== null && addressIn in x;

/** Base of the dsl's own classes. Each is declared by `ownMethods` or `ownClass`. */
export abstract class OwnObject {
  readonly [ownBrand] = true;
}

/** An object that holds one value of the kernel, whose type says all that is known of it. */
export abstract class ValueObject<T> extends OwnObject {
  readonly value: Value;
  readonly type: T;

  constructor(value: Value, type: T) {
    super();
    this.value = value;
    this.type = type;
  }
}

const ownFunctions = new WeakSet<object>();

/** Declares a function of the dsl: kernels may call it with staged values. Returns it with a check of how many arguments it is given. W2078. */
export function own<F extends object>(f: F): F {
  const checked = exact(f);
  ownFunctions.add(f).add(checked);
  return checked;
}

/** Declares a class of the dsl whose objects authors are given: its methods check how many arguments they are given. W2078. */
export { ownMethods };

/** Declares a class of the dsl that authors name: kernels may construct it and call its static methods. W2078. */
export function ownClass(type: { readonly prototype: object }): void {
  ownMethods(type);
  ownFunctions.add(type);
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(type)))
    if (typeof value === "function") own(value as object);
}

/** Declares an object of functions of the dsl, such as `tma` or `sharedMemory`, with a check of how many arguments these are given. W2078. */
export function ownNamespace<T extends object>(members: T): T {
  return Object.assign(exactMembers(members), { [ownBrand]: true as const });
}

const ownMembers = new WeakSet<object>();

/** Notes a function that was read of an object of the language. */
export function noteMember<T>(member: T): T {
  if (typeof member === "function") ownMembers.add(member);
  return member;
}

/** Whether it is a function of the language, or a method of one of its objects: nothing but a call makes sense of it. */
export const isToCall = (f: unknown): boolean => typeof f === "function" && (ownFunctions.has(f) || ownMembers.has(f));

export const isOwnFunction = (f: unknown): boolean => typeof f === "function" && ownFunctions.has(f);
export const isOwnObject = (x: unknown): x is OwnObject => typeof x === "object" && x !== null && ownBrand in x;
export const hasStructure = (x: unknown): x is HasStructure => typeof x === "object" && x !== null && structure in x;
export const isIndexable = (x: unknown): x is Indexable => typeof x === "object" && x !== null && indexGet in x;

/** Of what stands for an element in memory, and is not the element itself. */
export const standsForElement: unique symbol = Symbol("warpsmith.standsForElement");

export const isPlaceOfElement = (x: unknown): x is object => typeof x === "object" && x !== null && standsForElement in x;
