// Copies by threads (cp.async): tiles with edges, swizzles and partitions; single places; groups and mbarriers.

import type { DType, Static, Swizzle, Tensor, u32 } from "warpsmith";
import { asyncCopy, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, warpgroup } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

interface Tile {
  readonly dtype: DType;
  readonly shape: readonly [number, number];
  readonly swizzle: Swizzle;
  readonly mask: boolean;
}

/** The part at [row, col], to shared memory and back. */
const tile = kernel(
  { block: 128, grid: 1 },
  function tile(
    x: Tensor<Any, 2>,
    y: Tensor<Any, 2>,
    { dtype, shape, swizzle, mask }: Static<Tile>,
    row: u32,
    col: Static<number>,
  ) {
    const part = sharedMemory.alloc(dtype as Any, shape, { swizzle });
    asyncCopy.load(part, x.subview([row, col], shape), { mask });
    asyncCopy.commit();
    asyncCopy.wait(0);
    syncThreads();
    const [rows, cols] = shape;
    for (const e of range(threadIdx.x, rows * cols, 128))
      y.at(Math.trunc(e / cols), e % cols).store(part.at(Math.trunc(e / cols), e % cols).load());
  },
);

function tileCase(name: string, t: Tile, [R, C]: readonly [number, number], row: number, col: number): Case {
  return defineCase(`async-copies/${name}`, tile, () => {
    const data = integers(R * C, 1, 99, 7);
    const [rows, cols] = t.shape;
    const expected = Array.from({ length: rows * cols }, (_, i) => {
      const [r, c] = [row + Math.floor(i / cols), col + (i % cols)];
      return r < R && c < C ? data[r * C + c]! : 0;
    });
    return { args: [input(t.dtype, [R, C], data), output(t.dtype, t.shape, expected), t, row, col] };
  });
}

/** Two stages: the next tile comes while this one is summed. */
const pipelined = kernel({ block: 64, grid: 1 }, function pipelined(x: Tensor<"f32", 2>, y: Tensor<"f32", 1>) {
  const stages = sharedMemory.alloc("f32", [2, 64]);
  const [steps] = x.shape;
  asyncCopy.load(stages.at(0), x.at(0));
  asyncCopy.commit();
  let sum = 0;
  for (const i of range(steps)) {
    if (i + 1 < steps) asyncCopy.load(stages.at((i + 1) % 2), x.at(i + 1));
    asyncCopy.commit();
    asyncCopy.wait(1);
    syncThreads();
    sum += stages[i % 2]![63 - threadIdx.x]!;
    syncThreads();
  }
  y[threadIdx.x] = sum;
});

/** Each of two warpgroups copies its half, and meets at a barrier of its own. */
const partitions = kernel({ block: 256, grid: 1 }, function partitions(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
  const half = sharedMemory.alloc("f32", [2, 512]);
  warpgroup.specialize({
    low: {
      warpgroups: 1,
      run() {
        asyncCopy.load(half.at(0), x.at(0));
        asyncCopy.commit();
        asyncCopy.wait(0);
        warpgroup.sync();
        for (const i of range(threadIdx.x % 128, 512, 128)) y[0]![i] = half[0]![511 - i]!;
      },
    },
    high: {
      warpgroups: 1,
      run() {
        asyncCopy.load(half.at(1), x.at(1));
        asyncCopy.commit();
        asyncCopy.wait(0);
        warpgroup.sync();
        for (const i of range(threadIdx.x % 128, 512, 128)) y[1]![i] = half[1]![511 - i]! + 1;
      },
    },
  });
});

/** Thread t brings neighbours, the last ones not whole; `noInc` as the host says. */
const places = kernel(
  { block: 32, grid: 1 },
  function places(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, bytes: Static<4 | 8 | 16>, noInc: Static<boolean>) {
    const each = bytes / 4;
    const here = sharedMemory.alloc("i32", [32 * each]);
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) bar.init(noInc ? 64 : 32);
    here[threadIdx.x * each] = -1;
    syncThreads();
    const from = threadIdx.x === 31 ? 4 * (each - 1) : bytes;
    asyncCopy.copy(here.at(threadIdx.x * each), x.at(threadIdx.x * each), { bytes, from, pred: threadIdx.x > 0 });
    asyncCopy.arrive(bar, { noInc });
    bar.arrive();
    bar.wait(false);
    const other = 31 - threadIdx.x;
    for (const i of range(each)) y[other * each + i] = i > 0 && other === 0 ? 0 : here[other * each + i]!;
  },
);

const placeCases = ([4, 8, 16] as const).flatMap((bytes) =>
  [false, true].map((noInc) =>
    defineCase(`async-copies/place-of-${bytes}${noInc ? "-counted" : ""}`, places, () => {
      const each = bytes / 4;
      const data = integers(32 * each, 1, 99, 3);
      const expected = data.map((v, i) => (i < each ? (i === 0 ? -1 : 0) : i === 32 * each - 1 ? 0 : v));
      return { args: [input("i32", [32 * each], data), output("i32", [32 * each], expected), bytes, noInc] };
    }),
  ),
);

const whole = { swizzle: "none", mask: true } as const;

export const asyncCopyCases: readonly Case[] = [
  tileCase("f32", { ...whole, dtype: "f32", shape: [32, 64] }, [64, 96], 8, 32),
  tileCase("f16-128B", { ...whole, dtype: "f16", shape: [32, 128], swizzle: "128B" }, [64, 128], 32, 0),
  tileCase("bf16-32B", { ...whole, dtype: "bf16", shape: [64, 16], swizzle: "32B" }, [70, 64], 16, 48),
  tileCase("u8-over-the-edge", { ...whole, dtype: "u8", shape: [16, 32] }, [20, 48], 8, 32),
  tileCase("f16-over-the-edge-by-fours", { ...whole, dtype: "f16", shape: [32, 16], swizzle: "32B" }, [40, 20], 16, 12),
  tileCase("f16-pairs", { ...whole, dtype: "f16", shape: [16, 8] }, [20, 30], 3, 10),
  tileCase("f32-odd-rows", { ...whole, dtype: "f32", shape: [16, 32] }, [20, 33], 8, 7),
  tileCase("f64", { ...whole, dtype: "f64", shape: [8, 16] }, [9, 17], 4, 3),
  tileCase("f16-inside", { ...whole, dtype: "f16", shape: [16, 64], swizzle: "128B", mask: false }, [32, 64], 5, 0),
  tileCase("fewer-than-threads", { ...whole, dtype: "f32", shape: [2, 16] }, [4, 16], 1, 0),
  defineCase("async-copies/pipelined", pipelined, () => {
    const data = integers(6 * 64, -9, 9, 5);
    const sums = Array.from({ length: 64 }, (_, t) => [0, 1, 2, 3, 4, 5].reduce((s, i) => s + data[64 * i + 63 - t]!, 0));
    return { args: [input("f32", [6, 64], data), output("f32", [64], sums)] };
  }),
  defineCase("async-copies/partitions", partitions, () => {
    const data = integers(1024, -9, 9, 6);
    const expected = data.map((_, i) => (i < 512 ? data[511 - i]! : data[512 + 511 - (i - 512)]! + 1));
    return { args: [input("f32", [2, 512], data), output("f32", [2, 512], expected)] };
  }),
  ...placeCases,
];
