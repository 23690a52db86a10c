import { type Columns, reduce, solve, times } from "./bits.ts";
import { threadDimensions } from "./blocked.ts";
import { registersWithin } from "./fit.ts";
import { columnsOf, inputExtents, type LinearLayout, layoutOf, outputSize, type Shape, shapeOf } from "./linear-layout.ts";
import { type Parts, type PlaceParts, type Round, shuffleRounds, valuesInLanes } from "./shuffle-rounds.ts";

/**
 * How a tile gets from one register layout to another. `from` takes each place of the target to a place of the source that holds the
 * same element: in the thread itself where it is there, else in the warp, else in the block.
 */
export type Conversion = Rename | Shuffle | Shared;

interface Common {
  readonly from: LinearLayout;
}

/** Every thread has all that it needs, in the same registers as all others: no instruction. */
export interface Rename extends Common {
  readonly kind: "rename";
  readonly registers: readonly { readonly source: number; readonly target: number }[];
}

/** Every warp has all that it needs: lanes choose between registers and, in the rounds that exchange, give them to each other. */
export interface Shuffle extends Common {
  readonly kind: "shuffle";
  readonly rounds: readonly Round[];
}

/** Warps need what others hold: a trip through shared memory, or through that of other blocks of the cluster. */
export interface Shared extends Common {
  readonly kind: "shared";
  readonly across: "warps" | "blocks";
  readonly elements: number;
}

type Dimension = (typeof threadDimensions)[number];

/**
 * The cheapest conversion from one layout to another of the same elements. `shape` is that of a tile whose extents are no powers of
 * two: what only concerns registers outside of it (`registersWithin`) is left out. RangeError where the source lacks elements or the threads are not as many.
 */
export function conversion(source: LinearLayout, target: LinearLayout, shape: Shape = shapeOf(target)): Conversion {
  const [have, want] = [partsOf(source, source), partsOf(target, source)];
  for (const name of ["lane", "warp", "block"] as const)
    if (have[name].length !== want[name].length)
      throw new RangeError(`One layout has ${2 ** have[name].length} of ${name}, the other ${2 ** want[name].length}.`);
  const levels = [1, 2, 3, 4].map((n) => levelOf(have, n));
  const found = threadDimensions.flatMap((name) => want[name].map((element, bit) => nearest(levels, have, name, bit, element)));
  const level = Math.max(0, ...found.map((f) => f.level));
  const parts = split(have, want, found);
  const extents = threadDimensions.map((name) => ({ name, size: 2 ** want[name].length }));
  const places = threadDimensions.map((name) => ({ name, size: 2 ** have[name].length }));
  const from = layoutOf(
    extents,
    places,
    found.map((f) => f.place),
  );
  const within = registersWithin(target, shape);
  if (level >= 2) {
    const elements = Object.values(shape).reduce((n, extent) => n * extent, 1);
    return { kind: "shared", from, across: level === 2 ? "warps" : "blocks", elements };
  }
  if (level === 0 && isStatic(parts)) {
    const registers = within.map((r) => ({ source: times(parts.registers.register, r), target: r }));
    return { kind: "rename", from, registers };
  }
  const kept = new Set(within);
  const rounds = shuffleRounds(parts, [...have.register, ...have.lane], have.register.length);
  return { kind: "shuffle", from, rounds: rounds.filter((round) => valuesInLanes(round.into).some((r) => kept.has(r))) };
}

/** No thread's own number says which register it takes. */
const isStatic = ({ registers }: PlaceParts): boolean =>
  [...registers.lane, ...registers.warp, ...registers.block].every((column) => column === 0);

function partsOf(layout: LinearLayout, like: LinearLayout): Parts {
  const known: readonly string[] = threadDimensions;
  for (const { name } of inputExtents(layout))
    if (!known.includes(name)) throw new RangeError(`A layout of registers has no ${name}.`);
  const outputs = like.outputs.map(({ name }) => layout.outputs.findIndex((d) => d.name === name));
  if (layout.outputs.length !== like.outputs.length || like.outputs.some((d) => outputSize(layout, d.name) !== d.size))
    throw new RangeError("The layouts are not of the same elements.");
  const columns = (name: Dimension): Columns => {
    const bases = layout.inputs.find((d) => d.name === name)?.bases ?? [];
    const ordered = bases.map((basis) => outputs.map((i) => basis[i] ?? 0));
    return columnsOf({ inputs: [{ name, bases: ordered }], outputs: like.outputs });
  };
  return { register: columns("register"), lane: columns("lane"), warp: columns("warp"), block: columns("block") };
}

/** What a place of the source can be found with, where only the first `movable` dimensions may differ from the target's. */
interface Level {
  readonly movable: number;
  readonly reduced: ReturnType<typeof reduce>;
}
const levelOf = (have: Parts, movable: number): Level => ({
  movable,
  reduced: reduce(threadDimensions.slice(0, movable).flatMap((name) => have[name])),
});

interface Found {
  readonly level: number;
  /** Of the source: register, lane, warp and block packed. */
  readonly place: number;
}

/** The nearest place that holds what a bit of the target's place adds. Bits are found one by one: where one has none, no map has. */
function nearest(levels: readonly Level[], have: Parts, name: Dimension, bit: number, element: number): Found {
  const dimension = threadDimensions.indexOf(name);
  for (const [level, { movable, reduced }] of levels.entries()) {
    const stays = dimension >= movable;
    const place = solve(reduced, stays ? element ^ (have[name][bit] ?? 0) : element);
    if (place !== undefined) return { level, place: stays ? place | (2 ** (firstBit(have, dimension) + bit)) : place };
  }
  throw new RangeError("The source does not hold every element of the target.");
}

const firstBit = (have: Parts, dimension: number): number =>
  threadDimensions.slice(0, dimension).reduce((n, name) => n + have[name].length, 0);

function split(have: Parts, want: Parts, found: readonly Found[]): PlaceParts {
  const [registerBits, laneBits] = [have.register.length, have.lane.length];
  const field = (first: number, bits: number): Parts => {
    let next = 0;
    const take = (name: Dimension): Columns => want[name].map(() => ((found[next++]?.place ?? 0) >>> first) & (2 ** bits - 1));
    return { register: take("register"), lane: take("lane"), warp: take("warp"), block: take("block") };
  };
  return { registers: field(0, registerBits), lanes: field(registerBits, laneBits) };
}
