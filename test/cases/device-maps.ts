// Tensor maps that a kernel changes: each block its own, again and again in a loop.

import type { i32, Static, Tensor, TMA } from "warpsmith";
import { blockIdx, f32, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx, tma, warp } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { count, integers } from "./numbers.ts";

/** Block g loads the first rows of group g, of which there are as many as `rows` says: the others come as zeros. */
const groups = kernel(
  { block: 128, grid: 4 },
  function groups(map: TMA<"f16", 2>, x: Tensor<"f16", 3>, rows: Tensor<"i32", 1>, room: Tensor<"u8", 2>, y: Tensor<"f16", 3>) {
    const g = blockIdx.x;
    const tile = sharedMemory.alloc("f16", [32, 64], { swizzle: "128B" });
    const bar = new Mbarriers(1).at(0);
    const own = map.at(room.at(g));
    if (threadIdx.x === 0) {
      bar.init(1);
      fence.mbarrierInit();
    }
    if (warp.index === 0) own.replace({ address: x.at(g), shape: [rows[g]!, 64] });
    syncThreads();
    if (threadIdx.x === 0) {
      fence.tensorMap(own);
      bar.arrive({ tx: tile.bytes });
      own.load(tile, bar, [0, 0]);
    }
    bar.wait(false);
    for (const e of range(threadIdx.x, 32 * 64, 128))
      y.at(g, Math.trunc(e / 64), e % 64).store(tile.at(Math.trunc(e / 64), e % 64).load());
  },
);

/** One map goes through the groups: every other row of each is stored through it. */
const loop = kernel(
  { block: 128, grid: 1 },
  function loop(map: TMA<"f32", 2>, room: Tensor<"u8", 1>, y: Tensor<"f32", 3>, step: i32, count: Static<number>) {
    const tile = sharedMemory.alloc("f32", [8, 32], { align: 128 });
    const own = map.at(room);
    for (const g of range(count)) {
      for (const e of range(threadIdx.x, 256, 128)) tile.at(Math.trunc(e / 32), e % 32).store(f32(1000 * (g + 1) + e));
      fence.proxyAsync();
      if (warp.index === 0) own.replace({ address: y.at(g), shape: [8, 32], strides: [32 * step] });
      syncThreads();
      if (threadIdx.x === 0) {
        fence.tensorMap(own);
        own.store(tile, [0, 0]);
        tma.commit();
        tma.wait(0);
      }
      syncThreads();
    }
  },
);

export const deviceMapCases: readonly Case[] = [
  defineCase("device-maps/groups", groups, () => {
    const data = integers(4 * 32 * 64, 1, 9, 91);
    const x = input("f16", [4, 32, 64], data);
    const rows = [32, 5, 17, 1];
    const expected = data.map((v, i) => (Math.floor(i / 64) % 32 < rows[Math.floor(i / 2048)]! ? v : 0));
    const first = input("f16", [32, 64], data.slice(0, 2048));
    const map = mapOf(first, { box: [32, 64], swizzle: "128B" });
    return {
      args: [
        map,
        x,
        input("i32", [4], rows),
        input("u8", [4, 128], new Array(512).fill(0)),
        output("f16", [4, 32, 64], expected),
      ],
    };
  }),
  defineCase("device-maps/loop", loop, () => {
    const y = output(
      "f32",
      [3, 16, 32],
      count(3 * 512).map((i) => {
        const [g, row, col] = [Math.floor(i / 512), Math.floor(i / 32) % 16, i % 32];
        return row % 2 === 0 ? 1000 * (g + 1) + (row / 2) * 32 + col : 0;
      }),
      { initial: count(3 * 512).map(() => 0) },
    );
    const map = mapOf(input("f32", [8, 32], count(256)), { box: [8, 32] });
    return { args: [map, input("u8", [128], new Array(128).fill(0)), y, 2, 3] };
  }),
];
