import { fail } from "../../diag/index.ts";
import { isAggregate, makeValue, type Op, operandList, type Region, type Value, withParts } from "../../ir/index.ts";
import { operandsOf, renamed } from "../rewrite.ts";
import { divisorOf, gcd } from "./divisor.ts";
import { type Expansion, partsOf } from "./expansion.ts";
import { alwaysChanges, asValue, isLiteral, type Leaf, leavesOf, sameLeaf, withLeaves } from "./leaves.ts";
import type { Parts } from "./parts.ts";

/** Writes the ops of a region, but for its terminator. */
export type ExpandOps = (x: Expansion, ops: readonly Op[]) => void;

const isOf = ({ type }: Value): boolean => isAggregate(type);
const holdsAggregates = (op: Op): boolean =>
  op.results.some(isOf) || operandList(op).some(isOf) || op.regions.some((r) => r.params.some(isOf));

const name = (x: Expansion, value: Value): Value => renamed(value, x.names);

/** A region without values of the tile level at its ends. */
function plainRegion(x: Expansion, region: Region, expand: ExpandOps): Region {
  const { region: made } = x.w.inRegion([...region.params], () => expand(x, region.ops));
  return made;
}

/** The leaves of values at the end of a region, by value; a value of the machine level is its own leaf. */
function leavesAt(x: Expansion, values: readonly Value[]): readonly (readonly Leaf[])[] {
  return values.map((v) => (isOf(v) ? leavesOf(x.w, partsOf(x, v)) : [name(x, v)]));
}

interface Side {
  readonly region: Region;
  /** The leaves that it yields; undefined where it ends the thread. */
  readonly leaves: readonly (readonly Leaf[])[] | undefined;
  readonly values: readonly Value[];
  readonly end: Op | undefined;
}

function openSide(x: Expansion, region: Region, expand: ExpandOps): Side {
  const end = region.ops.at(-1);
  const values = end?.name === "yield" ? operandsOf(end, "values") : [];
  const { region: made, result } = x.w.inRegion([], () => {
    expand(x, end?.name === "yield" ? region.ops.slice(0, -1) : region.ops);
    return end?.name === "yield" ? leavesAt(x, values) : undefined;
  });
  return { region: made, leaves: result, values, end };
}

/** Both sides' parts of a result, as far as there are any. */
function sharedParts(x: Expansion, sides: readonly Side[], i: number): readonly Parts[] {
  return sides.flatMap(({ leaves, values }) => {
    const value = leaves && values[i];
    const parts = value && partsOf(x, value);
    return parts && parts.kind !== "nothing" ? [parts] : [];
  });
}

/** A zero for a leaf that the other side has and nobody reads. */
function blank(x: Expansion, like: Leaf): Leaf {
  if (isLiteral(like) || like.type === "i32" || like.type === "i64")
    return { literal: 0, type: like.type === "i64" ? "i64" : "i32" };
  return fail("W2022", { what: "what is returned", a: "a view", b: "nothing" }, x.w.spans());
}

/** An `if` whose results are, or hold, values of the tile level: what differs between the sides becomes results. */
function expandIf(x: Expansion, op: Op, expand: ExpandOps): void {
  const sides = op.regions.map((r) => openSide(x, r, expand));
  const reached = sides.filter((s) => s.leaves !== undefined);
  const yields = sides.map((): Value[] => []);
  const results: Value[] = [];
  /** One leaf of the results: the leaf that all sides give, or a new result. */
  const join = (leaves: readonly Leaf[], result?: Value): Leaf => {
    const [first] = leaves;
    if (first && !result && reached.length > 1 && leaves.every((leaf) => sameLeaf(leaf, first))) return first;
    const made = result ?? makeValue(x.w.ids, first?.type ?? "i32");
    results.push(made);
    let next = 0;
    sides.forEach((side, s) => {
      if (side.leaves === undefined) return;
      const leaf = leaves[next++];
      if (leaf) yields[s]?.push(inRegion(x, side.region, () => asValue(x.w, leaf)));
    });
    return made;
  };
  op.results.forEach((result, i) => {
    if (!isOf(result)) {
      join(
        reached.flatMap((s) => s.leaves?.[i]?.[0] ?? []),
        result,
      );
      return;
    }
    const [like] = sharedParts(x, reached, i);
    if (!like) throw new TypeError("no side of a branch gives a view");
    const lists = reached.map((s) => s.leaves?.[i] ?? []);
    const longest = lists.find((l) => l.length > 0) ?? [];
    const leaves = longest.map((leaf, n) =>
      join(lists.map((l) => l[n] ?? (isKnownOutside(sides, leaf) ? leaf : blank(x, leaf)))),
    );
    x.parts.set(result.id, withLeaves(like, leaves));
  });
  sides.forEach((side, s) => {
    if (side.leaves && side.end)
      inRegion(x, side.region, () => x.w.append(withParts(side.end as Op, { operands: { values: yields[s] ?? [] } })));
  });
  const operands = { condition: name(x, operandList(op)[0] as Value) };
  x.w.append(withParts(op, { operands, results, regions: sides.map((s) => s.region) }));
}

function inRegion<T>(x: Expansion, region: Region, run: () => T): T {
  x.w.regions.push(region as never);
  try {
    return run();
  } finally {
    x.w.regions.pop();
  }
}

const isKnownOutside = (sides: readonly Side[], leaf: Leaf): boolean =>
  isLiteral(leaf) || !sides.some(({ region }) => region.ops.some((op) => op.results.some((r) => r.id === leaf.id)));

/** What a loop carries at one position: the parts before it, their leaves, and which of them change. */
interface Slot {
  readonly before: Parts | undefined;
  readonly leaves: readonly Leaf[];
  readonly changes: boolean[];
  /** What divides the leaves that change, in every iteration. */
  readonly divisors: number[];
}

const most = 2 ** 16;

function slotOf(x: Expansion, value: Value): Slot {
  if (!isOf(value)) return { before: undefined, leaves: [name(x, value)], changes: [true], divisors: [1] };
  const before = partsOf(x, value);
  const leaves = leavesOf(x.w, before);
  const divisors = leaves.map((leaf) =>
    isLiteral(leaf) ? leaf.literal : leaf.type === "i32" || leaf.type === "i64" ? divisorOf(x, leaf, most) : 1,
  );
  return { before, leaves, changes: leaves.map(() => alwaysChanges(before)), divisors };
}

/** The parameters that stand for a slot's leaves in a region, and what stands for the region's own parameter there. */
function enter(x: Expansion, slot: Slot, param: Value): readonly Value[] {
  if (!slot.before) return [param];
  const params: Value[] = [];
  const leaves = slot.leaves.map((leaf, n): Leaf => {
    if (!slot.changes[n]) return leaf;
    const made = makeValue(x.w.ids, leaf.type, param.name);
    x.granted.set(made.id, slot.divisors[n] ?? 1);
    params.push(made);
    return made;
  });
  x.parts.set(param.id, withLeaves(slot.before, leaves));
  return params;
}

/** Compares what an iteration yields with what was taken for granted. Says whether all of it holds. */
function settle(x: Expansion, slots: readonly Slot[], next: readonly (readonly Leaf[])[]): boolean {
  let holds = true;
  slots.forEach(({ before, leaves, changes, divisors }, i) => {
    if (!before) return;
    leaves.forEach((leaf, n) => {
      const now = next[i]?.[n];
      if (!now) return;
      if (!changes[n]) {
        if (sameLeaf(leaf, now)) return;
        changes[n] = true;
        holds = false;
        return;
      }
      const granted = divisors[n] ?? 1;
      const kept = isLiteral(now)
        ? gcd(now.literal, granted)
        : granted === 1
          ? 1
          : divisorOf(x, now, granted === 0 ? most : granted);
      if (kept === granted || (granted === 0 && kept === most)) return;
      divisors[n] = kept;
      holds = false;
    });
  });
  return holds;
}

/** What is handed on of leaves: those that change. */
const changing = (x: Expansion, slots: readonly Slot[], lists: readonly (readonly Leaf[])[]): readonly Value[] =>
  slots.flatMap(({ changes }, i) => (lists[i] ?? []).flatMap((leaf, n) => (changes[n] ? [asValue(x.w, leaf)] : [])));

/** The results of a loop, and what stands for each of its own. */
function leave(x: Expansion, op: Op, slots: readonly Slot[]): readonly Value[] {
  return op.results.flatMap((result, i) => {
    const slot = slots[i];
    return slot ? enter(x, slot, result) : [];
  });
}

function expandFor(x: Expansion, op: Op, expand: ExpandOps): void {
  const [body] = op.regions;
  const [index, ...params] = body?.params ?? [];
  if (!body || !index) throw new TypeError("a loop without a body");
  const slots = operandsOf(op, "carried").map((v) => slotOf(x, v));
  const end = body.ops.at(-1);
  for (;;) {
    const entered = params.flatMap((param, i) => (slots[i] ? enter(x, slots[i], param) : []));
    const { region, result: next } = x.w.inRegion([index, ...entered], () => {
      expand(x, body.ops.slice(0, -1));
      return leavesAt(x, end ? operandsOf(end, "values") : []);
    });
    if (!settle(x, slots, next)) continue;
    inRegion(x, region, () => {
      if (end) x.w.append(withParts(end, { operands: { values: changing(x, slots, next) } }));
    });
    const { start, stop, step } = (op as Op<"for">).operands;
    const carried = changing(
      x,
      slots,
      slots.map((s) => s.leaves),
    );
    const operands = { start: name(x, start), stop: name(x, stop), step: name(x, step), carried };
    x.w.append(withParts(op, { operands, results: leave(x, op, slots), regions: [region] }));
    return;
  }
}

/** The position of the loop's own parameter that each value is which its test passes on. */
function passedOn(op: Op, test: Region): readonly number[] {
  const last = test.ops.at(-1);
  return (last ? operandsOf(last, "values") : []).map((v) => {
    const at = test.params.indexOf(v);
    if (at < 0 && isOf(v)) throw new TypeError(`the test of a '${op.name}' passes on a view that it has made`);
    return at;
  });
}

function expandWhile(x: Expansion, op: Op, expand: ExpandOps): void {
  const [test, body] = op.regions;
  if (!test || !body) throw new TypeError("a loop without a body");
  const slots = operandsOf(op, "carried").map((v) => slotOf(x, v));
  const positions = passedOn(op, test);
  const [condition, end] = [test.ops.at(-1), body.ops.at(-1)];
  /** The slots of what the test passes on; what it computes is handed on as it is. */
  const plain: Slot = { before: undefined, leaves: [], changes: [true], divisors: [1] };
  for (;;) {
    const tested = test.params.flatMap((param, i) => (slots[i] ? enter(x, slots[i], param) : []));
    const handed = positions.map((at) => slots[at] ?? plain);
    const first = x.w.inRegion(tested, () => {
      expand(x, test.ops.slice(0, -1));
      if (!condition) return;
      const values = changing(x, handed, leavesAt(x, operandsOf(condition, "values")));
      const { go } = (condition as Op<"condition">).operands;
      x.w.append(withParts(condition, { operands: { go: name(x, go), values } }));
    }).region;
    const inside = body.params.flatMap((param, i) => (handed[i] ? enter(x, handed[i], param) : []));
    const { region, result: next } = x.w.inRegion(inside, () => {
      expand(x, end?.name === "yield" ? body.ops.slice(0, -1) : body.ops);
      return leavesAt(x, end?.name === "yield" ? operandsOf(end, "values") : []);
    });
    if (!settle(x, slots, next)) continue;
    inRegion(x, region, () => {
      if (end?.name === "yield") x.w.append(withParts(end, { operands: { values: changing(x, slots, next) } }));
    });
    const carried = changing(
      x,
      slots,
      slots.map((s) => s.leaves),
    );
    x.w.append(withParts(op, { operands: { carried }, results: leave(x, op, handed), regions: [first, region] }));
    return;
  }
}

/** A choice between two views: leaf by leaf. */
export function expandSelect(x: Expansion, op: Op<"select">): void {
  const { condition, yes, no } = op.operands;
  const [a, b] = [partsOf(x, yes), partsOf(x, no)];
  const like = a.kind === "nothing" ? b : a;
  const [left, right] = [leavesOf(x.w, a), leavesOf(x.w, b)];
  const leaves = (left.length > 0 ? left : right).map((_, n): Leaf => {
    const [l, r] = [left[n], right[n]];
    if (!l || !r || sameLeaf(l, r)) return (l ?? r) as Leaf;
    return x.w.once("select", { condition: name(x, condition), yes: asValue(x.w, l), no: asValue(x.w, r) }, {});
  });
  const [result] = op.results;
  if (result) x.parts.set(result.id, withLeaves(like, leaves));
}

/** An op with regions: values of the tile level that go in or out are taken apart. */
export function expandControl(x: Expansion, op: Op, expand: ExpandOps): void {
  if (!holdsAggregates(op) && !op.regions.some((r) => holdsAtEnd(r))) {
    const regions = op.regions.map((r) => plainRegion(x, r, expand));
    x.w.append(withParts(op, { operands: renamedOperands(x, op), regions }));
    return;
  }
  if (op.name === "if") expandIf(x, op, expand);
  else if (op.name === "for") expandFor(x, op, expand);
  else expandWhile(x, op, expand);
}

const holdsAtEnd = (region: Region): boolean => {
  const last = region.ops.at(-1);
  return last !== undefined && operandList(last).some(isOf);
};

function renamedOperands(x: Expansion, op: Op): Readonly<Record<string, Value | readonly Value[] | undefined>> {
  const out: Record<string, Value | readonly Value[] | undefined> = {};
  for (const [key, operand] of Object.entries(op.operands as Readonly<Record<string, Value | readonly Value[] | undefined>>))
    out[key] = Array.isArray(operand)
      ? operand.map((v: Value) => name(x, v))
      : operand === undefined
        ? undefined
        : name(x, operand as Value);
  return out;
}
