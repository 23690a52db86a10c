// `tile.histogram`: counts of numbers, of tiles that lie in every way, in loops, and of numbers that are no bin.
import { BlockedLayout, type DType, kernel, type Layout, range, type Static, type Tensor, tile, WGMMALayout } from "warpsmith";
import { type Case, defineCase, input, output } from "./case.ts";
import { integers } from "./numbers.ts";
import type { Any } from "./wgmma.ts";

const rows = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [4, 1] });
const line = new BlockedLayout({ perThread: [2], threads: [32], warps: [4] });

/** Counts of each block of 32 rows, the running sum of which stays in registers. */
const counts = kernel(
  { block: 128, grid: 1 },
  function counts(
    x: Tensor<Any, 2>,
    y: Tensor<"i32", 1>,
    rowsEach: Static<number>,
    layout: Static<Layout>,
    to: Static<Layout | undefined>,
  ) {
    const bins = y.shape[0]!;
    let sum = tile.histogram(x.loadTile([0, 0], [rowsEach, x.shape[1]!], layout), bins, to ? { layout: to } : {});
    for (const i of range(1, x.shape[0]! / rowsEach)) {
      sum += tile.histogram(x.loadTile([i * rowsEach, 0], [rowsEach, x.shape[1]!], layout), bins, to ? { layout: to } : {});
    }
    y.storeTile([0], sum);
  },
);

interface Given {
  readonly bins: number;
  readonly least?: number;
  readonly most: number;
  readonly shape?: readonly [number, number];
  readonly rowsEach?: number;
  readonly layout?: Layout;
  readonly to?: Layout | undefined;
}

function countsCase(name: string, dtype: DType, given: Given): Case {
  const { bins, least = 0, most, shape = [96, 64], rowsEach = 32, layout = rows, to } = given;
  return defineCase(`tile-histogram/${name}`, counts, () => {
    const x = integers(shape[0] * shape[1], least, most, 9);
    const y = Array.from({ length: bins }, (_, bin) => x.filter((n) => n === bin).length);
    return { args: [input(dtype, shape, x), output("i32", [bins], y), rowsEach, layout, to] };
  });
}

export const tileHistogramCases: readonly Case[] = [
  countsCase("bytes", "u8", { bins: 256, most: 255 }),
  countsCase("few-bins", "i32", { bins: 8, least: -3, most: 12 }),
  countsCase("layout", "i32", { bins: 256, least: -3, most: 255, to: line }),
  countsCase("unsigned", "u32", { bins: 64, most: 70 }),
  countsCase("one-place", "i32", { bins: 32, least: 5, most: 5 }),
  countsCase("repeated", "i8", { bins: 16, least: -2, most: 17, shape: [16, 4], rowsEach: 4 }),
  countsCase("wgmma", "i32", { bins: 64, least: -3, most: 63, shape: [128, 32], rowsEach: 64, layout: new WGMMALayout() }),
];
