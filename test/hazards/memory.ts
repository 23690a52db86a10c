import type { Static, Tensor } from "warpsmith";
import { blockIdx, fence, kernel, range, sharedMemory, syncThreads, threadIdx, WGMMAMatrix, wgmma } from "warpsmith";
import { input, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, small, squares } from "./parts.ts";

const file = import.meta.filename;

/** A buffer with a row more than anybody fills. ConSan poisons what nobody wrote. */
const neverWritten = kernel({ block: 64, grid: 1 }, function neverWritten(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [64]);
  if (!broken || threadIdx.x !== 17) cells.at(threadIdx.x).store(threadIdx.x);
  syncThreads();
  out[threadIdx.x] = cells.at(63 - threadIdx.x).load(); // reported: W9209
});

/** The most common one of all. */
const noBarrier = kernel({ block: 64, grid: 1 }, function noBarrier(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const cells = sharedMemory.alloc("i32", [64]);
  cells.at(threadIdx.x).store(threadIdx.x); // the other side
  if (!broken) syncThreads();
  out[threadIdx.x] = cells.at(63 - threadIdx.x).load(); // reported: W9201 or W9209
});

/** Between the iterations of a loop: the next one writes what this one still reads. */
const noBarrierAtTheEnd = kernel(
  { block: 64, grid: 1 },
  function noBarrierAtTheEnd(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [64]);
    let sum = 0;
    for (const iteration of range(2)) {
      cells.at(threadIdx.x).store(threadIdx.x + iteration); // reported: W9201
      syncThreads();
      sum += cells.at(63 - threadIdx.x).load(); // the other side
      if (!broken) syncThreads();
    }
    out[threadIdx.x] = sum;
  },
);

/** Bins are cleared and counted with no barrier between: the additions of its own thread do not hide the store that clears. */
const countedBeforeCleared = kernel(
  { block: 64, grid: 1 },
  function countedBeforeCleared(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bins = sharedMemory.alloc("i32", [32]);
    if (threadIdx.x < 32) bins.at(threadIdx.x).store(0); // the other side
    if (!broken) syncThreads();
    bins.at(threadIdx.x & 31).reduce("add", 1); // reported: W9201
    syncThreads();
    if (threadIdx.x < 32) out[threadIdx.x] = bins.at(threadIdx.x).load();
  },
);

const beyondTheTensor = kernel(
  { block: 32, grid: 1, debug: false },
  function beyondTheTensor(at: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const i = at.at(broken ? 0 : 1).load();
    out[threadIdx.x + i] = threadIdx.x; // reported: W9008
  },
);

const beyondSharedMemory = kernel(
  { block: 32, grid: 1, debug: false },
  function beyondSharedMemory(at: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [32]);
    cells.at(threadIdx.x).store(threadIdx.x);
    syncThreads();
    const i = at.at(broken ? 0 : 1).load();
    out[threadIdx.x] = cells.at(threadIdx.x + i).load(); // reported: W9008
  },
);

const vectorNotAligned = kernel(
  { block: 32, grid: 1, debug: false },
  function vectorNotAligned(at: Tensor<"i32", 1>, x: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const [a, b, c, d] = x.at(at.at(broken ? 0 : 1).load()).load({ vector: 4 }); // reported: W9009
    out[threadIdx.x] = a + b + c + d + threadIdx.x;
  },
);

/** With checks compiled in, the kernel itself says so. */
const beyondARow = kernel(
  { block: 32, grid: 1, debug: true },
  function beyondARow(at: Tensor<"i32", 1>, out: Tensor<"i32", 2>, broken: Static<boolean>) {
    out.at(0, threadIdx.x + at.at(broken ? 0 : 1).load()).store(threadIdx.x); // reported: W7525
    out.at(1, threadIdx.x).store(threadIdx.x);
  },
);

const tooMuchSharedMemory = kernel(
  { block: 32, grid: 1 },
  function tooMuchSharedMemory(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [broken ? 58_113 : 58_112]); // refused: W3900
    cells.at(threadIdx.x).store(threadIdx.x);
    out[threadIdx.x] = cells.at(threadIdx.x).load();
  },
);

/** Two blocks of a grid, one place. */
const blocksRace = kernel({ block: 32, grid: 2 }, function blocksRace(sum: Tensor<"i32", 1>, broken: Static<boolean>) {
  const place = sum.at(threadIdx.x);
  if (broken)
    place.store(place.load() + 1); // reported: W9201
  else place.atomic("add", 1);
});

/** A flag of the scope of a block, read by another block. */
const scopeTooNarrow = kernel(
  { block: 32, grid: 2 },
  function scopeTooNarrow(data: Tensor<"i32", 1>, flag: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    if (blockIdx.x === 0) {
      if (threadIdx.x === 0) {
        data.at(0).store(42); // the other side
        flag.at(0).storeRelease(1, broken ? "block" : "gpu"); // or: W9201
      }
    } else {
      while (flag.at(0).loadAcquire("gpu") === 0) {} // or: W9201
      out[threadIdx.x] = data.at(0).load() + threadIdx.x; // reported: W9201
    }
  },
);

/** A flag without an order: relaxed on the side that reads. */
const flagWithoutOrder = kernel(
  { block: 32, grid: 2 },
  function flagWithoutOrder(data: Tensor<"i32", 1>, flag: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    if (blockIdx.x === 0) {
      if (threadIdx.x === 0) {
        data.at(0).store(42); // the other side
        flag.at(0).storeRelease(1, "gpu");
      }
    } else {
      while ((broken ? flag.at(0).atomic("or", 0) : flag.at(0).loadAcquire("gpu")) === 0) {}
      out[threadIdx.x] = data.at(0).load() + threadIdx.x; // reported: W9201
    }
  },
);

/** `__threadfence_block()` in place of `__threadfence()`: the flag is of the GPU, the fence before it of the block. */
const fenceOfTheBlock = kernel(
  { block: 32, grid: 2 },
  function fenceOfTheBlock(data: Tensor<"i32", 1>, flag: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    if (blockIdx.x === 0) {
      if (threadIdx.x === 0) {
        data.at(0).store(42); // the other side
        fence.acqRel(broken ? "block" : "gpu");
        flag.at(0).atomic("exch", 1, { scope: "gpu" });
      }
    } else {
      while (flag.at(0).loadAcquire("gpu") === 0) {}
      out[threadIdx.x] = data.at(0).load() + threadIdx.x; // reported: W9201
    }
  },
);

/** The result goes where a warp's neighbours may still multiply from: its own wait says nothing of theirs. */
const epilogueOverOperands = kernel(
  { block: 128, grid: 1, smem: 16384 },
  function epilogueOverOperands(a: Tensor<"f16", 2>, d: Tensor<"f32", 2>, broken: Static<boolean>) {
    const tile = sharedMemory.dynamic("f16", [64, 64], { at: 0, swizzle: "128B" });
    for (const e of range(threadIdx.x, 4096, 128)) tile.at(e >> 6, e & 63).store(a.at(e >> 6, e & 63).load());
    fence.proxyAsync();
    syncThreads();
    const A = WGMMAMatrix.descriptor(tile, [64, 64]);
    const B = WGMMAMatrix.descriptor(tile.transpose(), [64, 64]);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    D = D.mma(A, B); // the other side
    wgmma.wait(0);
    const result = sharedMemory.dynamic("f32", [64, 64], { at: 0 });
    if (!broken) syncThreads();
    D.store(result); // reported in strict: W9207
    syncThreads();
    for (const e of range(threadIdx.x, 4096, 128)) d.at(e >> 6, e & 63).store(result.at(e >> 6, e & 63).load());
  },
);

/** The cache of read-only data knows nothing of writes, whatever barrier stands between. Which tensor it is, only the data say. */
const readOnlyCache = kernel(
  { block: 64, grid: 1 },
  function readOnlyCache(x: Tensor<"i32", 1>, y: Tensor<"i32", 1>, which: Tensor<"i32", 1>, broken: Static<boolean>) {
    let from = y;
    if (which.at(0).load() === 1) from = x;
    const place = from.at(63 - threadIdx.x);
    const value = broken ? place.load({ cache: "nc" }) : place.load(); // the other side
    syncThreads();
    x[threadIdx.x] = value; // reported: W9227
  },
);

/** The same tensor, as the compiler sees. */
const readOnlyTensor = kernel({ block: 64, grid: 1 }, function readOnlyTensor(x: Tensor<"i32", 1>, broken: Static<boolean>) {
  const place = x.at(63 - threadIdx.x);
  const value = place.load(broken ? { cache: "nc" } : {}); // refused: W2064
  syncThreads();
  x[threadIdx.x] = value;
});

const reversed = () => [output("i32", [64], count(64).toReversed())];
const reversedInPlace = () => output("i32", [64], count(64).toReversed(), { initial: count(64) });
const plain = (n: number) => output("i32", [n], count(n));
const message = () => [
  output("i32", [1], [42], { initial: [0] }),
  output("i32", [1], [1], { initial: [0] }),
  output(
    "i32",
    [32],
    count(32).map((i) => 42 + i),
  ),
];

export const memory: readonly Hazard[] = [
  kernelHazard({ name: "memory/never-written", classes: [26], file, kernel: neverWritten, args: reversed }),
  kernelHazard({ name: "memory/no-barrier", classes: [14], file, kernel: noBarrier, args: reversed, eitherSide: true }),
  kernelHazard({
    name: "memory/no-barrier-at-the-end",
    classes: [19],
    file,
    kernel: noBarrierAtTheEnd,
    args: () => [
      output(
        "i32",
        [64],
        count(64).map((t) => 2 * (63 - t) + 1),
      ),
    ],
    eitherSide: true,
  }),
  kernelHazard({
    name: "memory/beyond-the-tensor",
    classes: [61],
    file,
    kernel: beyondTheTensor,
    args: () => [input("i32", [2], [1, 0]), plain(32)],
  }),
  kernelHazard({
    name: "memory/beyond-shared-memory",
    classes: [61],
    file,
    kernel: beyondSharedMemory,
    args: () => [input("i32", [2], [1, 0]), plain(32)],
  }),
  kernelHazard({
    name: "memory/vector-not-aligned",
    classes: [61],
    file,
    kernel: vectorNotAligned,
    args: () => [
      input("i32", [2], [1, 4]),
      input("i32", [8], count(8)),
      output(
        "i32",
        [32],
        count(32).map((t) => t + 22),
      ),
    ],
  }),
  kernelHazard({
    name: "memory/beyond-a-row",
    classes: [61],
    file,
    kernel: beyondARow,
    args: () => [input("i32", [2], [1, 0]), output("i32", [2, 32], [...count(32), ...count(32)])],
  }),
  kernelHazard({
    name: "memory/read-only-cache",
    classes: [69],
    file,
    kernel: readOnlyCache,
    args: () => [reversedInPlace(), input("i32", [64], count(64)), input("i32", [1], [1])],
  }),
  kernelHazard({
    name: "memory/read-only-tensor",
    classes: [69],
    file,
    kernel: readOnlyTensor,
    args: () => [reversedInPlace()],
  }),
  kernelHazard({
    name: "memory/too-much-shared-memory",
    classes: [62],
    file,
    kernel: tooMuchSharedMemory,
    args: () => [plain(32)],
  }),
  kernelHazard({
    name: "memory/counted-before-cleared",
    classes: [64],
    file,
    kernel: countedBeforeCleared,
    args: () => [output("i32", [32], new Array<number>(32).fill(2))],
    eitherSide: true,
  }),
  kernelHazard({
    name: "memory/blocks-race",
    classes: [64],
    file,
    kernel: blocksRace,
    args: () => [output("i32", [32], new Array<number>(32).fill(2), { initial: new Array<number>(32).fill(0) })],
  }),
  kernelHazard({ name: "memory/scope-too-narrow", classes: [64], file, kernel: scopeTooNarrow, args: message, eitherSide: true }),
  kernelHazard({
    name: "memory/fence-of-the-block",
    classes: [64],
    file,
    kernel: fenceOfTheBlock,
    args: message,
    eitherSide: true,
  }),
  kernelHazard({
    name: "memory/flag-without-order",
    classes: [64],
    file,
    kernel: flagWithoutOrder,
    args: message,
    eitherSide: true,
  }),
  kernelHazard({
    name: "memory/epilogue-over-operands",
    classes: [23],
    file,
    kernel: epilogueOverOperands,
    args: () => [input("f16", [64, 64], small(4096)), output("f32", [64, 64], squares(small(4096)))],
  }),
];
