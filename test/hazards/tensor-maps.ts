/** What is refused before anything is launched: tensor maps, and copies that do not go with them. */

import type { Static, Tensor, TMAOptions } from "warpsmith";
import { blockIdx, fence, kernel, sharedMemory, syncThreads, TMA, tensorSpec, threadIdx, tma } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard, refusal } from "./hazard.ts";
import { count, oneBarrier } from "./parts.ts";
import type { Machine } from "./schedule.ts";

const file = import.meta.filename;

const touch = kernel({ block: 32, grid: 1 }, function touch(x: TMA<"f16", 2>) {
  x.prefetch();
});

async function baseNotAligned(broken: boolean, { device }: Machine): Promise<void> {
  using x = device.zeros("f16", [16, 64]);
  const part = x.slice([0, 8], broken ? [1, 49] : [8, 56]);
  touch.launch({}, new TMA(part, { box: [8, 16] })); // refused: W4003
  await device.sync();
}

function strideNotAligned(broken: boolean): void {
  new TMA(tensorSpec("f16", [64, broken ? 60 : 64]), { box: [8, 8] }); // refused: W4005
}

function tooManyDimensions(broken: boolean): void {
  const shape = broken ? [2, 2, 2, 2, 2, 16] : [2, 2, 2, 2, 16];
  new TMA(tensorSpec("f32", shape), { box: shape } as TMAOptions); // refused: W4001
}

function boxTooLarge(broken: boolean): void {
  new TMA(tensorSpec("f16", [1024, 64]), { box: [broken ? 512 : 256, 64] }); // refused: W4008
}

function rowNotAMultiple(broken: boolean): void {
  new TMA(tensorSpec("f16", [64, 64]), { box: [8, broken ? 7 : 8] }); // refused: W4009
}

function rowWiderThanItsSwizzle(broken: boolean): void {
  new TMA(tensorSpec("f16", [128, 128]), { box: [64, broken ? 128 : 64], swizzle: "128B" }); // refused: W4010
}

function elementStrideOfNine(broken: boolean): void {
  new TMA(tensorSpec("f16", [128, 128]), { box: [64, 64], elementStrides: [broken ? 9 : 8, 1] }); // refused: W4011
}

/** A pattern of 128 bytes begins at multiples of 1024. */
const destinationNotAligned = kernel(
  { block: 128, grid: 1, smem: 4096 },
  function destinationNotAligned(x: TMA<"f16", 2>, out: Tensor<"f16", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.dynamic("f16", [8, 64], { at: broken ? 512 : 1024, swizzle: "128B" }); // refused: W3016
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, [0, 0]);
    }
    bar.wait(false);
    out[threadIdx.x] = tile.at(1, threadIdx.x & 63).load();
  },
);

const otherSwizzle = kernel(
  { block: 128, grid: 1 },
  function otherSwizzle(x: TMA<"f16", 2>, out: Tensor<"f16", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [8, 64], { swizzle: broken ? "none" : "128B", align: 1024 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, [0, 0]); // refused: W4504
    }
    bar.wait(false);
    out[threadIdx.x] = tile.at(1, threadIdx.x & 63).load();
  },
);

const otherType = kernel(
  { block: 128, grid: 1 },
  function otherType(x: TMA<"f16", 2>, out: Tensor<"f16", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("f16", [8, 64], { swizzle: "128B" });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(broken ? (tile.reinterpret("bf16", [8, 64]) as never) : tile, bar, [0, 0]); // refused: W4503
    }
    bar.wait(false);
    out[threadIdx.x] = tile.at(1, threadIdx.x & 63).load();
  },
);

/** A store begins before the tensor, by a coordinate that only the GPU knows. */
const storeBeforeTheTensor = kernel(
  { block: 32, grid: 1 },
  function storeBeforeTheTensor(to: TMA<"i32", 2>, rows: Tensor<"i32", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [1, 32], { align: 128 });
    tile.at(0, threadIdx.x).store(threadIdx.x);
    fence.proxyAsync();
    syncThreads();
    if (threadIdx.x === 0) {
      to.store(tile, [0, rows.at(broken ? 0 : 1).load()]); // reported: W9123
      tma.commit();
      tma.wait(0);
    }
  },
);

/** The innermost coordinate of a load is at a multiple of 16 bytes. */
const coordinateNotAligned = kernel(
  { block: 32, grid: 1 },
  function coordinateNotAligned(x: TMA<"i32", 2>, columns: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [1, 32], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, [columns.at(broken ? 0 : 1).load(), 0]); // reported: W9119
    }
    bar.wait(false);
    out[threadIdx.x] = tile.at(0, threadIdx.x).load();
  },
);

/** 64 rows for each block: the row stands where the column belongs. */
const coordinatesSwapped = kernel(
  { block: 64, grid: 2 },
  function coordinatesSwapped(x: TMA<"i32", 2>, out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [64, 64], { align: 128 });
    const bar = oneBarrier(1);
    const row = blockIdx.x * 64;
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, broken ? [row, 0] : [0, row]); // reported: W9241
    }
    bar.wait(false);
    out.at(blockIdx.x, threadIdx.x).store(tile.at(0, threadIdx.x).load());
  },
);

/** The second half of a tile lies behind the tensor, which is meant. */
const halfOutside = kernel(
  { block: 32, grid: 1 },
  function halfOutside(x: TMA<"i32", 2>, out: Tensor<"i32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.alloc("i32", [2, 4, 32], { align: 128 });
    const bar = oneBarrier(1);
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile.at(0), bar, [0, 0]);
      x.load(tile.at(1), bar, [0, 4], broken ? {} : { outside: true }); // reported: W9241
    }
    bar.wait(false);
    for (const half of [0, 1]) out.at(half, threadIdx.x).store(tile.at(half, 0, threadIdx.x).load());
  },
);

/** The same of a store: of four rows there is a second half of a tile of eight. */
const storeOutside = kernel({ block: 32, grid: 1 }, function storeOutside(to: TMA<"i32", 2>, broken: Static<boolean>) {
  const tile = sharedMemory.alloc("i32", [2, 4, 32], { align: 128 });
  for (const r of [0, 1, 2, 3, 4, 5, 6, 7]) tile.at(r >> 2, r & 3, threadIdx.x).store(threadIdx.x);
  fence.proxyAsync();
  syncThreads();
  if (threadIdx.x === 0) {
    to.store(tile.at(0), [0, 0]);
    tma.commit();
    to.store(tile.at(1), [0, 4], broken ? {} : { outside: true }); // reported in strict: W9242
    tma.commit();
    tma.wait(0);
  }
});

const row1 = count(512).map((e) => e % 64);
const tile = () => [
  mapOf(input("f16", [8, 64], row1), { box: [8, 64], swizzle: "128B" }),
  output(
    "f16",
    [128],
    count(128).map((t) => t & 63),
  ),
];

export const tensorMaps: readonly Hazard[] = [
  refusal({ name: "maps/base-not-aligned", classes: [53], file, make: baseNotAligned }),
  refusal({ name: "maps/stride-not-aligned", classes: [53], file, make: strideNotAligned }),
  refusal({ name: "maps/too-many-dimensions", classes: [54], file, make: tooManyDimensions }),
  refusal({ name: "maps/box-too-large", classes: [54], file, make: boxTooLarge }),
  refusal({ name: "maps/row-not-a-multiple", classes: [54], file, make: rowNotAMultiple }),
  refusal({ name: "maps/row-wider-than-its-swizzle", classes: [54], file, make: rowWiderThanItsSwizzle }),
  refusal({ name: "maps/element-stride-of-nine", classes: [54], file, make: elementStrideOfNine }),
  kernelHazard({ name: "maps/destination-not-aligned", classes: [55], file, kernel: destinationNotAligned, args: tile }),
  kernelHazard({ name: "maps/other-swizzle", classes: [57], file, kernel: otherSwizzle, args: tile }),
  kernelHazard({ name: "maps/other-type", classes: [57], file, kernel: otherType, args: tile }),
  kernelHazard({
    name: "maps/store-before-the-tensor",
    classes: [58],
    file,
    kernel: storeBeforeTheTensor,
    args: () => [
      mapOf(
        output("i32", [2, 32], [...count(32), ...count(32)], { initial: [...count(32), ...new Array<number>(32).fill(-1)] }),
        { box: [1, 32] },
      ),
      input("i32", [2], [-1, 1]),
    ],
  }),
  kernelHazard({
    name: "maps/coordinate-not-aligned",
    classes: [58],
    file,
    kernel: coordinateNotAligned,
    args: () => [
      mapOf(input("i32", [1, 64], count(64)), { box: [1, 32] }),
      input("i32", [2], [3, 4]),
      output(
        "i32",
        [32],
        count(32).map((i) => i + 4),
      ),
    ],
  }),
  kernelHazard({
    name: "maps/coordinates-swapped",
    classes: [58, 59],
    file,
    kernel: coordinatesSwapped,
    args: () => [
      mapOf(input("i32", [128, 64], count(8192)), { box: [64, 64] }),
      output("i32", [2, 64], [...count(64), ...count(64).map((i) => i + 4096)]),
    ],
  }),
  kernelHazard({
    name: "maps/half-outside",
    classes: [59],
    file,
    kernel: halfOutside,
    args: () => [
      mapOf(input("i32", [4, 32], count(128)), { box: [4, 32] }),
      output("i32", [2, 32], [...count(32), ...new Array<number>(32).fill(0)]),
    ],
  }),
  kernelHazard({
    name: "maps/store-outside",
    classes: [59],
    file,
    kernel: storeOutside,
    args: () => [mapOf(output("i32", [4, 32], [...count(32), ...count(32), ...count(32), ...count(32)]), { box: [4, 32] })],
  }),
];
