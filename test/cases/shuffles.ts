// Values of other lanes of a warp: every type, every mode, static lanes and lanes that are computed.
import { type DType, f32, kernel, type Static, type Tensor, threadIdx, warp } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { dtypes, valuesOf } from "./memory.ts";
import { integers } from "./numbers.ts";

const n = 64;
type Mode = "shuffle" | "shuffleXor" | "shuffleUp" | "shuffleDown";
const modes: readonly Mode[] = ["shuffle", "shuffleXor", "shuffleUp", "shuffleDown"];
/** Static ones; then those that the GPU computes, of which some are outside of 0 to 31. */
const fixed = [0, 1, 5, 16, 31];

type Any = Exclude<DType, "i64" | "u64" | "bool">;

const shuffles = kernel(
  { block: n, grid: 1 },
  function shuffles(x: Tensor<Any, 1>, lanes: Tensor<"i32", 1>, y: Tensor<Any, 2>, mode: Static<Mode>) {
    const t = threadIdx.x;
    const v = x[t]!;
    for (const [row, lane] of fixed.entries()) y.at(row, t).store(warp[mode](v, lane));
    y.at(fixed.length, t).store(warp[mode](v, lanes[t]!));
  },
);

/** The lane that a lane reads: PTX ISA 9.7.9.6, over all 32. Where it is none of them, the lane keeps its own. */
function source(mode: Mode, lane: number, by: number): number {
  const low = ((by % 32) + 32) % 32;
  if (mode === "shuffle") return low;
  if (mode === "shuffleXor") return lane ^ low;
  const from = mode === "shuffleUp" ? lane - low : lane + low;
  return from < 0 || from > 31 ? lane : from;
}

function typeCase(dtype: DType, mode: Mode): Case {
  return defineCase(`shuffle/${mode}-${dtype}`, shuffles, () => {
    const some = valuesOf[dtype];
    const x = Array.from({ length: n }, (_, t) => some[(t * 7) % some.length] ?? 0);
    const lanes = integers(n, -70, 70, 3);
    const of = (t: number, by: number): number | bigint => x[t - (t % 32) + source(mode, t % 32, by)] ?? 0;
    const rows = [...fixed.map((by) => x.map((_, t) => of(t, by))), x.map((_, t) => of(t, lanes[t] ?? 0))].flat();
    const empty = typeof x[0] === "bigint" ? rows.map(() => 1n) : rows.map(() => 1);
    return {
      args: [
        input(dtype, [n], x),
        input("i32", [n], lanes),
        output(dtype, [fixed.length + 1, n], rows, { initial: empty }),
        mode,
      ],
    };
  });
}

/** A sum over the warp by butterflies, of a loop whose distance is of the GPU, and the running sum by `shuffleUp`. */
const sums = kernel({ block: n, grid: 1 }, function sums(x: Tensor<"f32", 1>, all: Tensor<"f32", 1>, running: Tensor<"f32", 1>) {
  const t = threadIdx.x;
  let sum = x[t]!;
  for (let mask = 16; mask > 0; mask >>= 1) sum += warp.shuffleXor(sum, mask);
  all[t] = sum;
  let scan = x[t]!;
  for (const by of [1, 2, 4, 8, 16]) {
    const before = warp.shuffleUp(scan, by);
    scan += warp.lane >= by ? before : f32(0);
  }
  running[t] = scan;
});

const sumCase = defineCase("shuffle/sums", sums, () => {
  const x = integers(n, -50, 50, 9);
  const part = (t: number, upTo: number): number => x.slice(t - (t % 32), upTo).reduce((a, b) => a + b, 0);
  return {
    args: [
      input("f32", [n], x),
      output(
        "f32",
        [n],
        x.map((_, t) => part(t, t - (t % 32) + 32)),
      ),
      output(
        "f32",
        [n],
        x.map((_, t) => part(t, t + 1)),
      ),
    ],
  };
});

export const shuffleCases: readonly Case[] = [...dtypes.flatMap((dtype) => modes.map((mode) => typeCase(dtype, mode))), sumCase];
