import { fail, WarpsmithError } from "../../diag/index.ts";
import {
  carriedInto,
  endsThread,
  isAggregate,
  makeValue,
  type Op,
  operandList,
  type Region,
  type Value,
  withParts,
  yielded,
} from "../../ir/index.ts";
import { gcd } from "../facts/known.ts";
import { renamed } from "../rewrite.ts";
import { divisorOf } from "./divisor.ts";
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
  const end = endsThread(region) ? undefined : region.ops.at(-1);
  const values = end ? yielded(region) : [];
  const { region: made, result } = x.w.inRegion([], () => {
    expand(x, end ? region.ops.slice(0, -1) : region.ops);
    return end ? leavesAt(x, values) : undefined;
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
    if (!like) {
      x.parts.set(result.id, { kind: "nothing" });
      return;
    }
    const lists = reached.map((s) => s.leaves?.[i] ?? []);
    const longest = lists.find((l) => l.length > 0) ?? [];
    const leaves = longest.map((leaf, n) =>
      join(
        lists.map(
          (l) =>
            l[n] ??
            (isKnownOutside(
              sides.map((side) => side.region),
              leaf,
            )
              ? leaf
              : blank(x, leaf)),
        ),
      ),
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

/** Is the leaf made outside these regions? */
function isKnownOutside(regions: readonly Region[], leaf: Leaf): boolean {
  if (isLiteral(leaf)) return true;
  const isIt = ({ id }: Value): boolean => id === leaf.id;
  return !regions.some(({ params, ops }) => params.some(isIt) || ops.some((op) => op.results.some(isIt)));
}

/** What a loop carries at one position. */
interface Slot {
  /** What stands for it before the loop; undefined for a value of the machine level. */
  before: Parts | undefined;
  leaves: readonly Leaf[];
  /** Which of the leaves are other ones in later iterations. */
  changes: boolean[];
  /** What divides the leaves that change, in every iteration. */
  divisors: number[];
  /** Where a leaf is taken to change because an attempt without that was refused: the parameter that stands for it. */
  forced: (Value | undefined)[];
}

const most = 2 ** 16;

const divides = (x: Expansion, leaf: Leaf): number =>
  isLiteral(leaf) ? leaf.literal : leaf.type === "i32" || leaf.type === "i64" ? divisorOf(x, leaf, most) : 1;

function aggregateSlot(x: Expansion, before: Parts, leaves: readonly Leaf[]): Slot {
  const changes = leaves.map(() => alwaysChanges(before));
  return { before, leaves, changes, divisors: leaves.map((leaf) => divides(x, leaf)), forced: [] };
}

function slotOf(x: Expansion, value: Value): Slot {
  if (!isOf(value)) return { before: undefined, leaves: [name(x, value)], changes: [true], divisors: [1], forced: [] };
  const before = partsOf(x, value);
  return aggregateSlot(x, before, leavesOf(x.w, before));
}

/** The parameters that stand for a slot's leaves in a region, and what stands for the region's own parameter there. */
function enter(x: Expansion, slot: Slot, param: Value, entry = false): readonly Value[] {
  if (!slot.before) return [param];
  const params: Value[] = [];
  const leaves = slot.leaves.map((leaf, n): Leaf => {
    if (!slot.changes[n]) return leaf;
    const made = makeValue(x.w.ids, leaf.type, param.name);
    x.granted.set(made.id, slot.divisors[n] ?? 1);
    if (entry && n in slot.forced) slot.forced[n] = made;
    params.push(made);
    return made;
  });
  x.parts.set(param.id, withLeaves(slot.before, leaves));
  return params;
}

/** A view that nobody had before the loop, and that an iteration finds: it has its leaves as far as they are known outside, else blanks. */
function begin(x: Expansion, slot: Slot, found: Parts, leaves: readonly Leaf[], regions: readonly Region[]): void {
  const outside = leaves.map((leaf) => (isKnownOutside(regions, leaf) ? leaf : blank(x, leaf)));
  Object.assign(slot, aggregateSlot(x, found, outside));
}

/** What an iteration hands on at one position. */
interface Next {
  readonly parts: Parts | undefined;
  readonly leaves: readonly Leaf[];
}

function nextAt(x: Expansion, values: readonly Value[]): readonly Next[] {
  return values.map((v): Next => {
    if (!isOf(v)) return { parts: undefined, leaves: [name(x, v)] };
    const parts = partsOf(x, v);
    return { parts, leaves: leavesOf(x.w, parts) };
  });
}

/** Compares one leaf with what was taken for granted of it. Says whether that holds. */
function settleLeaf(x: Expansion, { leaves, changes, divisors }: Slot, n: number, now: Leaf): boolean {
  const leaf = leaves[n];
  if (!changes[n]) {
    if (leaf && sameLeaf(leaf, now)) return true;
    changes[n] = true;
    return false;
  }
  const granted = divisors[n] ?? 1;
  if (granted === 1) return true;
  const kept = isLiteral(now) ? gcd(now.literal, granted) : divisorOf(x, now, granted === 0 ? most : granted);
  if (kept === granted || (granted === 0 && kept === most)) return true;
  divisors[n] = kept;
  return false;
}

/** Compares what an iteration hands on with what was taken for granted. Says whether all of it holds. */
function settle(x: Expansion, slots: readonly Slot[], next: readonly Next[], regions: readonly Region[]): boolean {
  let holds = true;
  slots.forEach((slot, i) => {
    const now = next[i];
    if (!slot.before || !now?.parts || now.parts.kind === "nothing") return;
    if (slot.before.kind === "nothing") {
      begin(x, slot, now.parts, now.leaves, regions);
      holds = false;
      return;
    }
    now.leaves.forEach((leaf, n) => {
      holds = settleLeaf(x, slot, n, leaf) && holds;
    });
  });
  return holds;
}

/** What is handed on of leaves: those that change. A view that nobody reads hands on what was there before the loop. */
const changing = (x: Expansion, slots: readonly Slot[], lists: readonly (readonly Leaf[])[]): readonly Value[] =>
  slots.flatMap(({ changes, leaves }, i) => {
    const list = lists[i] ?? [];
    return (list.length > 0 ? list : leaves).flatMap((leaf, n) => (changes[n] ? [asValue(x.w, leaf)] : []));
  });

const firsts = (x: Expansion, slots: readonly Slot[]): readonly Value[] =>
  changing(
    x,
    slots,
    slots.map((s) => s.leaves),
  );

/** The results of a loop, and what stands for each of its own. */
function leave(x: Expansion, op: Op, slots: readonly Slot[]): readonly Value[] {
  return op.results.flatMap((result, i) => {
    const slot = slots[i];
    return slot ? enter(x, slot, result) : [];
  });
}

/** One attempt at a loop's regions: what each iteration hands on, and what finishes the loop once that is settled. */
interface Attempt {
  readonly regions: readonly Region[];
  readonly next: readonly Next[];
  readonly finish: () => void;
}

/** Takes literal leaves that do not change to change: an attempt that relied on them was refused. Says whether there are any. */
function force(slots: readonly Slot[]): boolean {
  let any = false;
  for (const { before, leaves, changes, forced } of slots) {
    if (!before) continue;
    leaves.forEach((leaf, n) => {
      if (changes[n] || !isLiteral(leaf)) return;
      changes[n] = true;
      forced[n] = undefined;
      any = true;
    });
  }
  return any;
}

/** Is every leaf that was only taken to change the same one in the next iteration? */
const isUnforced = (slots: readonly Slot[], next: readonly Next[]): boolean =>
  slots.every(({ forced }, i) =>
    forced.every((param, n) => {
      const leaf = next[i]?.leaves[n];
      return param === undefined || (leaf !== undefined && sameLeaf(param, leaf));
    }),
  );

/**
 * Makes attempts until what was taken for granted of the leaves that a loop carries holds: that they do not change, and what divides them.
 * What is refused because of a leaf that turns out to change is tried again without that leaf's value.
 */
function settled(x: Expansion, slots: readonly Slot[], attempt: () => Attempt): void {
  let refusal: unknown;
  for (;;) {
    const depth = x.w.regions.length;
    try {
      const made = attempt();
      if (!settle(x, slots, made.next, made.regions)) continue;
      if (refusal !== undefined && isUnforced(slots, made.next)) throw refusal;
      made.finish();
      return;
    } catch (error) {
      x.w.regions.splice(depth);
      if (refusal !== undefined || !(error instanceof WarpsmithError) || !force(slots)) throw refusal ?? error;
      refusal = error;
    }
  }
}

function expandFor(x: Expansion, op: Op, expand: ExpandOps): void {
  const [body] = op.regions;
  const [index, ...params] = body?.params ?? [];
  if (!body || !index) throw new TypeError("a loop without a body");
  const slots = carriedInto(op).map((v) => slotOf(x, v));
  settled(x, slots, () => {
    const entered = params.flatMap((param, i) => (slots[i] ? enter(x, slots[i], param, true) : []));
    const { region, next, end } = bodyOf(x, body, [index, ...entered], expand);
    const finish = (): void => {
      close(x, region, slots, next, end);
      const { start, stop, step } = (op as Op<"for">).operands;
      const operands = { start: name(x, start), stop: name(x, stop), step: name(x, step), carried: firsts(x, slots) };
      x.w.append(withParts(op, { operands, results: leave(x, op, slots), regions: [region] }));
    };
    return { regions: [region], next, finish };
  });
}

interface Body {
  readonly region: Region;
  readonly next: readonly Next[];
  /** The terminator, where it yields. */
  readonly end: Op | undefined;
}

function bodyOf(x: Expansion, body: Region, params: Value[], expand: ExpandOps): Body {
  const last = body.ops.at(-1);
  const end = endsThread(body) ? undefined : last;
  const { region, result: next } = x.w.inRegion(params, () => {
    expand(x, end ? body.ops.slice(0, -1) : body.ops);
    return end ? nextAt(x, yielded(body)) : [];
  });
  return { region, next, end };
}

function close(x: Expansion, region: Region, slots: readonly Slot[], next: readonly Next[], end: Op | undefined): void {
  if (!end) return;
  inRegion(x, region, () => {
    const values = changing(
      x,
      slots,
      next.map((n) => n.leaves),
    );
    x.w.append(withParts(end, { operands: { ...end.operands, ...renamedOperands(x, end), values } }));
  });
}

/** The position of the loop's own parameter that each value is which its test passes on. */
function passedOn(op: Op, test: Region): readonly number[] {
  return yielded(test).map((v) => {
    const at = test.params.indexOf(v);
    if (at < 0 && isOf(v)) throw new TypeError(`the test of a '${op.name}' passes on a view that it has made`);
    return at;
  });
}

/** What the test of a loop computes is passed on as it is. */
const plain: Slot = { before: undefined, leaves: [], changes: [true], divisors: [1], forced: [] };

function expandWhile(x: Expansion, op: Op, expand: ExpandOps): void {
  const [test, body] = op.regions;
  if (!test || !body) throw new TypeError("a loop without a body");
  const slots = carriedInto(op).map((v) => slotOf(x, v));
  const positions = passedOn(op, test);
  settled(x, slots, () => {
    const tested = test.params.flatMap((param, i) => (slots[i] ? enter(x, slots[i], param, true) : []));
    const handed = positions.map((at) => slots[at] ?? plain);
    const first = bodyOf(x, test, tested, expand);
    close(x, first.region, handed, first.next, first.end);
    const inside = body.params.flatMap((param, i) => (handed[i] ? enter(x, handed[i], param) : []));
    const { region, next, end } = bodyOf(x, body, inside, expand);
    const finish = (): void => {
      close(x, region, slots, next, end);
      const operands = { carried: firsts(x, slots) };
      x.w.append(withParts(op, { operands, results: leave(x, op, handed), regions: [first.region, region] }));
    };
    return { regions: [first.region, region], next, finish };
  });
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
