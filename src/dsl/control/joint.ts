import type { Spans } from "../../base/diag/index.ts";
import { isTile, type Literal, makeOp, type Op, type ScalarType, sameType, type Value, withParts } from "../../ir/index.ts";
import { isAuto } from "../../layout/index.ts";
import { fail } from "../errors/index.ts";
import { negated } from "../numbers/compare.ts";
import { constantLike, openConstant } from "../numbers/constant.ts";
import { describe } from "../numbers/describe.ts";
import { isLiteral } from "../numbers/literals.ts";
import { isOpen, joinType, settle, unify } from "../numbers/open-types.ts";
import { emitLike, wrap } from "../numbers/operands.ts";
import { selectValue } from "../numbers/select.ts";
import { Mixed, Unassigned, Unusable } from "../numbers/unusable.ts";
import type { SideHeap } from "../objects/heap.ts";
import { isUnsureField, Stale } from "../objects/identity.ts";
import { partsOf, reachable, zipLeaves } from "../objects/parts.ts";
import { readCopied } from "../objects/whole.ts";
import { declaredAt, spansHere } from "../trace/fail-here.ts";
import { adaptedTo } from "../trace/open-tiles.ts";
import { isStagedScalar, StagedScalar } from "../trace/scalar.ts";
import { Staged } from "../trace/staged.ts";
import type { OpenRegion, Trace } from "../trace/trace.ts";
import { blankLike } from "./blank.ts";
import { absent } from "./completion.ts";
import { emitInto } from "./region.ts";

/** What is merged, for errors: the author's name and where it was declared. */
export interface Merged {
  readonly what: string;
  readonly spans: Spans;
  /** Called instead of the error where the two sides cannot be one value. */
  readonly otherwise?: () => unknown;
}

/** One side of a branch. `reached`: its end is reached by some thread that goes on. `heap`: the fields of objects there. */
export interface Side {
  readonly region: OpenRegion;
  readonly heap: SideHeap;
  readonly reached: boolean;
}

const wrapLike = (like: Staged, value: Value): Staged => (like instanceof StagedScalar ? wrap(value) : new Staged(value));

export function failUnlike(merged: Merged, a: unknown, b: unknown): never {
  const [kindA, kindB] = [describe(a), describe(b)];
  // Of two objects that are told alike, the fields differ.
  const more = (x: unknown): string => {
    const keys = kindA === kindB ? partsOf(x)?.keys : undefined;
    return keys && !Array.isArray(x) ? ` { ${keys.map(String).join(", ")} }` : "";
  };
  return fail("W2022", { what: merged.what, a: `${kindA}${more(a)}`, b: `${kindB}${more(b)}` }, [
    ...spansHere(),
    ...declaredAt(merged.spans),
  ]);
}

/**
 * Brings the two sides of a branch together. The values that differ become results of the `if` op that `close` appends. Objects are as they
 * were before the branch while values are merged, and what they hold on either side is read from its heap.
 */
export class Joint {
  private readonly trace: Trace;
  private readonly condition: StagedScalar;
  private readonly yes: Side;
  private readonly no: Side;
  /** Both sides run and `select` chooses: there is no `if` op. */
  private readonly flat: boolean;
  private readonly yields: { readonly yes: Value[]; readonly no: Value[] } = { yes: [], no: [] };
  private readonly results: Value[] = [];
  /** What fields become when everything is merged. */
  private readonly puts: (() => void)[] = [];
  /** For each pair of objects that was merged, the one object that stands for both afterwards. */
  private readonly joined = new Map<object, Map<object, unknown>>();
  private inverse: StagedScalar | undefined;

  constructor(trace: Trace, condition: StagedScalar, yes: Side, no: Side, flat: boolean) {
    this.trace = trace;
    this.condition = condition;
    this.yes = yes;
    this.no = no;
    this.flat = flat;
    if (flat) for (const { region } of [yes, no]) for (const op of region.ops) trace.append(op);
  }

  /** The value after the branch, from the value on each side. Where only one side goes on, it is that side's. */
  merge(a: unknown, b: unknown, merged: Merged): unknown {
    if (!this.yes.reached) return b;
    if (!this.no.reached) return a;
    if (a === b) return a;
    if (a === absent) return this.besideAbsent(b, "no");
    if (b === absent) return this.besideAbsent(a, "yes");
    const differ = (): unknown => (merged.otherwise ? merged.otherwise() : failUnlike(merged, a, b));
    return zipLeaves(a, b, {
      leaf: (x, y) => this.leaf(x, y, merged, differ),
      differ,
      heaps: [this.yes.heap, this.no.heap],
      read: () => {
        readCopied(this.trace, a, this.yes.heap);
        readCopied(this.trace, b, this.no.heap);
      },
      once: (x, y, make) => this.once(x, y, make),
      copying: reachable,
    });
  }

  /** Does some thread go on at the end of that side? */
  reaches(side: "yes" | "no"): boolean {
    return this[side].reached;
  }

  /** Sets a field when everything is merged: until then, objects are as they were before the branch. */
  later(put: () => void): void {
    this.puts.push(put);
  }

  private once(a: object, b: object, make: () => unknown): unknown {
    const known = this.joined.get(a)?.get(b);
    if (known !== undefined) return known;
    const made = make();
    const beside = this.joined.get(a);
    if (beside) beside.set(b, made);
    else this.joined.set(a, new Map([[b, made]]));
    return made;
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
    if (a instanceof Stale || b instanceof Stale) {
      const stale = a instanceof Stale ? a : (b as Stale);
      return [a, b].some((x) => x === undefined || isUnsureField(x)) ? stale.unsure() : stale;
    }
    // Another one than that of either side: a loop whose field or variable still holds what it began with leaves it as it was.
    if (a instanceof Unassigned || b instanceof Unassigned) {
      const { name, spans } = a instanceof Unassigned ? a : (b as Unassigned);
      return new Unassigned(name, spans);
    }
    if (a === undefined || b === undefined)
      return merged.otherwise ? differ() : new Unassigned(merged.what.replaceAll("`", ""), merged.spans);
    const known = (x: unknown): x is StagedScalar | Literal => isLiteral(x) || isStagedScalar(x);
    const asTruth = (x: unknown): boolean => x instanceof Mixed || known(x);
    if (merged.otherwise && (a instanceof Mixed || b instanceof Mixed) && asTruth(a) && asTruth(b)) return differ();
    if (a instanceof Unusable || b instanceof Unusable) return a instanceof Unusable ? a.refuse() : (b as Unusable).refuse();
    if (known(a) && known(b)) return this.scalars(a, b, differ);
    if (a instanceof Staged && b instanceof Staged && sameType(a.value.type, b.value.type))
      return wrapLike(a, this.result(a.value, b.value, a.value));
    return (a instanceof Staged && b instanceof Staged && this.tiles(a, b)) || differ();
  }

  /** Of two tiles that differ in that the layout of one is open, that one takes the other's. */
  private tiles(a: Staged, b: Staged): Staged | undefined {
    const isOpenTile = ({ value: { type } }: Staged): boolean => isTile(type) && isAuto(type.layout);
    const like = isOpenTile(a) ? b : a;
    const as = (x: Staged, region: OpenRegion): Value | undefined => {
      const adapt = (): Value | undefined => adaptedTo(this.trace, x.value, like.value.type);
      return x === like ? x.value : this.flat ? adapt() : emitInto(this.trace, region, adapt);
    };
    const [yes, no] = [as(a, this.yes.region), as(b, this.no.region)];
    return yes && no && new Staged(this.result(yes, no, yes));
  }

  /**
   * A value that only one side has: zeros stand for its leaves on the other side, where nobody reads them. An object that was made in the
   * side stays the object that it is, and one that is older has been merged field by field.
   */
  private besideAbsent(x: unknown, side: "yes" | "no"): unknown {
    if (this.flat) return x;
    const { heap } = this[side];
    if (x instanceof Staged) return this.definedIn(side).has(x.value) ? this.besideBlank(x, side) : x;
    const parts = partsOf(x, heap);
    if (!parts) return x;
    if (!parts.keys) {
      const leaves = parts.leaves.map((leaf) => this.besideAbsent(leaf, side));
      return leaves.every((leaf, i) => leaf === parts.leaves[i]) ? x : parts.rebuild(leaves);
    }
    const object = x as Record<PropertyKey, unknown>;
    if (!heap.isMade(object) || this.brought.has(object)) return x;
    this.brought.add(object);
    parts.keys.forEach((key, i) => {
      const value = this.besideAbsent(parts.leaves[i], side);
      this.later(() => {
        object[key] = value;
      });
    });
    return x;
  }
  private readonly brought = new Set<object>();

  private besideBlank(x: Staged, side: "yes" | "no"): Staged {
    const other = side === "yes" ? this.no.region : this.yes.region;
    const blank = emitInto(this.trace, other, () => blankLike(this.trace, x));
    if (!blank) return failUnlike({ what: "what is returned", spans: [] }, x, undefined);
    const [yes, no] = side === "yes" ? [x, blank] : [blank, x];
    return wrapLike(x, this.result(yes.value, no.value, x.value));
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

  private result(yes: Value, no: Value, like: Value): Value {
    if (this.flat) return emitLike("select", { condition: this.condition.value, yes, no }, like);
    this.yields.yes.push(yes);
    this.yields.no.push(no);
    const result = this.trace.value(like.type);
    joinType(result, like);
    this.results.push(result);
    return result;
  }

  /** Ends both sides, appends the `if` and sets the fields. */
  close(): void {
    if (!this.flat) this.appendIf();
    const only = this.onlySide();
    if (only) only.heap.restore();
    for (const put of this.puts) put();
  }

  /** The side that alone goes on: the other one ends the thread. */
  private onlySide(): Side | undefined {
    if (this.yes.reached === this.no.reached) return undefined;
    return this.yes.reached ? this.yes : this.no;
  }

  private appendIf(): void {
    const { trace, condition } = this;
    const only = this.onlySide();
    // Only one side goes on: its ops are appended after the `if`, so that nothing of them has to be yielded.
    const after = only ? only.region.ops.splice(0) : [];
    for (const side of [this.yes, this.no]) {
      const values = side === this.yes ? this.yields.yes : this.yields.no;
      if (side.reached) emitInto(trace, side.region, () => trace.emit("yield", { values }, {}));
    }
    const op = makeOp(
      trace.ids,
      "if",
      { condition: condition.value },
      {},
      { types: [], regions: [this.yes.region, this.no.region], spans: trace.spans() },
    );
    trace.append(withParts(op as Op, { results: this.results }));
    for (const inner of after) trace.append(inner);
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
