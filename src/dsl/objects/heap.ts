import { hasStructure, structure } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import { type Frame, isFollowed, isMadeIn } from "./frames.ts";
import { noField, partsOf } from "./parts.ts";

type Fields = Record<PropertyKey, unknown>;

/**
 * What the fields of objects are at one point of the trace, kept for later: at the end of one side of a branch, when the objects are as
 * they were before it again. Objects that it says nothing of have the fields that they have.
 */
export class Heap {
  readonly #fields = new Map<object, Map<PropertyKey, unknown>>();

  /** `noField`: it has none. */
  set(object: object, key: PropertyKey, value: unknown): void {
    const fields = this.#fields.get(object);
    if (fields) fields.set(key, value);
    else this.#fields.set(object, new Map([[key, value]]));
  }

  /** The fields of the object that it knows. */
  of(object: object): ReadonlyMap<PropertyKey, unknown> | undefined {
    return this.#fields.get(object);
  }

  /** Gives the objects themselves these fields. */
  restore(): void {
    for (const [object, fields] of this.#fields)
      for (const [key, value] of fields)
        if (value === noField) Reflect.deleteProperty(object, key);
        else (object as Fields)[key] = value;
  }
}

/** The heap at the end of one side of a branch: what changed in older objects, and all of those that were made in it. */
export class SideHeap extends Heap {
  readonly #trace: Trace;
  readonly #frame: Frame;
  readonly #made = new Set<object>();

  constructor(trace: Trace, frame: Frame) {
    super();
    this.#trace = trace;
    this.#frame = frame;
  }

  /** Was the object made in this side? Known of those that `keep` has met. */
  isMade(object: object): boolean {
    return this.#made.has(object);
  }

  /**
   * Keeps what leaves the side in this value, and gives the value. Called at the end of the side, with its region open: taking some values
   * of the dsl apart computes, and that has to happen where their parts are defined. Objects keep their identity.
   */
  keep(x: unknown): unknown {
    if (hasStructure(x)) {
      const { leaves, rebuild } = x[structure];
      return rebuild(leaves.map((leaf) => this.keep(leaf)));
    }
    if (!isFollowed(x) || this.#made.has(x) || !isMadeIn(this.#trace, x, this.#frame)) return x;
    const parts = partsOf(x);
    if (!parts?.keys) return x;
    this.#made.add(x);
    parts.keys.forEach((key, i) => {
      this.set(x, key, this.keep(parts.leaves[i]));
    });
    return x;
  }
}
