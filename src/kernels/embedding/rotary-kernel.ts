import { assert, blockIdx, f32, gridDependency, i32, type Kernel, kernel, type Tensor, threadIdx } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { rounded } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import { type Ids, isRow } from "./embedding-kernel.ts";

type Heads = Tensor<FloatType, 3>;
type Table = Tensor<FloatType, 2>;

/** What is rotated, and how threads share it. */
export interface RotaryShape {
  readonly heads: number;
  /** Elements of a head, and of these the ones that turn: the first. */
  readonly columns: number;
  readonly turning: number;
  /** A pair is an element of the first half and one of the second, or two neighbours. */
  readonly layout: "halves" | "interleaved";
  /** Neighbours that a thread has at a time: at least 2 where pairs are neighbours. */
  readonly vector: number;
  /** Of these, as many as one load moves; and the most angles. */
  readonly width: number;
  readonly angles: number;
  /** Whether positions are given, or those of a sequence. */
  readonly positions: boolean;
  /** Whether what does not turn has to be copied. */
  readonly copies: boolean;
}

/** Where positions are given. */
interface More {
  readonly positions?: Ids;
}
type Args = [y: Heads, x: Heads, cos: Table, sin: Table, more: More, length: i32];

/** Threads of a block, and heads that each of them has: their angles are loaded once. */
const [threads, most] = [128, 4];

/** Units of a head: pairs of vectors, or vectors of pairs, and vectors that stay as they are. */
function unitsOf({ layout, columns, turning, vector, copies }: RotaryShape): { readonly turns: number; readonly units: number } {
  const turns = turning / (layout === "halves" ? 2 * vector : vector);
  return { turns, units: turns + (copies ? (columns - turning) / vector : 0) };
}

/** What the threads of a launch number: units of heads, of a few heads at a time. */
export const numbersOf = (shape: RotaryShape, tokens: number): number =>
  tokens * Math.ceil(shape.heads / Math.min(shape.heads, most)) * unitsOf(shape).units;

/** y = x cos - x' sin and x' cos + x sin for each pair (x, x') of the elements that turn. `length`: tokens of a sequence. */
export function makeRotary(shape: RotaryShape, overlaps: boolean, debug: boolean | undefined, kept: Kept): Kernel<Args> {
  const { heads, turning, vector, copies } = shape;
  const { turns, units } = unitsOf(shape);
  const together = Math.min(heads, most);
  const groups = Math.ceil(heads / together);
  return kernel(
    {
      ...kept,
      block: threads,
      grid: ({ shape: [tokens = 0] }) => {
        "use kernel"; // so that a build can follow what it computes
        return Math.ceil((tokens * groups * units) / threads);
      },
      dynamic: { y: [0], x: [0], cos: [0], sin: [0], ...(shape.positions ? { "more.positions": [0] } : {}) },
      ...(debug === undefined ? {} : { debug }),
    },
    function rotary(y: Heads, x: Heads, cos: Table, sin: Table, more: More, length: i32) {
      if (overlaps) gridDependency.wait();
      const number = blockIdx.x * threads + threadIdx.x;
      const group = Math.trunc(number / units);
      const unit = number - group * units;
      const token = Math.trunc(group / groups);
      const first = (group - token * groups) * together;
      if (token >= x.shape[0]) return;
      const rows = Array.from({ length: together }, (_, i) => first + i);
      if (copies && unit >= turns) {
        const column = turning + (unit - turns) * vector;
        for (const head of rows) {
          const pred = head < heads;
          storeAt(y, shape, token, head, column, loadAt(x, shape, token, head, column, pred), pred);
        }
        return;
      }
      const position = more.positions ? more.positions.at(token).load() : token % length;
      const isKnown = isRow(position, cos.shape[0]);
      assert(isKnown, "a position is a row of the tables");
      const at = isKnown ? i32(position) : i32(-1);
      const count = shape.layout === "halves" ? vector : vector / 2;
      const [c, s] = [angles(cos, shape, at, unit * count, count), angles(sin, shape, at, unit * count, count)];
      const loaded = rows.map((head) => pairsAt(x, shape, token, head, unit));
      for (const [i, head] of rows.entries()) {
        const [a, b] = loaded[i] ?? [[], []];
        const turned = a.map((v, j) => {
          const [w, cj, sj] = [f32(b[j] ?? 0), c[j] ?? 0, s[j] ?? 0];
          return [f32(v) * cj - w * sj, w * cj + f32(v) * sj] as const;
        });
        storePairs(y, shape, token, head, unit, turned);
      }
    },
  );
}

/** Neighbours of one place. */
type Loads = (offset: number) => number | readonly number[];

/** Of a row of a table: NaN where there is none. */
function angles(table: Table, shape: RotaryShape, row: number, column: number, count: number): readonly number[] {
  "use kernel";
  const width = Math.min(count, shape.angles);
  const options = { pred: row >= 0, other: Number.NaN };
  const load: Loads = (offset) => {
    const place = table.at(row, column + offset);
    return width === 1 ? place.load(options) : place.load({ ...options, vector: width as 8 });
  };
  return Array.from({ length: count / width }, (_, i) => load(i * width))
    .flat()
    .map((v) => f32(v));
}

function loadAt(x: Heads, { vector, width }: RotaryShape, token: number, head: number, column: number, pred: boolean) {
  "use kernel";
  const load: Loads = (offset) => {
    const place = x.at(token, head, column + offset);
    return width === 1 ? place.load({ pred }) : place.load({ pred, vector: width as 8 });
  };
  return Array.from({ length: vector / width }, (_, i) => load(i * width)).flat();
}

function storeAt(
  y: Heads,
  { vector, width }: RotaryShape,
  token: number,
  head: number,
  column: number,
  values: readonly number[],
  pred: boolean,
): void {
  "use kernel";
  const numbers = values.map((v) => rounded(y.dtype, v));
  for (let i = 0; i < vector; i += width) {
    const place = y.at(token, head, column + i);
    if (width === 1) place.store(numbers[i] ?? 0, { pred });
    else place.store(numbers.slice(i, i + width), { pred });
  }
}

/** The first ones of a unit's pairs, and the second ones. */
function pairsAt(
  x: Heads,
  shape: RotaryShape,
  token: number,
  head: number,
  unit: number,
): readonly [readonly number[], readonly number[]] {
  "use kernel";
  const { layout, vector, turning, heads } = shape;
  const [pred, column] = [head < heads, unit * vector];
  const values = loadAt(x, shape, token, head, column, pred);
  if (layout === "halves") return [values, loadAt(x, shape, token, head, column + turning / 2, pred)];
  const pairs = Array.from({ length: vector / 2 }, (_, i) => i);
  return [pairs.map((i) => values[2 * i] ?? 0), pairs.map((i) => values[2 * i + 1] ?? 0)];
}

function storePairs(
  y: Heads,
  shape: RotaryShape,
  token: number,
  head: number,
  unit: number,
  pairs: readonly (readonly [number, number])[],
): void {
  "use kernel";
  const { layout, vector, turning, heads } = shape;
  const [pred, column] = [head < heads, unit * vector];
  const [first, second] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
  storeAt(y, shape, token, head, column, layout === "interleaved" ? pairs.flat() : first, pred);
  if (layout === "halves") storeAt(y, shape, token, head, column + turning / 2, second, pred);
}
