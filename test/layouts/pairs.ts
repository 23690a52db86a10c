// Random pairs of layouts: a tile is loaded in the one, converted, and stored from the other. Nothing may be lost on the way.
import {
  BlockedLayout,
  type Device,
  DotOperandLayout,
  type DType,
  kernel,
  type Layout,
  LinearLayout,
  MMALayout,
  SliceLayout,
  type Static,
  type Tensor,
  tile,
  WGMMALayout,
} from "warpsmith";
import { type Random, randomFrom } from "./random.ts";

/** A tile that goes from one layout to the other. */
export interface Pair {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly from: Layout;
  readonly to: Layout;
}

const dtypes: readonly DType[] = ["f32", "f16", "bf16", "i32", "u8", "i16", "f64", "i64", "bool", "u32", "e4m3"];

/** Factors, powers of two, whose product is `total`. */
function factors(r: Random, total: number, rank: number): number[] {
  const list = Array.from({ length: rank }, () => 1);
  for (let rest = total; rest > 1; rest /= 2) {
    const d = r.below(rank);
    list[d] = (list[d] ?? 1) * 2;
  }
  return list;
}

function shuffled(r: Random, list: readonly number[]): number[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = r.below(i + 1);
    [out[i], out[j]] = [out[j] ?? 0, out[i] ?? 0];
  }
  return out;
}

const dims = (rank: number): number[] => Array.from({ length: rank }, (_, d) => d);

const blocked = (r: Random, rank: number, warps: number): Layout =>
  new BlockedLayout({
    perThread: factors(r, 2 ** r.below(4), rank),
    threads: factors(r, 32, rank),
    warps: factors(r, warps, rank),
    order: shuffled(r, dims(rank)),
  });

/** Each bit of a coordinate goes to a register, a lane or a warp; what is left over repeats. */
function linear(r: Random, shape: readonly number[], warps: number): Layout {
  const bits = shuffled(
    r,
    shape.flatMap((n, d) => Array.from({ length: Math.log2(n) }, (_, bit) => d * 32 + bit)),
  ).map((code) => shape.map((_, d) => (Math.floor(code / 32) === d ? 2 ** (code % 32) : 0)));
  const none = shape.map(() => 0);
  const take = (count: number): number[][] => Array.from({ length: count }, () => bits.pop() ?? none);
  const lane = take(5);
  const warp = take(Math.log2(warps));
  return new LinearLayout({ register: bits, lane, warp, shape });
}

/** The accumulator of products of warps, or an operand of them. */
function mma(r: Random, warps: number): Layout {
  const [rows = 1, columns = 1] = factors(r, warps, 2);
  const parent = new MMALayout({ warps: [rows, columns] });
  const operand = ([undefined, "A", "B"] as const)[r.below(3)];
  if (!operand) return parent;
  return new DotOperandLayout({ parent, operand, kWidth: ([1, 2, 4] as const)[r.below(3)] ?? 2 });
}

function layoutFor(r: Random, shape: readonly number[], warps: number): Layout {
  const rank = shape.length;
  const isMatrix = rank === 2 && (shape[0] ?? 0) >= 64 && (shape[1] ?? 0) >= 16 && warps === 4;
  const kinds = [
    "blocked",
    "blocked",
    "linear",
    "slice",
    ...(rank === 2 ? (["mma"] as const) : []),
    ...(isMatrix ? (["wgmma", "wgmma", "operand"] as const) : []),
  ] as const;
  switch (kinds[r.below(kinds.length)]) {
    case "linear":
      return linear(r, shape, warps);
    case "slice":
      return new SliceLayout(r.below(rank + 1), blocked(r, rank + 1, warps));
    case "wgmma":
      return new WGMMALayout();
    case "mma":
      return mma(r, warps);
    case "operand":
      return new DotOperandLayout({ parent: new WGMMALayout(), kWidth: ([1, 2, 4] as const)[r.below(3)] ?? 2 });
    default:
      return blocked(r, rank, warps);
  }
}

/** Warps of the block, and pairs for it. */
export interface Batch {
  readonly warps: number;
  readonly pairs: readonly Pair[];
}

export function randomBatch(seed: number, count: number): Batch {
  const r = randomFrom(seed);
  const warps = [1, 2, 4, 4, 8][r.below(5)] ?? 4;
  const pairs = Array.from({ length: count }, (): Pair => {
    const rank = 1 + r.below(3);
    const matrix = rank === 2 && r.below(2) === 0;
    const shape = matrix ? [64 * 2 ** r.below(2), 16 * 2 ** r.below(3)] : factors(r, 2 ** (5 + r.below(7)), rank);
    return {
      dtype: dtypes[r.below(dtypes.length)] ?? "f32",
      shape,
      from: layoutFor(r, shape, warps),
      to: layoutFor(r, shape, warps),
    };
  });
  return { warps, pairs };
}

// biome-ignore lint/suspicious/noExplicitAny: tensors of every type and rank
type Any = any;

/** All tiles of a batch, one after the other. */
export const convertAll = kernel(
  { block: (_x, _y, pairs) => 32 * (pairs as Batch).warps, grid: 1 },
  function convertAll(x: { list: Tensor<Any, Any>[] }, y: { list: Tensor<Any, Any>[] }, batch: Static<Batch>) {
    for (const [i, { shape, from, to }] of batch.pairs.entries()) {
      const origin = shape.map(() => 0);
      const loaded = x.list[i]!.loadTile(origin, shape, from);
      y.list[i]!.storeTile(origin, tile.convertLayout(loaded as number, to) as never);
    }
  },
);

const isWide = (dtype: DType): boolean => dtype === "i64" || dtype === "u64";

/** Numbers that a type holds exactly. */
function contents(dtype: DType, count: number): (number | bigint | boolean)[] {
  const modulus = dtype === "e4m3" ? 16 : dtype === "u8" || dtype === "bf16" ? 251 : 2039;
  return Array.from({ length: count }, (_, i) => {
    const n = (i * 7 + 3) % modulus;
    return dtype === "bool" ? n % 3 === 0 : isWide(dtype) ? BigInt(n) : n;
  });
}

/** Runs a batch: for each pair the number of elements that are not what they were. */
export async function runBatch(device: Device, batch: Batch): Promise<number[]> {
  const given = batch.pairs.map(({ dtype, shape }) =>
    contents(
      dtype,
      shape.reduce((n, e) => n * e, 1),
    ),
  );
  const x = batch.pairs.map(({ dtype, shape }, i) => device.tensor(dtype, shape, given[i] as never));
  const y = batch.pairs.map(({ dtype, shape }) => device.zeros(dtype, shape));
  convertAll.launch({}, { list: x } as never, { list: y } as never, batch);
  const read = await Promise.all(y.map((t) => t.read()));
  for (const t of [...x, ...y]) t.dispose();
  return read.map((got, p) => (given[p] ?? []).filter((want, i) => !sameAs(got[i] as never, want)).length);
}

const sameAs = (got: number | bigint | boolean, want: number | bigint | boolean): boolean =>
  typeof want === "boolean" ? Boolean(got) === want : got === want;
