import type { Spans } from "../../diag/index.ts";
import { fail } from "../../diag/index.ts";
import { type Literal, makeOp, type Op, type ScalarType, sameType, type Value, withParts } from "../../ir/index.ts";
import { declaredAt, spansHere } from "../fail-here.ts";
import { negated } from "../numbers/compare.ts";
import { constantLike, openConstant } from "../numbers/constant.ts";
import { isOpen, joinType, settle, unify } from "../numbers/open-types.ts";
import { describe, emitLike, isLiteral, wrap } from "../numbers/operands.ts";
import { selectValue } from "../numbers/select.ts";
import { Mixed, Unassigned, Unusable } from "../numbers/unusable.ts";
import { isStagedScalar, StagedScalar } from "../scalar.ts";
import { Staged } from "../staged.ts";
import type { OpenRegion, Trace } from "../trace.ts";
import { blankLike } from "./blank.ts";
import { absent } from "./completion.ts";
import { Stale } from "./identity.ts";
import { mapLeaves, zipLeaves } from "./parts.ts";
import { emitInto } from "./region.ts";

/** What is merged, for errors: the author's name and where it was declared. */
export interface Merged {
  readonly what: string;
  readonly spans: Spans;
  /** Called instead of the error where the two sides cannot be one value. */
  readonly otherwise?: () => unknown;
}

/** One side of a branch. `reached`: its end is reached by some thread that goes on. */
export interface Side {
  readonly region: OpenRegion;
  readonly reached: boolean;
}

const wrapLike = (like: Staged, value: Value): Staged => (like instanceof StagedScalar ? wrap(value) : new Staged(value));

export function failUnlike(merged: Merged, a: unknown, b: unknown): never {
  return fail("W2022", { what: merged.what, a: describe(a), b: describe(b) }, [...spansHere(), ...declaredAt(merged.spans)]);
}

/** Brings the two sides of a branch together. The values that differ become results of the `if` op that `close` appends. */
export class Joint {
  private readonly trace: Trace;
  private readonly condition: StagedScalar;
  private readonly yes: Side;
  private readonly no: Side;
  /** Both sides run and `select` chooses: there is no `if` op. */
  private readonly flat: boolean;
  private readonly yields: { readonly yes: Value[]; readonly no: Value[] } = { yes: [], no: [] };
  private readonly results: Value[] = [];
  private inverse: StagedScalar | undefined;

  constructor(trace: Trace, condition: StagedScalar, yes: Side, no: Side, flat: boolean) {
    this.trace = trace;
    this.condition = condition;
    this.yes = yes;
    this.no = no;
    this.flat = flat;
    if (flat) trace.region.ops.push(...yes.region.ops, ...no.region.ops);
  }

  /** The value after the branch, given what each side left. */
  merge(a: unknown, b: unknown, merged: Merged): unknown {
    const differ = (): unknown => (merged.otherwise ? merged.otherwise() : failUnlike(merged, a, b));
    if (!this.yes.reached) return this.oneSided(b, "no");
    if (!this.no.reached) return this.oneSided(a, "yes");
    return zipLeaves(a, b, (x, y) => this.leaf(x, y, merged, differ), differ);
  }

  /** What the only side that goes on has computed comes out as results; the rest is as it was. */
  private oneSided(x: unknown, side: "yes" | "no"): unknown {
    if (this.flat) return x;
    const defined = this.definedIn(side);
    return mapLeaves(x, (leaf) => {
      if (!(leaf instanceof Staged) || !defined.has(leaf.value)) return leaf;
      return wrapLike(
        leaf,
        side === "yes" ? this.result(leaf.value, undefined, leaf.value) : this.result(undefined, leaf.value, leaf.value),
      );
    });
  }

  private readonly definedSets: Partial<Record<"yes" | "no", Set<Value>>> = {};
  private definedIn(side: "yes" | "no"): Set<Value> {
    const known = this.definedSets[side];
    if (known) return known;
    const set = new Set<Value>();
    for (const op of this[side].region.ops) for (const r of op.results) set.add(r);
    this.definedSets[side] = set;
    return set;
  }

  private leaf(a: unknown, b: unknown, merged: Merged, differ: () => unknown): unknown {
    if (Object.is(a, b) || (a instanceof Staged && b instanceof Staged && a.value === b.value)) return a;
    if (a === absent) return this.besideAbsent(b, "no");
    if (b === absent) return this.besideAbsent(a, "yes");
    if (a instanceof Stale || b instanceof Stale) return a instanceof Stale ? a : b;
    if (a instanceof Unassigned || b instanceof Unassigned) return a instanceof Unassigned ? a : b;
    if (a === undefined || b === undefined)
      return merged.otherwise ? differ() : new Unassigned(merged.what.replaceAll("`", ""), merged.spans);
    const known = (x: unknown): x is StagedScalar | Literal => isLiteral(x) || isStagedScalar(x);
    const asTruth = (x: unknown): boolean => x instanceof Mixed || known(x);
    if (merged.otherwise && (a instanceof Mixed || b instanceof Mixed) && asTruth(a) && asTruth(b)) return differ();
    if (a instanceof Unusable || b instanceof Unusable) return a instanceof Unusable ? a.refuse() : (b as Unusable).refuse();
    if (known(a) && known(b)) return this.scalars(a, b, differ);
    if (a instanceof Staged && b instanceof Staged && sameType(a.value.type, b.value.type))
      return wrapLike(a, this.result(a.value, b.value, a.value));
    return differ();
  }

  private besideAbsent(x: unknown, side: "yes" | "no"): unknown {
    if (this.flat) return x;
    const defined = this.definedIn(side);
    const other = side === "yes" ? this.no.region : this.yes.region;
    return mapLeaves(x, (leaf) => {
      if (!(leaf instanceof Staged) || !defined.has(leaf.value)) return leaf;
      const blank = emitInto(this.trace, other, () => blankLike(this.trace, leaf));
      if (!blank) return failUnlike({ what: "what is returned", spans: [] }, x, undefined);
      const [yes, no] = side === "yes" ? [leaf, blank] : [blank, leaf];
      return wrapLike(leaf, this.result(yes.value, no.value, leaf.value));
    });
  }

  private scalars(a: StagedScalar | Literal, b: StagedScalar | Literal, differ: () => unknown): unknown {
    const truth = (x: StagedScalar | Literal): boolean => (isStagedScalar(x) ? x.type === "pred" : typeof x === "boolean");
    if (truth(a) !== truth(b)) return differ();
    if (typeof a === "boolean" && typeof b === "boolean") return a ? this.condition : this.not();
    if (!agree(a, b)) return differ();
    if (this.flat) return selectValue(this.condition, a, b);
    const inYes = (): Value => (isStagedScalar(a) ? a.value : emitInto(this.trace, this.yes.region, () => this.literal(a, b)));
    const x = inYes();
    const y = isStagedScalar(b) ? b.value : emitInto(this.trace, this.no.region, () => constantLike(b, x));
    return wrap(this.result(x, y, x));
  }

  private literal(a: Literal, b: StagedScalar | Literal): Value {
    return isStagedScalar(b) ? constantLike(a, b.value) : openConstant(a);
  }

  /** `!condition`, made outside both sides. */
  private not(): StagedScalar {
    this.inverse ??= negated(this.condition);
    return this.inverse;
  }

  private result(yes: Value | undefined, no: Value | undefined, like: Value): Value {
    if (this.flat && yes && no) return emitLike("select", { condition: this.condition.value, yes, no }, like);
    if (yes) this.yields.yes.push(yes);
    if (no) this.yields.no.push(no);
    const result = this.trace.value(like.type);
    joinType(result, like);
    this.results.push(result);
    return result;
  }

  /** Ends both sides and appends the `if`. */
  close(): void {
    if (this.flat) return;
    const { trace, yes, no, condition } = this;
    if (yes.reached) emitInto(trace, yes.region, () => trace.emit("yield", { values: this.yields.yes }, {}));
    if (no.reached) emitInto(trace, no.region, () => trace.emit("yield", { values: this.yields.no }, {}));
    const op = makeOp(
      trace.ids,
      "if",
      { condition: condition.value },
      {},
      { types: [], regions: [yes.region, no.region], spans: trace.spans() },
    );
    trace.append(withParts(op as Op, { results: this.results }));
  }
}

/** Do the two have one type, or can they still get one? */
function agree(a: StagedScalar | Literal, b: StagedScalar | Literal): boolean {
  if (!isStagedScalar(a) || !isStagedScalar(b)) {
    if (isLiteral(a) && isLiteral(b)) return typeof a === typeof b;
    return true;
  }
  if (isOpen(a.value)) {
    if (isOpen(b.value)) unify(a.value, b.value);
    else settle(a.value, b.type as ScalarType);
  } else if (isOpen(b.value)) settle(b.value, a.type);
  return a.type === b.type;
}
