/** Tensor maps with extents of the launch: one kernel for all of them. */
import { fence, kernel, Mbarriers, range, sharedMemory, syncThreads, type Tensor, type TMA, threadIdx } from "warpsmith";
import { type Case, defineCase, input, mapOf, output } from "./case.ts";
import { integers } from "./numbers.ts";

const rows = 8;
const columns = 64;

/** The sum of each column, and of all rows together: as many boxes as there are. */
const sums = kernel({ block: 64, grid: 1, dynamic: { x: [0] } }, function sums(x: TMA<"f16", 2>, out: Tensor<"f32", 1>) {
  const box = sharedMemory.alloc("f16", [rows, columns], { swizzle: "128B" });
  const bar = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) bar.init(1);
  fence.mbarrierInit();
  syncThreads();
  let sum = 0;
  for (const i of range(Math.trunc((x.shape[0] + rows - 1) / rows))) {
    if (threadIdx.x === 0) {
      bar.arrive({ tx: box.bytes });
      x.load(box, bar, [0, i * rows]);
    }
    bar.wait((i & 1) === 1);
    for (const r of range(rows)) sum += box.at(r, threadIdx.x).load();
    fence.proxyAsync();
    syncThreads();
  }
  out[threadIdx.x] = sum + x.shape[1];
});

const ofRows = (count: number): Case =>
  defineCase(`dynamic-maps/${count}`, sums, () => {
    const data = integers(count * columns, -9, 9, count);
    const expected = Array.from({ length: columns }, (_, c) => {
      let sum = columns;
      for (let r = 0; r < count; r++) sum += data[r * columns + c]!;
      return sum;
    });
    return {
      args: [
        mapOf(input("f16", [count, columns], data), { box: [rows, columns], swizzle: "128B" }),
        output("f32", [columns], expected),
      ],
    };
  });

export const dynamicMapCases: readonly Case[] = [1, 8, 13, 40].map(ofRows);
