import { elementBytes } from "../../../base/element-types.ts";
import { and, compare, constant, first, xor } from "../../../ir/arith.ts";
import type { Op, TileType, Value } from "../../../ir/index.ts";
import type { Round, ThreadFunction } from "../../../layout/index.ts";
import { elementRegisters, isPowerOfTwo, reduce, tileConversion } from "../../../layout/index.ts";
import { load } from "./accesses.ts";
import { giveTiles } from "./elementwise.ts";
import { type Expand, type Expansion, tileOf } from "./expansion.ts";
import { laneOf, partsOf, type Running, warpNumber } from "./fragment.ts";
import { sharedRuns } from "./shared-places.ts";
import { shareTile } from "./tile-exchange.ts";
import { elementsOf, tileType } from "./tiles.ts";
import type { Writer } from "./writer.ts";

/** Who asks: functions of threads are written for a tile's lanes and warps. */
interface Asking {
  readonly w: Writer;
  readonly tile: TileType;
  readonly running: Running;
}

/** The parity of the bits of a number that a mask names, as a truth value; undefined where it names none. */
function parityOf(w: Writer, number: () => Value, mask: number): Value | undefined {
  if (mask === 0) return undefined;
  const bits = and(w, number(), mask);
  if (isPowerOfTwo(mask)) return compare(w, "ne", bits, 0);
  const odd = and(w, w.once("popc", { a: bits }, {}), 1);
  return compare(w, "ne", odd, 0);
}

/** The parity of the bits of lane and warp that a mask names, those of the warp above those of the lane. */
function parity({ w, tile, running }: Asking, mask: number): Value {
  const lane = parityOf(w, () => laneOf(w), mask & 31);
  const warp = parityOf(w, () => warpNumber(w, tile, running), mask >> 5);
  if (lane && warp) return w.once("xor", { a: lane, b: warp }, {});
  return lane ?? warp ?? constant(w, false, "pred");
}

/** What a function of a thread may be: the constant, exclusive or each of these where its condition holds. */
interface Choices {
  readonly constant: number;
  readonly steps: readonly { readonly vector: number; readonly pivot: number; readonly mask: number }[];
}

function choicesOf({ constant: start, lane, warp, block }: ThreadFunction): Choices {
  if (block.some((x) => x !== 0)) throw new TypeError("a tile lies in one block");
  const columns = [...lane, ...warp];
  const steps = reduce(columns).rows.map(({ vector, pivot }) => ({
    vector,
    pivot,
    mask: columns.reduce((mask, column, bit) => ((column & pivot) === 0 ? mask : mask | (2 ** bit)), 0),
  }));
  return { constant: start, steps };
}

/** The value of the number that the function gives in each thread. */
function choose(asking: Asking, f: ThreadFunction, values: (n: number) => Value): Value {
  const { constant: start, steps } = choicesOf(f);
  const from = (n: number, [step, ...rest]: Choices["steps"]): Value => {
    if (!step) return values(n);
    const [no, yes] = [from(n, rest), from(n ^ step.vector, rest)];
    return asking.w.once("select", { condition: parity(asking, step.mask), yes, no }, {});
  };
  return from(start, steps);
}

/** The lane that a lane takes from. */
function laneFrom(asking: Asking, f: ThreadFunction): Value {
  const { w } = asking;
  const { lane, warp, constant: start } = f;
  const alike = warp.every((column) => column === 0);
  if (alike && lane.every((column, bit) => column === 2 ** bit)) return xor(w, laneOf(w), start);
  const single = lane.every((column, i) => column === 0 || (isPowerOfTwo(column) && lane.indexOf(column) === i));
  if (alike && single) {
    const bits = { name: "lane", bases: lane.map((column) => [column]) };
    return xor(w, partsOf(w, laneOf(w), bits, 0) ?? constant(w, 0, "i32"), start);
  }
  const zero = constant(w, 0, "i32");
  return choicesOf(f).steps.reduce(
    (sum, { vector, mask }) =>
      xor(w, sum, w.once("select", { condition: parity(asking, mask), yes: constant(w, vector, "i32"), no: zero }, {})),
    constant(w, start, "i32"),
  );
}

/** The condition under which a lane takes an element into that register; undefined where all do. */
function takes(asking: Asking, { into, takers }: Round, register: number): Value | undefined {
  const { constant: start, steps } = choicesOf(into);
  const wanted = [
    ...steps.map(({ mask, pivot }) => ({ mask, odd: ((register ^ start) & pivot) !== 0 })),
    ...takers.map(({ mask, parity: odd }) => ({ mask, odd: odd === 1 })),
  ];
  const conditions = wanted.map(({ mask, odd }): Value => {
    const is = parity(asking, mask);
    return odd ? is : asking.w.once("not", { a: is }, {});
  });
  const [one, ...others] = conditions;
  return others.reduce((all, c) => all && asking.w.once("and", { a: all, b: c }, {}), one);
}

/** The registers that lanes take into in a round. */
function targetsOf({ into }: Round): readonly number[] {
  const all = [into.constant];
  for (const { vector } of choicesOf(into).steps) for (const n of [...all]) all.push(n ^ vector);
  return all;
}

/** Through the lanes of a warp. */
function shuffled(asking: Asking, rounds: readonly Round[], own: (register: number) => Value): Map<number, Value> {
  const { w } = asking;
  const made = new Map<number, Value>();
  for (const round of rounds) {
    const given = choose(asking, round.give, own);
    const by = (): Value => laneFrom(asking, round.from);
    const value = round.exchanges ? first(w.emit("shfl", { value: given, by: by() }, { mode: "idx" })) : given;
    for (const register of targetsOf(round)) {
      const before = made.get(register);
      const condition = takes(asking, round, register);
      made.set(register, before && condition ? w.once("select", { condition, yes: value, no: before }, {}) : value);
    }
  }
  return made;
}

/** Through shared memory: all write, meet, and read. */
function throughShared(x: Expansion, from: TileType, to: TileType, own: readonly Value[], running: Running): readonly Value[] {
  const view = { view: shareTile(x, from, own, running), divisor: elementBytes[from.dtype] };
  return sharedRuns(x, to, view, running, { count: 1, dim: 0 }).map(({ at }) => load(x.w, at, 1)[0] as Value);
}

const converts: Expand<"tile.convert_layout"> = (x, op) => {
  const tile = tileOf(x, op.operands.tile);
  const to = tileType(op as Op);
  const own = elementsOf(x.w, tile);
  const found = tileConversion(tile.type, to);
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
  const made = shuffled({ w: x.w, tile: tile.type, running: op.attrs.warpgroups }, found.rounds, at);
  giveTiles(x, op, [registers.map((register) => made.get(register) as Value)]);
};

export const conversionRules = { "tile.convert_layout": converts } as const;
