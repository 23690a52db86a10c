/** Phases of mbarriers that are not those of the data, and arrivals that say too much or never come. */
import {
  fence,
  kernel,
  Mbarriers,
  range,
  type Static,
  sharedMemory,
  syncThreads,
  syncWarp,
  type Tensor,
  type TMA,
  threadIdx,
  WGMMAMatrix,
  warp,
} from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { count } from "../cases/numbers.ts";
import { oneBarrier, small } from "../hazards/parts.ts";
import { type CourtCase, kernelCase } from "./court-case.ts";

const file = import.meta.filename;

function twoBarriers(first: number, second: number): Mbarriers {
  "use kernel";
  const bars = new Mbarriers(2);
  if (threadIdx.x === 0) {
    bars.at(0).init(first);
    bars.at(1).init(second);
    fence.mbarrierInit();
  }
  syncThreads();
  return bars;
}

/** All lanes of a warp write, and one of them arrives: its arrival releases its own stores. */
const oneArrivesForItsWarp = kernel(
  { block: 64, grid: 1 },
  function oneArrivesForItsWarp(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const cells = sharedMemory.alloc("i32", [32]);
    const full = oneBarrier(1);
    if (warp.index === 0) {
      cells.at(warp.lane).store(warp.lane * 3); // the other side
      if (!broken) syncWarp();
      if (warp.lane === 0) full.arrive();
    } else {
      full.wait(false);
      out[warp.lane] = cells.at(31 - warp.lane).load(); // reported: W9201
    }
  },
);

/** The ring has two stages; the barrier has one slot, whose phase turns with each iteration. */
const parityOfTheRing = kernel({ block: 64, grid: 1 }, function parityOfTheRing(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const ring = sharedMemory.alloc("i32", [2, 32]);
  const bars = twoBarriers(32, 32);
  const [full, read] = [bars.at(0), bars.at(1)];
  if (warp.index === 0) {
    for (const k of range(4)) {
      ring.at(k % 2, warp.lane).store(k * 32 + warp.lane); // or: W9201
      full.arrive();
      // What has been read of this iteration, before the next one is written.
      read.wait(broken ? (k >> 1) % 2 : k % 2); // or: W9230 or W9001
    }
  } else {
    let sum = 0;
    for (const k of range(4)) {
      full.wait(k % 2); // or: W9214 or W9001
      sum += ring.at(k % 2, 31 - warp.lane).load(); // reported: W9201
      read.arrive();
    }
    out[warp.lane] = sum;
  }
});

/** The wait stands where TMA's data are needed first; what threads bring is read before it. */
const waitBehindTheRead = kernel(
  { block: 64, grid: 1 },
  function waitBehindTheRead(x: TMA<"i32", 2>, y: Tensor<"i32", 1>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 32], { align: 128 });
    const scales = sharedMemory.alloc("i32", [32]);
    const full = oneBarrier(33);
    if (warp.index === 0) {
      if (warp.lane === 0) {
        full.arrive({ tx: row.bytes });
        x.load(row, full, [0, 0]);
      }
      scales.at(warp.lane).store(y[warp.lane]!); // the other side
      full.arrive();
    } else {
      if (!broken) full.wait(false);
      const scale = scales.at(warp.lane).load(); // reported: W9201 or W9209
      full.wait(false);
      out[warp.lane] = row.at(0, warp.lane).load() * scale;
    }
  },
);

/** Two operands have a barrier each. */
const waitsForOne = kernel(
  { block: 128, grid: 1 },
  function waitsForOne(a: TMA<"f16", 2>, b: TMA<"f16", 2>, d: Tensor<"f32", 2>, late: Static<boolean>, broken: Static<boolean>) {
    const tiles = sharedMemory.alloc("f16", [2, 64, 64], { swizzle: "128B" });
    const bars = twoBarriers(1, 1);
    if (threadIdx.x === 0) {
      bars.at(0).arrive({ tx: tiles.at(0).bytes });
      a.load(tiles.at(0), bars.at(0), [0, 0]); // the other side
      bars.at(1).arrive({ tx: tiles.at(1).bytes });
      b.load(tiles.at(1), bars.at(1), [0, 0]);
    }
    if (!broken) bars.at(0).wait(false);
    bars.at(1).wait(false);
    let D = WGMMAMatrix.accumulator("f32", [64, 64]);
    const A = WGMMAMatrix.descriptor(tiles.at(0), [64, 64]);
    D = D.mma(A, WGMMAMatrix.descriptor(tiles.at(1), [64, 64]), { wait: 0 }); // reported: W9204
    if (late) bars.at(0).wait(false);
    D.store(d);
  },
);

/** `expect_tx` is no arrival: the phase lacks one. */
const expectedWithoutArrival = kernel(
  { block: 64, grid: 1 },
  function expectedWithoutArrival(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = oneBarrier(1);
    if (threadIdx.x === 0) {
      if (broken) full.expectTx(row.bytes);
      else full.arrive({ tx: row.bytes });
      x.load(row, full, [0, 0]);
    }
    full.wait(false); // reported: W9001
    out[threadIdx.x] = row.at(0, threadIdx.x).load();
  },
);

/** One of two copies of a stage was taken out, and the bytes of both are still expected. */
const bytesOfTwo = kernel(
  { block: 64, grid: 1 },
  function bytesOfTwo(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 1, 64], { align: 128 });
    const full = oneBarrier(1);
    if (threadIdx.x === 0) {
      full.arrive({ tx: broken ? rows.bytes : rows.at(0).bytes });
      x.load(rows.at(0), full, [0, 0]);
    }
    full.wait(false); // reported: W9001
    out[threadIdx.x] = rows.at(0, 0, threadIdx.x).load();
  },
);

/** The bytes are clamped to the batch, the box is not. */
const bytesOfTheClamped = kernel(
  { block: 64, grid: 1 },
  function bytesOfTheClamped(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const rows = sharedMemory.alloc("i32", [2, 32], { align: 128 });
    const full = oneBarrier(1);
    let sum = 0;
    let parity = false;
    for (const r of range(2)) {
      if (threadIdx.x === 0) {
        full.arrive({ tx: broken ? rows.bytes / 2 : rows.bytes });
        x.load(rows, full, [0, 2 * r]); // or: W9215
      }
      full.wait(parity); // reported: W9001
      sum += rows.at(threadIdx.x >> 5, threadIdx.x & 31).load(); // or: W9204
      fence.proxyAsync();
      syncThreads();
      parity = !parity;
    }
    out[threadIdx.x] = sum;
  },
);

/** "Free" is said before the slot has been read. */
const freedBeforeItIsRead = kernel(
  { block: 64, grid: 1 },
  function freedBeforeItIsRead(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const slot = sharedMemory.alloc("i32", [32]);
    const bars = twoBarriers(32, 32);
    const [full, free] = [bars.at(0), bars.at(1)];
    if (warp.index === 0) {
      for (const k of range(3)) {
        free.wait(k % 2 === 0);
        slot.at(warp.lane).store(k); // reported: W9201
        full.arrive();
      }
    } else {
      let sum = 0;
      for (const k of range(3)) {
        full.wait(k % 2);
        if (broken) free.arrive();
        sum += slot.at(31 - warp.lane).load(); // the other side
        if (!broken) free.arrive();
      }
      out[warp.lane] = sum;
    }
  },
);

/** The coordinates of the next tile lie in one mailbox, and nobody tells that all have read them. */
const mailbox = kernel({ block: 96, grid: 1 }, function mailbox(out: Tensor<"i32", 1>, broken: Static<boolean>) {
  const letter = sharedMemory.alloc("i32", [1]);
  const bars = twoBarriers(1, 2);
  const [ready, free] = [bars.at(0), bars.at(1)];
  if (warp.index === 0) {
    for (const k of range(3)) {
      if (!broken) free.wait(k % 2 === 0);
      if (warp.lane === 0) {
        letter.at(0).store(k + 1); // reported: W9201 or W9214
        ready.arrive(); // or: W9201 or W9214
      }
      syncWarp();
    }
  } else {
    let sum = 0;
    for (const k of range(3)) {
      ready.wait(k % 2); // or: W9214 or W9001
      sum += letter.at(0).load(); // or: W9201
      syncWarp();
      if (warp.lane === 0) free.arrive();
    }
    out[threadIdx.x - 32] = sum;
  }
});

const initNotSynchronised = kernel(
  { block: 64, grid: 1 },
  function initNotSynchronised(out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      bar.init(64); // the other side
      fence.mbarrierInit();
    }
    if (!broken) syncThreads();
    bar.arrive(); // reported: W9102 or W9212 or W9201
    bar.wait(false);
    out[threadIdx.x] = threadIdx.x;
  },
);

/** The thread that is to release the slot belongs to the producer. */
const nobodyReleases = kernel(
  { block: 64, grid: 1 },
  function nobodyReleases(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 32], { align: 128 });
    const bars = twoBarriers(1, 1);
    const [full, empty] = [bars.at(0), bars.at(1)];
    if (warp.index === 0) {
      for (const k of range(2)) {
        if (warp.lane === 0) {
          empty.wait(k % 2 === 0); // reported: W9001
          full.arrive({ tx: row.bytes });
          x.load(row, full, [0, k]);
        }
      }
    } else {
      let sum = 0;
      for (const k of range(2)) {
        full.wait(k % 2); // or: W9001
        sum += row.at(0, warp.lane).load();
        fence.proxyAsync();
        syncWarp();
        if (threadIdx.x === (broken ? 0 : 32)) empty.arrive();
      }
      out[warp.lane] = sum;
    }
  },
);

/** Three steps for each tile, and the phase begins anew with each. */
const phaseBeginsAnew = kernel(
  { block: 64, grid: 1 },
  function phaseBeginsAnew(x: TMA<"i32", 2>, out: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 64], { align: 128 });
    const full = oneBarrier(1);
    let sum = 0;
    for (const tile of range(2)) {
      for (const k of range(3)) {
        if (threadIdx.x === 0) {
          full.arrive({ tx: row.bytes });
          x.load(row, full, [0, k]); // the other side
        }
        full.wait(broken ? k % 2 : (3 * tile + k) % 2);
        sum += row.at(0, threadIdx.x).load(); // reported: W9204
        fence.proxyAsync();
        syncThreads();
      }
    }
    out[threadIdx.x] = sum;
  },
);

const data = count(256).map((i) => 5 * i - 11);
const words = (columns: number, rows: number) => input("i32", [rows, columns], data.slice(0, rows * columns));
const map = (columns: number, rows: number, box = 1) => mapOf(words(columns, rows), { box: [box, columns] });
const sumOf = (columns: number, rows: readonly number[], at = (c: number) => c) =>
  output(
    "i32",
    [columns],
    count(columns).map((c) => rows.reduce((sum, r) => sum + (data[r * columns + at(c)] ?? 0), 0)),
  );
const [left, right] = [small(4096), small(4096).toReversed()];
const operand = (x: readonly number[]) => mapOf(input("f16", [64, 64], x), { box: [64, 64], swizzle: "128B" });
const product = () =>
  output(
    "f32",
    [64, 64],
    count(4096).map((e) =>
      count(64).reduce((sum, k) => sum + (left[(e >> 6) * 64 + k] ?? 0) * (right[k * 64 + (e & 63)] ?? 0), 0),
    ),
  );

export const mbarrierCases: readonly CourtCase[] = [
  kernelCase({
    name: "mbarriers/one-arrives-for-its-warp",
    what: "All lanes of a warp write, and one of them arrives. Its arrival releases its own stores, not those of the others.",
    mended: "`__syncwarp()` before the arrival.",
    links: ["https://github.com/NVIDIA/cudnn-frontend/pull/426", "https://github.com/mlc-ai/TIRx-kernels/pull/202"],
    file,
    kernel: oneArrivesForItsWarp,
    args: () => [
      output(
        "i32",
        [32],
        count(32).map((l) => 3 * (31 - l)),
      ),
    ],
    eitherSide: true,
  }),
  kernelCase({
    name: "mbarriers/parity-of-the-ring",
    what: "A barrier of one slot, whose phase turns with each iteration, is waited for by the parity of a ring of stages: the wait is for a phase that is over.",
    mended: "The parity is that of the iteration.",
    links: ["https://github.com/tile-ai/tilelang/pull/3087", "https://github.com/tile-ai/tilelang/issues/2927"],
    file,
    kernel: parityOfTheRing,
    args: () => [
      output(
        "i32",
        [32],
        count(32).map((l) => 4 * (31 - l) + 32 * 6),
      ),
    ],
    eitherSide: true,
  }),
  kernelCase({
    name: "mbarriers/wait-behind-the-read",
    what: "The wait stands where the data of TMA are needed; what ordinary threads bring into the same stage is read before it.",
    mended: "The wait comes before the first read.",
    links: ["https://github.com/tile-ai/tilelang/pull/2166"],
    file,
    kernel: waitBehindTheRead,
    args: () => [
      map(32, 1),
      input(
        "i32",
        [32],
        count(32).map((c) => c + 1),
      ),
      output(
        "i32",
        [32],
        count(32).map((c) => (c + 1) * (data[c] ?? 0)),
      ),
    ],
    eitherSide: true,
  }),
  kernelCase({
    name: "mbarriers/wait-behind-the-product",
    what: "The wait for one operand comes behind the product that reads it. Made on purpose, to try detectors.",
    mended: "Both waits come before the product.",
    links: ["https://github.com/facebookexperimental/CUTracer/pull/106"],
    file,
    kernel: waitsForOne,
    args: () => [operand(left), operand(right), product(), true],
  }),
  kernelCase({
    name: "mbarriers/no-wait",
    what: "One of two operands is not waited for at all. Made on purpose, to try detectors.",
    mended: "Both are waited for.",
    links: ["https://github.com/facebookexperimental/CUTracer/pull/106"],
    file,
    kernel: waitsForOne,
    args: () => [operand(left), operand(right), product(), false],
  }),
  kernelCase({
    name: "mbarriers/expected-without-arrival",
    what: "The bytes of a copy are expected by `expect_tx`, which is no arrival: the bytes come, the phase never ends.",
    mended: "One instruction expects and arrives: `arrive.expect_tx`.",
    links: ["https://github.com/tile-ai/tilelang/issues/2566"],
    file,
    kernel: expectedWithoutArrival,
    args: () => [map(64, 1), sumOf(64, [0])],
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/bytes-of-two",
    what: "One of two copies of a stage is taken out, and the bytes of both are still expected.",
    mended: "The bytes of the one that is left.",
    links: ["https://github.com/NVIDIA/cutlass/issues/1748"],
    file,
    kernel: bytesOfTwo,
    args: () => [map(64, 1), sumOf(64, [0])],
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/bytes-of-the-clamped",
    what: "The bytes are counted for a tile that is clamped to the batch, and the box of the tensor map is not: twice as many come, and the phase does not end.",
    mended: "The bytes of the box.",
    links: ["https://github.com/mirage-project/mirage/pull/705"],
    file,
    kernel: bytesOfTheClamped,
    args: () => [
      mapOf(words(32, 4), { box: [2, 32] }),
      output(
        "i32",
        [64],
        count(64).map((t) => (data[t] ?? 0) + (data[t + 64] ?? 0)),
      ),
    ],
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/freed-before-it-is-read",
    what: "Consumers say that a slot is free, and read it then.",
    mended: "They read, then arrive.",
    links: ["https://github.com/tile-ai/tilelang/pull/2423"],
    file,
    kernel: freedBeforeItIsRead,
    args: () => [output("i32", [32], new Array<number>(32).fill(3))],
    eitherSide: true,
  }),
  kernelCase({
    name: "mbarriers/mailbox",
    what: "A warp publishes the coordinates of the next tile in one mailbox, and publishes the next ones before the readers have said that they have read these.",
    mended: "A second barrier, at which each reader arrives.",
    links: ["https://github.com/NVlabs/cuda-oxide/pull/1066"],
    file,
    kernel: mailbox,
    args: () => [output("i32", [64], new Array<number>(64).fill(6))],
    eitherSide: true,
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/init-not-synchronised",
    what: "One thread initialises an mbarrier, and others use it with no barrier of the block between.",
    mended: "A barrier of the block behind the initialisation.",
    links: ["https://github.com/NVIDIA/Fuser/pull/1769"],
    file,
    kernel: initNotSynchronised,
    args: () => [output("i32", [64], count(64))],
    eitherSide: true,
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/nobody-releases",
    what: "The slot is released by thread 0, which belongs to the producer and not to the consumers.",
    mended: "A thread of the consumers releases it.",
    links: ["https://github.com/NVIDIA/cutlass/issues/2418"],
    file,
    kernel: nobodyReleases,
    args: () => [map(32, 2), sumOf(32, [0, 1])],
    hangs: true,
  }),
  kernelCase({
    name: "mbarriers/phase-begins-anew",
    what: "A loop over tiles begins each tile with phase 0, and a tile takes an odd number of steps.",
    mended: "The phase goes on over the tiles.",
    links: ["https://github.com/tile-ai/tilelang/pull/2674"],
    file,
    kernel: phaseBeginsAnew,
    args: () => [map(64, 3), sumOf(64, [0, 1, 2, 0, 1, 2])],
    eitherSide: true,
  }),
];
