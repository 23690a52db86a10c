/** TMA stores to rows that end at no multiple of 16 bytes: they write on to the next one. */

import type { SharedView, Static, Tensor, TMA } from "warpsmith";
import { f16, fence, kernel, range, sharedMemory, syncThreads, threadIdx, tma, warp } from "warpsmith";
import { input, mapOf, output, viewOf } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const file = import.meta.filename;
/** Rows, and columns of a box. */
const [rows, wide] = [8, 64];

/** Element c of row r is 64 r + c. */
function fill(tile: SharedView<"f16", 2>): void {
  "use kernel";
  for (const r of range(8)) tile.at(r, threadIdx.x).store(f16(64 * r + threadIdx.x));
  fence.proxyAsync({ space: "shared::cta" });
  syncThreads();
}

/** The three columns behind 37 are others'. Mended: TMA stores as far as whole units of 16 bytes go, and threads the rest. */
const columnsBehind = kernel(
  { block: 64, grid: 1 },
  function columnsBehind(to: TMA<"f16", 2>, out: Tensor<"f16", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [8, 64], { align: 128 });
    fill(tile);
    if (threadIdx.x === 0) {
      to.store(tile, [0, 0]); // reported: W9228
      tma.commit();
      tma.wait(0);
    }
    if (!broken && threadIdx.x < 5) {
      for (const r of range(8)) out.at(r, 32 + threadIdx.x).store(tile.at(r, 32 + threadIdx.x).load());
    }
  },
);

/** A map whose extents the kernel sets: rows of 37, or of 40. */
const changedExtent = kernel(
  { block: 64, grid: 1 },
  function changedExtent(map: TMA<"f16", 2>, room: Tensor<"u8", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [8, 64], { align: 128 });
    const own = map.at(room);
    if (warp.index === 1) own.replace({ shape: [8, broken ? 37 : 40] });
    fill(tile);
    if (threadIdx.x === 0) {
      fence.tensorMap(own);
      own.store(tile, [0, 0]); // reported: W9228
      tma.commit();
      tma.wait(0);
    }
  },
);

/** What lies behind rows of 37 of 64 is no padding. */
const nextSlice = kernel({ block: 64, grid: 1 }, function nextSlice(to: TMA<"f16", 2>, _broken: Static<boolean>) {
  const tile = sharedMemory.alloc("f16", [8, 64], { align: 128 });
  fill(tile);
  if (threadIdx.x === 0) {
    to.store(tile, [0, 0]); // refused: W7675
    tma.commit();
    tma.wait(0);
  }
});

/** A reduction goes on as a store does. */
const nextSliceReduced = kernel({ block: 64, grid: 1 }, function nextSliceReduced(to: TMA<"f16", 2>, _broken: Static<boolean>) {
  const tile = sharedMemory.alloc("f16", [8, 64], { align: 128 });
  fill(tile);
  if (threadIdx.x === 0) {
    to.reduce("add", tile, [0, 0]); // refused: W7675
    tma.commit();
    tma.wait(0);
  }
});

/** Rows of `pitch`, of which the first `columns` become what the tile holds, on top of `add` times what was there. */
function matrix(pitch: number, columns: number, add = 0) {
  const place = count(rows * pitch).map((e) => ({ r: Math.floor(e / pitch), c: e % pitch }));
  const initial = place.map(({ r, c }) => r - c);
  const expected = place.map(({ r, c }, e) => (c < columns ? wide * r + c + add * (initial[e] ?? 0) : (initial[e] ?? 0)));
  return output("f16", [rows, pitch], expected, { initial });
}

const firstOf = (out: ReturnType<typeof matrix>, columns: number) =>
  mapOf(viewOf(out, { slice: [undefined, [0, columns]] }), { box: [rows, wide] });

export const rowEnds: readonly Hazard[] = [
  kernelHazard({
    name: "row-ends/columns-behind",
    classes: [74],
    file,
    kernel: columnsBehind,
    args: (broken) => {
      const out = matrix(40, 37);
      return [firstOf(out, broken ? 37 : 32), out];
    },
  }),
  kernelHazard({
    name: "row-ends/changed-extent",
    classes: [74],
    file,
    kernel: changedExtent,
    args: () => [mapOf(matrix(64, 40), { box: [rows, wide] }), input("u8", [128], count(128).fill(0))],
  }),
  kernelHazard({
    name: "row-ends/next-slice",
    classes: [74],
    file,
    kernel: nextSlice,
    args: (broken) => [firstOf(matrix(64, 40), broken ? 37 : 40)],
  }),
  kernelHazard({
    name: "row-ends/next-slice-reduced",
    classes: [74],
    file,
    kernel: nextSliceReduced,
    args: (broken) => [firstOf(matrix(64, 40, 1), broken ? 37 : 40)],
  }),
];
