import { isFloat, type Literal, type ScalarType, sameType, type Value } from "../../ir/index.ts";
import { constantLike, defineAs } from "../numbers/constant.ts";
import { isLiteral } from "../numbers/literals.ts";
import { isOpen, joinType, open, settle, unify } from "../numbers/open-types.ts";
import { widen, wrap } from "../numbers/operands.ts";
import { Unassigned, Unusable } from "../numbers/unusable.ts";
import { assignField } from "../objects/fields.ts";
import { Stale } from "../objects/identity.ts";
import {
  type Copying,
  checkSize,
  copyOf,
  type FieldsThen,
  hidden,
  holdsStaged,
  mapLeaves,
  partsOf,
  reachable,
  sameParts,
  zipLeaves,
} from "../objects/parts.ts";
import { readCopied } from "../objects/whole.ts";
import { alias, unaliased } from "../trace/aliases.ts";
import { adaptedTo } from "../trace/open-tiles.ts";
import { isStagedScalar, StagedScalar } from "../trace/scalar.ts";
import { Staged } from "../trace/staged.ts";
import type { Trace } from "../trace/trace.ts";
import { failUnlike, type Merged } from "./joint.ts";

/** One value that a loop carries from iteration to iteration. */
interface Leaf {
  readonly param: Value;
  readonly shown: Staged;
  readonly before: Staged | Literal;
  /** At the end of an iteration, where it is not the parameter itself. */
  next: Value | undefined;
  result: Value | undefined;
}

/**
 * One variable or field of a loop: as it was, as the body first sees it, and a copy of that which the body cannot change. `plan` is a copy
 * like it with what the end of an iteration leaves.
 */
export interface Slot {
  readonly before: unknown;
  readonly carried: unknown;
  readonly pristine: unknown;
  readonly merged: Merged;
  plan: unknown;
  /** Objects of `pristine`, with those that they stand for. */
  readonly twins: ReadonlyMap<unknown, Twin>;
}

/** An object before the loop, and what the body sees of it. */
interface Twin {
  readonly before: object;
  readonly carried: unknown;
  /** At the end of an iteration the slot holds it where it did at the start: it is the same object throughout. */
  kept: boolean;
}

/** Can a loop carry a field or variable that begins with this? What has no value yet gets one in the loop, before it is read. */
export const mayBeCarried = (before: unknown): boolean =>
  before === undefined || holdsStaged(before) || isLiteral(before) || partsOf(before) !== undefined;

const wrapLike = (like: Staged | Literal, value: Value): Staged =>
  like instanceof Staged && !(like instanceof StagedScalar) ? new Staged(value) : wrap(value);

/** What a loop carries. Everything may change until the body is traced; what did not is taken out again. */
export class Carried {
  private readonly trace: Trace;
  private readonly leaves = new Map<Value, Leaf>();
  private later: (x: object) => Iterable<object> = () => [];

  constructor(trace: Trace) {
    this.trace = trace;
  }

  /** What the body sees of a value that is carried: parameters for staged leaves, and with `literals` for static numbers too. */
  enter(before: unknown, merged: Merged, literals: boolean, how: Omit<Copying, "kind">): Slot {
    checkSize(before, how.heap);
    readCopied(this.trace, before, how.heap, how.frame);
    const made: Staged[] = [];
    const carries = (leaf: unknown): leaf is Staged | Literal => leaf instanceof Staged || (literals && isLiteral(leaf));
    const carry = (leaf: unknown): unknown => {
      if (!carries(leaf)) return leaf;
      const shown = this.leaf(leaf);
      made.push(shown);
      return shown;
    };
    if (before === undefined && literals) {
      const unset = new Unassigned(merged.what.replaceAll("`", ""), merged.spans);
      return { before, carried: unset, pristine: unset, merged, plan: undefined, twins: new Map() };
    }
    const carried = mapLeaves(before, carry, { ...how, kind: "entered" });
    let next = 0;
    const again = (leaf: unknown): unknown => (carries(leaf) ? made[next++] : leaf);
    const pristine = mapLeaves(before, again, { ...how, kind: "hidden" });
    return { before, carried, pristine, merged, plan: undefined, twins: twinsOf(before, carried, pristine, how.heap) };
  }

  /** The same for a field, where it holds anything to carry; with `all` also static numbers and objects. */
  enterField(before: unknown, merged: Merged, all: boolean, how: Omit<Copying, "kind">): Slot | undefined {
    return holdsStaged(before) || (all && mayBeCarried(before)) ? this.enter(before, merged, true, how) : undefined;
  }

  private leaf(before: Staged | Literal): Staged {
    const type =
      before instanceof Staged
        ? before.value.type
        : typeof before === "boolean"
          ? "pred"
          : typeof before === "bigint"
            ? "i64"
            : Number.isInteger(before)
              ? "i32"
              : "f32";
    const param = this.trace.value(type);
    if (before instanceof Staged) joinType(param, before.value);
    else if (typeof before !== "boolean") open(param, typeof before === "bigint" ? "bigint" : "number");
    const shown = wrapLike(before, param);
    this.leaves.set(param, { param, shown, before, next: undefined, result: undefined });
    return shown;
  }

  private leafOf(x: unknown): Leaf | undefined {
    return x instanceof Staged ? this.leaves.get(x.value) : undefined;
  }

  /** What a value that the body sees was before the loop. */
  outside(x: Staged): Staged {
    const before = this.leafOf(x)?.before;
    return before instanceof Staged ? before : x;
  }

  /** Notes which objects iterations may leave where the one that was traced leaves one. */
  exchanges(later: (x: object) => Iterable<object>): void {
    this.later = later;
  }

  /** Notes what the slot holds at the end of an iteration. Called with the body's region open. */
  yields(slot: Slot, after: unknown): void {
    const differ = (): unknown => failUnlike(slot.merged, slot.before, after);
    keepTwins(slot, slot.pristine, after);
    const leaf = (start: unknown, end: unknown): unknown => this.next(slot, start, end, differ);
    slot.plan = zipLeaves(slot.pristine, after, { leaf, differ, read: () => readCopied(this.trace, after), copying: hidden });
  }

  private next(slot: Slot, start: unknown, end: unknown, differ: () => unknown): unknown {
    if (Object.is(start, end) || start instanceof Stale) return start;
    if (end instanceof Stale && !(start instanceof Unassigned)) return end.refuse();
    if (start instanceof Unassigned || end instanceof Unassigned)
      return start instanceof Unassigned ? new Unassigned(start.name, start.spans) : end;
    if (end instanceof Unusable) return end.refuse();
    const leaf = this.leafOf(start);
    if (!leaf)
      return start === undefined ? new Unassigned(slot.merged.what.replaceAll("`", ""), slot.merged.spans).refuse() : differ();
    const next = this.asParam(leaf, end);
    if (!next) return differ();
    if (unaliased(this.trace, next) !== leaf.param) leaf.next = next;
    return start;
  }

  /** The value at the end of an iteration in the type of the parameter, or undefined where that is not possible. */
  private asParam({ param, before }: Leaf, end: unknown): Value | undefined {
    if (isLiteral(end))
      return (typeof end === "boolean") === (param.type === "pred") && isScalarLeaf(before)
        ? constantLike(end, param)
        : undefined;
    if (!(end instanceof Staged)) return undefined;
    const { value } = end;
    if (!isScalarLeaf(before)) return sameType(value.type, param.type) ? value : adaptedTo(this.trace, value, param.type);
    if (!isStagedScalar(end) || (value.type === "pred") !== (param.type === "pred")) return undefined;
    if (isOpen(param) && isOpen(value)) unify(param, value);
    else if (isOpen(param)) settle(param, value.type as ScalarType);
    else if (isOpen(value)) settle(value, param.type as ScalarType);
    if (value.type === param.type) return value;
    return isFloat(value.type) && (param.type === "f32" || param.type === "f64") && value.type !== "f64"
      ? widen(value, param.type)
      : undefined;
  }

  private changed(): readonly Leaf[] {
    return [...this.leaves.values()].filter((leaf) => leaf.next !== undefined);
  }

  /** Parameters, first values and next values of what really changes. Called where the loop stands, before its op. */
  list(): { readonly params: Value[]; readonly init: Value[]; readonly next: Value[] } {
    const changed = this.changed();
    for (const leaf of this.leaves.values()) {
      if (leaf.next !== undefined) continue;
      if (leaf.before instanceof Staged) alias(this.trace, leaf.param, leaf.before.value);
      else defineAs(leaf.param, leaf.before);
    }
    return {
      params: changed.map((leaf) => leaf.param),
      init: changed.map((leaf) => (leaf.before instanceof Staged ? leaf.before.value : constantLike(leaf.before, leaf.param))),
      next: changed.map((leaf) => leaf.next ?? leaf.param),
    };
  }

  /** Takes the results of the loop's op, in the order of `list`. */
  take(results: readonly Value[]): void {
    this.changed().forEach((leaf, i) => {
      leaf.result = results[i];
    });
  }

  /** What the slot is after the loop. An object that is the same throughout gets its fields, and stays that object. */
  after(slot: Slot): unknown {
    const { plan, pristine, before } = slot;
    const isValue = !partsOf(plan)?.keys;
    return isValue && plan === pristine && !this.hasResult(plan) ? before : this.finish(slot, plan, pristine);
  }

  private hasResult(plan: unknown): boolean {
    const parts = partsOf(plan);
    return parts ? parts.leaves.some((leaf) => this.hasResult(leaf)) : this.leafOf(plan)?.result !== undefined;
  }

  private finish(slot: Slot, plan: unknown, pristine: unknown): unknown {
    const parts = partsOf(plan);
    if (!parts) return this.leafAfter(plan);
    if (parts.keys && plan === pristine) return plan;
    const starts = partsOf(pristine)?.leaves ?? [];
    const leaves = parts.leaves.map((leaf, i) => this.finish(slot, leaf, starts[i]));
    const twin = slot.twins.get(pristine);
    if (!parts.keys || !twin?.kept)
      return copyOf(parts, leaves, [plan, ...(parts.keys ? this.later(plan as object) : [])], reachable);
    const fields = twin.before as Record<PropertyKey, unknown>;
    parts.keys.forEach((key, i) => {
      if (fields[key] !== leaves[i]) assignField(this.trace, fields, key, leaves[i]);
    });
    return fields;
  }

  private leafAfter(x: unknown): unknown {
    const leaf = this.leafOf(x);
    if (!leaf) return x;
    return leaf.result ? wrapLike(leaf.before, leaf.result) : leaf.before;
  }
}

/** The objects of three structures of one shape. */
function twinsOf(before: unknown, carried: unknown, pristine: unknown, heap: FieldsThen | undefined): ReadonlyMap<unknown, Twin> {
  const twins = new Map<unknown, Twin>();
  const visit = (x: unknown, y: unknown, z: unknown): void => {
    const parts = partsOf(x, heap);
    if (!parts?.keys || x === z) return;
    twins.set(z, { before: x as object, carried: y, kept: false });
    const [shown, start] = [partsOf(y)?.leaves ?? [], partsOf(z)?.leaves ?? []];
    parts.leaves.forEach((leaf, i) => {
      visit(leaf, shown[i], start[i]);
    });
  };
  visit(before, carried, pristine);
  return twins;
}

/** Finds the objects that stand at the end of an iteration where they stood at its start. */
function keepTwins(slot: Slot, pristine: unknown, after: unknown): void {
  const twin = slot.twins.get(pristine);
  if (!twin) return;
  twin.kept = twin.carried === after;
  const [x, y] = [partsOf(pristine), partsOf(after)];
  if (!x || !y || !sameParts(x, y)) return;
  x.leaves.forEach((leaf, i) => {
    keepTwins(slot, leaf, y.leaves[i]);
  });
}

const isScalarLeaf = (x: Staged | Literal): boolean => !(x instanceof Staged) || x instanceof StagedScalar;
