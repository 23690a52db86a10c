import { countType, type IntType } from "../../../ir/arith.ts";
import {
  carriedInto,
  endsThread,
  isAggregate,
  isView,
  makeValue,
  mapOperands,
  type Op,
  type OpenRegion,
  operandList,
  type Region,
  type Type,
  type Value,
  withParts,
  yielded,
} from "../../../ir/index.ts";
import { fail } from "../../errors.ts";
import { dimensionParts, type Part } from "../../facts/index.ts";
import { renamed } from "../../rewrite/rewrite.ts";
import { type Expansion, partsOf } from "./expansion.ts";
import { asValue, isLiteral, type Leaf, leavesOf, partsOfLeaves, sameLeaf } from "./leaves.ts";

/** Writes the ops of a region, but for its terminator. */
export type ExpandOps = (x: Expansion, ops: readonly Op[]) => void;

const isOf = ({ type }: Value): boolean => isAggregate(type);
const holdsAggregates = (op: Op): boolean =>
  op.results.some(isOf) || operandList(op).some(isOf) || op.regions.some((r) => r.params.some(isOf));
const yieldsAggregates = (region: Region): boolean => yielded(region).some(isOf);

const name = (x: Expansion, value: Value): Value => renamed(value, x.names);
const renameAll = (x: Expansion, op: Op) => mapOperands(op, (v) => name(x, v));

/** The leaves of a value; one of the machine level is its own leaf. */
const leavesOfValue = (x: Expansion, value: Value): readonly Leaf[] =>
  isOf(value) ? leavesOf(x.w, partsOf(x, value)) : [name(x, value)];

/** A region that has been written, but for its terminator. */
interface Written {
  readonly region: OpenRegion;
  /** The terminator, where it yields, and the leaves of what it yields. */
  readonly end: Op | undefined;
  readonly leaves: readonly (readonly Leaf[])[];
}

function writeRegion(x: Expansion, region: Region, params: Value[], expand: ExpandOps): Written {
  const end = endsThread(region) ? undefined : region.ops.at(-1);
  const { region: made, result: leaves } = x.w.inRegion(params, () => {
    expand(x, end ? region.ops.slice(0, -1) : region.ops);
    return end ? yielded(region).map((v) => leavesOfValue(x, v)) : [];
  });
  return { region: made, end, leaves };
}

/** Goes on with a region that has been written. */
function inRegion<T>(x: Expansion, region: OpenRegion, run: () => T): T {
  x.w.regions.push(region);
  try {
    return run();
  } finally {
    x.w.regions.pop();
  }
}

/** Ends a region with these values. */
function close(x: Expansion, { region, end }: Written, values: () => readonly Value[]): void {
  if (end)
    inRegion(x, region, () =>
      x.w.append(withParts(end, { operands: { ...end.operands, ...renameAll(x, end), values: values() } })),
    );
}

/** A zero for a leaf of that type that nobody reads. */
function blank(x: Expansion, type: Type): Leaf {
  if (type === "i32" || type === "i64") return { literal: 0, type };
  return fail("W2022", { what: "what is returned", a: "a view", b: "nothing" }, x.w.spans());
}

const holds = ({ params, ops }: OpenRegion, { id }: Value): boolean =>
  params.some((v) => v.id === id) || ops.some((op) => op.results.some((v) => v.id === id));

/** An `if` whose results are, or hold, values of the tile level: what differs between the sides becomes results. */
function expandIf(x: Expansion, op: Op, expand: ExpandOps): void {
  const sides = op.regions.map((r) => writeRegion(x, r, [], expand));
  const reached = sides.filter((s) => s.end !== undefined);
  const yields = reached.map((): Value[] => []);
  const results: Value[] = [];
  const merge = (leaves: readonly Leaf[], result: Value): Value => {
    results.push(result);
    reached.forEach(({ region }, s) => {
      const leaf = leaves[s];
      if (leaf) yields[s]?.push(inRegion(x, region, () => asValue(x.w, leaf)));
    });
    return result;
  };
  /** A leaf of one side that the other one does not have stays as it is where both could have it. */
  const missing = (leaf: Leaf): Leaf =>
    isLiteral(leaf) || !sides.some(({ region }) => holds(region, leaf)) ? leaf : blank(x, leaf.type);
  op.results.forEach((result, i) => {
    const lists = reached.map(({ leaves }) => leaves[i] ?? []);
    if (!isOf(result)) {
      merge(lists.flat(), result);
      return;
    }
    const some = lists.find((list) => list.length > 0) ?? [];
    const merged = some.map((like, n): Leaf => {
      const leaves = lists.map((list) => list[n] ?? missing(like));
      const isSame = reached.length > 1 && leaves.every((leaf) => sameLeaf(leaf, like));
      return isSame ? like : merge(leaves, makeValue(x.w.ids, like.type));
    });
    x.parts.set(result.id, partsOfLeaves(result.type, merged));
  });
  reached.forEach((side, s) => {
    close(x, side, () => yields[s] ?? []);
  });
  x.w.append(withParts(op, { operands: renameAll(x, op), results, regions: sides.map((s) => s.region) }));
}

/** What a loop carries at one position. */
interface Slot {
  /** What stands for it before the loop. */
  readonly leaves: readonly Leaf[];
  /** Which of them may be other ones in later iterations: these are carried. */
  readonly changes: readonly boolean[];
}

const carries: readonly boolean[] = [true];

/** What is known of a leaf: of the descriptors of an operand, and of registers, they are told of as one. */
const partOf = (parts: readonly Part[], n: number): Part | undefined => parts[Math.min(n, parts.length - 1)];

/** Is the value there before the loop that is about to be written? */
const isAvailable = ({ w }: Expansion, value: Value): boolean => w.regions.some((region) => holds(region, value));

/** The type of leaf `n` of a view, after its base. */
function leafType(type: Type, n: number): IntType {
  if (!isView(type) || type.space !== "global") return "i32";
  if (n === 1) return type.wide ? "i64" : "i32";
  const { first, count } = dimensionParts;
  return (n - first) % count === 0 ? countType(type.dims[(n - first) / count]?.limit ?? 0) : "i32";
}

/**
 * A view that nobody had before the loop, and that an iteration finds: its leaves are literals and pointers that are there before the
 * loop too, or zeros until then.
 */
function slotOfNothing(x: Expansion, param: Value): Slot {
  const found = x.facts.view(param).map((part, n): { leaf: Leaf; changes: boolean } => {
    const type = leafType(param.type, n);
    if (typeof part.key === "number") return { leaf: { literal: part.key, type }, changes: false };
    const value = part.value && name(x, part.value);
    if (value && isAvailable(x, value)) return { leaf: value, changes: false };
    return { leaf: blank(x, n === 0 ? "ptr.shared" : type), changes: true };
  });
  return { leaves: found.map(({ leaf }) => leaf), changes: found.map(({ changes }) => changes) };
}

/** `param`: what stands for the value in each iteration. */
function slotOf(x: Expansion, value: Value, param: Value): Slot {
  const leaves = leavesOfValue(x, value);
  if (!isOf(value)) return { leaves, changes: carries };
  if (leaves.length === 0) return slotOfNothing(x, param);
  const [before, always] = [x.facts.view(value), x.facts.view(param)];
  return { leaves, changes: leaves.map((_, n) => partOf(before, n)?.key !== partOf(always, n)?.key) };
}

/** What is carried of these leaves. A view that nobody reads passes on what was there before the loop. */
const carried = (x: Expansion, slots: readonly Slot[], lists: readonly (readonly Leaf[])[]): readonly Value[] =>
  slots.flatMap(({ changes, leaves }, i) => {
    const list = lists[i] ?? [];
    return (list.length > 0 ? list : leaves).flatMap((leaf, n) => (changes[n] ? [asValue(x.w, leaf)] : []));
  });

const carriedIn = (x: Expansion, slots: readonly Slot[]): readonly Value[] =>
  carried(
    x,
    slots,
    slots.map((s) => s.leaves),
  );

/** The values that stand for what slots carry, and what stands for each of `values`, which they are inside the loop or after it. */
function receive(x: Expansion, slots: readonly Slot[], values: readonly Value[]): Value[] {
  return values.flatMap((value, i): readonly Value[] => {
    const slot = slots[i];
    if (!slot || !isOf(value)) return [value];
    const made: Value[] = [];
    const leaves = slot.leaves.map((leaf, n): Leaf => {
      if (!slot.changes[n]) return leaf;
      const own = makeValue(x.w.ids, leaf.type, value.name);
      made.push(own);
      return own;
    });
    x.parts.set(value.id, partsOfLeaves(value.type, leaves));
    return made;
  });
}

function expandFor(x: Expansion, op: Op, expand: ExpandOps): void {
  const [body] = op.regions;
  const [index, ...params] = body?.params ?? [];
  if (!body || !index) throw new TypeError("a loop without a body");
  const slots = carriedInto(op).map((v, i) => slotOf(x, v, params[i] ?? v));
  const written = writeRegion(x, body, [index, ...receive(x, slots, params)], expand);
  close(x, written, () => carried(x, slots, written.leaves));
  const { start, stop, step } = (op as Op<"for">).operands;
  const operands = { start: name(x, start), stop: name(x, stop), step: name(x, step), carried: carriedIn(x, slots) };
  x.w.append(withParts(op, { operands, results: receive(x, slots, op.results), regions: [written.region] }));
}

/** What the test of a loop computes is passed on as it is. */
const plain: Slot = { leaves: [], changes: carries };

/** The slots of what the test of a loop passes on: views are those that it got. */
function passedOn(op: Op, test: Region, slots: readonly Slot[]): readonly Slot[] {
  return yielded(test).map((v) => {
    const slot = slots[test.params.indexOf(v)];
    if (!slot && isOf(v)) throw new TypeError(`the test of a '${op.name}' passes on a view that it has made`);
    return slot ?? plain;
  });
}

function expandWhile(x: Expansion, op: Op, expand: ExpandOps): void {
  const [test, body] = op.regions;
  if (!test || !body) throw new TypeError("a loop without a body");
  const slots = carriedInto(op).map((v, i) => slotOf(x, v, test.params[i] ?? v));
  const passed = passedOn(op, test, slots);
  const first = writeRegion(x, test, receive(x, slots, test.params), expand);
  close(x, first, () => carried(x, passed, first.leaves));
  const written = writeRegion(x, body, receive(x, passed, body.params), expand);
  close(x, written, () => carried(x, slots, written.leaves));
  const operands = { carried: carriedIn(x, slots) };
  const results = receive(x, passed, op.results);
  x.w.append(withParts(op, { operands, results, regions: [first.region, written.region] }));
}

/** A choice between two views: leaf by leaf. */
export function expandSelect(x: Expansion, op: Op<"select">): void {
  const { condition, yes, no } = op.operands;
  const [left, right] = [leavesOfValue(x, yes), leavesOfValue(x, no)];
  const leaves = (left.length > 0 ? left : right).map((_, n): Leaf => {
    const [l, r] = [left[n], right[n]];
    if (!l || !r || sameLeaf(l, r)) return (l ?? r) as Leaf;
    return x.w.once("select", { condition: name(x, condition), yes: asValue(x.w, l), no: asValue(x.w, r) }, {});
  });
  const [result] = op.results;
  if (result) x.parts.set(result.id, partsOfLeaves(result.type, leaves));
}

/** An op with regions: values of the tile level that go in or out are taken apart. */
export function expandControl(x: Expansion, op: Op, expand: ExpandOps): void {
  if (!holdsAggregates(op) && !op.regions.some(yieldsAggregates)) {
    const regions = op.regions.map((r) => x.w.inRegion([...r.params], () => expand(x, r.ops)).region);
    x.w.append(withParts(op, { operands: renameAll(x, op), regions }));
    return;
  }
  if (op.name === "if") expandIf(x, op, expand);
  else if (op.name === "for") expandFor(x, op, expand);
  else expandWhile(x, op, expand);
}
