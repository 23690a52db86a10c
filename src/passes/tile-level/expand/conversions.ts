import { and, compare, constant, first, xor } from "../../../ir/arith.ts";
import type { Op, TileType, Value } from "../../../ir/index.ts";
import { isPowerOfTwo, reduce } from "../../../layout/bits.ts";
import { type Conversion, conversion } from "../../../layout/conversion.ts";
import type { Round, ThreadFunction } from "../../../layout/shuffle-rounds.ts";
import { elementRegisters, linearLayout, partShape, sharedOut, warpgroupsOf } from "../../../layout/tile-layout.ts";
import { elementBytes } from "../../../tensor-map.ts";
import { load, store, toMemory } from "./accesses.ts";
import { giveTiles } from "./elementwise.ts";
import { meet, rowMajorLayout, scratchView } from "./exchange.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { isFirstHolder, laneOf, partsOf, type Running } from "./fragment.ts";
import { sharedRuns } from "./shared-places.ts";
import { elementsOf, tileType } from "./tiles.ts";
import type { Writer } from "./writer.ts";

/** How a tile of one layout becomes one of another, inside each warpgroup; undefined where warpgroups need what others hold. */
export function conversionOf(from: TileType, to: TileType): Conversion | undefined {
  const parts = (t: TileType): string => `${warpgroupsOf(t)} ${sharedOut(t)?.dim} ${partShape(t).join()}`;
  if (parts(from) !== parts(to)) return undefined;
  const shape = Object.fromEntries(partShape(to).map((n, d) => [`d${d}`, n]));
  return conversion(linearLayout(from), linearLayout(to), shape);
}

/** The parity of the bits of the lane's number that a mask names: 0 or 1 as a truth value. */
function parity(w: Writer, mask: number): Value {
  const bits = and(w, laneOf(w), mask);
  if ((mask & (mask - 1)) === 0) return compare(w, "ne", bits, 0);
  const odd = and(w, w.once("popc", { a: bits }, {}), 1);
  return compare(w, "ne", odd, 0);
}

/** What a function of the lane may be: the constant, exclusive or each of these where its condition holds. */
interface Choices {
  readonly constant: number;
  readonly steps: readonly { readonly vector: number; readonly mask: number }[];
}

/** The warps of a conversion that stays in the warp do the same. */
function choicesOf({ constant: start, lane, warp, block }: ThreadFunction): Choices {
  if ([...warp, ...block].some((x) => x !== 0)) throw new TypeError("what a lane exchanges depends on its warp");
  const { rows } = reduce(lane);
  const steps = rows.map(({ vector, pivot }) => ({
    vector,
    mask: lane.reduce((mask, column, bit) => ((column & pivot) === 0 ? mask : mask | (2 ** bit)), 0),
  }));
  return { constant: start, steps };
}

/** The value of the number that the function gives in each lane. */
function choose(w: Writer, f: ThreadFunction, values: (n: number) => Value): Value {
  const { constant: start, steps } = choicesOf(f);
  const from = (n: number, [step, ...rest]: Choices["steps"]): Value => {
    if (!step) return values(n);
    const [no, yes] = [from(n, rest), from(n ^ step.vector, rest)];
    return w.once("select", { condition: parity(w, step.mask), yes, no }, {});
  };
  return from(start, steps);
}

/** The lane that a lane takes from. */
function laneFrom(w: Writer, f: ThreadFunction): Value {
  const { lane, constant: start } = f;
  if (lane.every((column, bit) => column === 2 ** bit)) return xor(w, laneOf(w), start);
  if (lane.every((column) => column === 0 || isPowerOfTwo(column))) {
    const bits = { name: "lane", bases: lane.map((column) => [column]) };
    return xor(w, partsOf(w, laneOf(w), bits, 0) ?? constant(w, 0, "i32"), start);
  }
  const zero = constant(w, 0, "i32");
  return choicesOf(f).steps.reduce(
    (sum, { vector, mask }) =>
      xor(w, sum, w.once("select", { condition: parity(w, mask), yes: constant(w, vector, "i32"), no: zero }, {})),
    constant(w, start, "i32"),
  );
}

/** The conditions under which a lane takes an element into that register. */
function takes(w: Writer, { into, takers }: Round, register: number): Value | undefined {
  const { constant: start, steps } = choicesOf(into);
  const { rows } = reduce(into.lane);
  const conditions = steps.map(({ mask }, i) => {
    const bit = ((register ^ start) & (rows[i]?.pivot ?? 0)) !== 0;
    return bit ? parity(w, mask) : w.once("not", { a: parity(w, mask) }, {});
  });
  const more = takers.map(({ mask, parity: odd }) => (odd ? parity(w, mask) : w.once("not", { a: parity(w, mask) }, {})));
  const [one, ...others] = [...conditions, ...more];
  return others.reduce((all, c) => all && w.once("and", { a: all, b: c }, {}), one);
}

/** The registers that lanes take into in a round. */
const targetsOf = ({ into }: Round): readonly number[] =>
  choicesOf(into).steps.reduce((all, { vector }) => [...all, ...all.map((n) => n ^ vector)], [into.constant]);

/** Through the lanes of a warp. */
function shuffled(x: Expansion, rounds: readonly Round[], own: (register: number) => Value): Map<number, Value> {
  const { w } = x;
  const made = new Map<number, Value>();
  for (const round of rounds) {
    const given = choose(w, round.give, own);
    const by = (): Value => laneFrom(w, round.from);
    const value = round.exchanges ? first(w.emit("shfl", { value: given, by: by() }, { mode: "idx" })) : given;
    for (const register of targetsOf(round)) {
      const before = made.get(register);
      const condition = takes(w, round, register);
      made.set(register, before && condition ? w.once("select", { condition, yes: value, no: before }, {}) : value);
    }
  }
  return made;
}

/** Through shared memory: all write, meet, and read. Rows are padded so that lanes of different rows reach different banks. */
function throughShared(x: Expansion, from: TileType, to: TileType, own: readonly Value[], running: Running): readonly Value[] {
  const { w } = x;
  const bytes = elementBytes[from.dtype];
  const { layout, bytes: size } = rowMajorLayout(from, Math.max(4, bytes));
  const view = { view: scratchView(x, from, running, from.dtype, layout, size), divisor: bytes };
  const one = { count: 1, dim: 0 } as const;
  meet(x, from, running);
  const holder = isFirstHolder(x, from, running);
  for (const {
    at,
    elements: [i = 0],
  } of sharedRuns(x, from, view, running, one))
    store(w, at, [toMemory(w, from.dtype, own[i] as Value)], holder);
  meet(x, from, running);
  return sharedRuns(x, to, view, running, one).map(({ at }) => load(w, at, 1)[0] as Value);
}

const converts: Expand<"tile.convert_layout"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const to = tileType(op as Op);
  const own = elementsOf(x.w, tile);
  const found = conversionOf(tile.type, to);
  if (!found || found.kind === "shared") {
    giveTiles(x, op, [throughShared(x, tile.type, to, own, op.attrs.warpgroups)]);
    return;
  }
  const held = new Map(elementRegisters(tile.type).map((register, i) => [register, own[i] as Value]));
  const at = (register: number): Value => held.get(register) ?? (own[0] as Value);
  const registers = elementRegisters(to);
  if (found.kind === "rename") {
    const sources = new Map(found.registers.map(({ source, target }) => [target, source]));
    giveTiles(x, op, [registers.map((register) => at(sources.get(register) ?? 0))]);
    return;
  }
  const made = shuffled(x, found.rounds, at);
  giveTiles(x, op, [registers.map((register) => made.get(register) as Value)]);
};

export const conversionRules = { "tile.convert_layout": converts } as const;
