import { isFloat, isInteger, type Literal, type ScalarType, sameType, type Value } from "../../ir/index.ts";
import { alias, unaliased } from "../aliases.ts";
import { type Handed, noteLoopValue } from "../memory/loop-values.ts";
import { brokenByTurns } from "../memory/multiple-of.ts";
import { constantLike, defineAs } from "../numbers/constant.ts";
import { isOpen, joinType, open, settle, unify } from "../numbers/open-types.ts";
import { isLiteral, widen, wrap } from "../numbers/operands.ts";
import { Unassigned, Unusable } from "../numbers/unusable.ts";
import { isStagedScalar, StagedScalar } from "../scalar.ts";
import { Staged } from "../staged.ts";
import type { Trace } from "../trace.ts";
import { Stale } from "./identity.ts";
import { failUnlike, type Merged } from "./joint.ts";
import { holdsStaged, mapLeaves, zipLeaves } from "./parts.ts";

/** One value that a loop hands from turn to turn. */
interface Leaf {
  readonly param: Value;
  readonly shown: Staged;
  readonly before: Staged | Literal;
  /** What of an integer is kept from turn to turn. */
  readonly handed: Handed | undefined;
  /** At the end of a turn, where it is not the parameter itself. */
  next: Value | undefined;
  result: Value | undefined;
}

/** One variable or field of a loop: as it was, as the body first sees it, and a copy of that which the body cannot change. */
export interface Slot {
  readonly before: unknown;
  readonly carried: unknown;
  readonly pristine: unknown;
  readonly merged: Merged;
  plan: unknown;
}

const wrapLike = (like: Staged | Literal, value: Value): Staged =>
  like instanceof Staged && !(like instanceof StagedScalar) ? new Staged(value) : wrap(value);

/** What divides that much of what a loop hands on at most, by the order in which the loop has met it. */
export type Limits = ReadonlyMap<number, number>;

/** What a loop carries. Everything may change until the body is traced; what did not is taken out again. */
export class Carried {
  private readonly trace: Trace;
  private readonly limits: Limits;
  private readonly leaves = new Map<Value, Leaf>();

  constructor(trace: Trace, limits: Limits) {
    this.trace = trace;
    this.limits = limits;
  }

  /** What the body sees of a value that is carried: parameters for staged leaves, and with `literals` for static numbers too. */
  enter(before: unknown, merged: Merged, literals = true): Slot {
    const made: Staged[] = [];
    const carry = (leaf: unknown): unknown => {
      if (!(leaf instanceof Staged) && !(literals && isLiteral(leaf))) return leaf;
      const shown = this.leaf(leaf);
      made.push(shown);
      return shown;
    };
    if (before === undefined && literals) {
      const unset = new Unassigned(merged.what.replaceAll("`", ""), merged.spans);
      return { before, carried: unset, pristine: unset, merged, plan: undefined };
    }
    const carried = mapLeaves(before, carry);
    let next = 0;
    const again = (leaf: unknown): unknown => (leaf instanceof Staged || (literals && isLiteral(leaf)) ? made[next++] : leaf);
    const pristine = mapLeaves(before, again, "hidden");
    return { before, carried, pristine, merged, plan: undefined };
  }

  /** The same for a field, where it holds anything to carry. */
  enterField(before: unknown, merged: Merged, literals: boolean): Slot | undefined {
    return holdsStaged(before) || (literals && isLiteral(before)) ? this.enter(before, merged) : undefined;
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
    const most = this.limits.get(this.leaves.size) ?? 0;
    const start = before instanceof Staged ? before.value : before;
    const handed = isInteger(type) ? noteLoopValue<Handed>(this.trace, param, { start, most, kept: 1 }) : undefined;
    this.leaves.set(param, { param, shown, before, handed, next: undefined, result: undefined });
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

  /** Notes what the slot holds at the end of a turn. Called with the body's region open. */
  turn(slot: Slot, after: unknown): void {
    const differ = (): unknown => failUnlike(slot.merged, slot.before, after);
    slot.plan = zipLeaves(slot.pristine, after, (start, end) => this.next(slot, start, end, differ), differ, "hidden");
  }

  private next(slot: Slot, start: unknown, end: unknown, differ: () => unknown): unknown {
    if (Object.is(start, end) || start instanceof Stale) return start;
    if (end instanceof Stale && this.leafOf(start)) return end.refuse();
    if (start instanceof Unassigned || end instanceof Unassigned)
      return start instanceof Unassigned ? new Unassigned(start.name, start.spans) : end;
    if (end instanceof Unusable) return end.refuse();
    const leaf = this.leafOf(start);
    if (!leaf)
      return start === undefined || end === undefined
        ? new Unassigned(slot.merged.what.replaceAll("`", ""), slot.merged.spans)
        : differ();
    const next = this.asParam(leaf, end);
    if (!next) return differ();
    if (unaliased(this.trace, next) !== leaf.param) leaf.next = next;
    return start;
  }

  /** The value at the end of a turn in the type of the parameter, or undefined where that is not possible. */
  private asParam({ param, before }: Leaf, end: unknown): Value | undefined {
    if (isLiteral(end))
      return (typeof end === "boolean") === (param.type === "pred") && isScalarLeaf(before)
        ? constantLike(end, param)
        : undefined;
    if (!(end instanceof Staged)) return undefined;
    const { value } = end;
    if (!isScalarLeaf(before)) return sameType(value.type, param.type) ? value : undefined;
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

  /** What the body took for granted that its turns do not keep, and what they do: the body has to be traced anew. Undefined where nothing. */
  broken(): Limits | undefined {
    const turns = this.changed().flatMap(({ handed, next }) => (handed && next ? [{ handed, next }] : []));
    const broken = brokenByTurns(this.trace, turns);
    if (broken.size === 0) return undefined;
    const limits = [...this.leaves.values()].flatMap(({ handed }, i): [number, number][] => {
      const most = handed && broken.get(handed);
      return most === undefined ? [] : [[i, most]];
    });
    return new Map([...this.limits, ...limits]);
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

  /** What the slot is after the loop. */
  after(slot: Slot, final: unknown): unknown {
    let same = true;
    const value = mapLeaves(slot.plan, (x) => {
      const leaf = this.leafOf(x);
      if (!leaf) {
        if (x instanceof Unassigned && x === slot.pristine) return slot.before;
        return x;
      }
      if (!leaf.result) return leaf.before;
      same = false;
      return wrapLike(leaf.before, leaf.result);
    });
    return same && (final === slot.carried || slot.plan === slot.pristine) ? slot.before : value;
  }
}

const isScalarLeaf = (x: Staged | Literal): boolean => !(x instanceof Staged) || x instanceof StagedScalar;
