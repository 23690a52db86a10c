// Loads and stores with what the caches are to do, and prefetches: the values are those of plain ones.
import { blockIdx, type Eviction, kernel, type Static, type Tensor, threadIdx } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";

const copy = kernel(
  { block: 32, grid: 2 },
  function copy(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, evict: Static<Eviction>, l2: Static<64 | 128 | 256>) {
    const i = blockIdx.x * 32 + threadIdx.x;
    x.at(4 * i).prefetch({ pred: i < 32 });
    x.at(4 * i).prefetch({ level: "L1" });
    x.at(4 * i).prefetch({ level: "L2", evict: "last" });
    x.at(4 * i).prefetch({ evict: "normal" });
    const [a, b] = x.at(4 * i).load({ vector: 2, evict, l2 });
    const c = x.at(4 * i + 2).load({ cache: "nc", evict, l2 });
    const d = x.at(4 * i + 3).load({ l2, pred: i > 3, other: -1 });
    y.at(4 * i).store([a!, b!], { evict });
    y.at(4 * i + 2).store([c, d], { evict, pred: i < 60 });
  },
);

export const hintCases: readonly Case[] = (["first", "last", "normal", "unchanged", "noAllocate"] as const).map((evict, n) =>
  defineCase(`hints/${evict}`, copy, () => {
    const data = integers(256, 1, 99, 31);
    const expected = data.map((v, i) => (i >= 240 && i % 4 > 1 ? 0 : i < 16 && i % 4 === 3 ? -1 : v));
    const zeros = data.map(() => 0);
    const l2 = [64, 128, 256][n % 3] as 64 | 128 | 256;
    return { args: [input("f32", [256], data), output("f32", [256], expected, { initial: zeros }), evict, l2] };
  }),
);
