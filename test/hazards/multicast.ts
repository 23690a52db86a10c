import type { Static, Tensor, TMA } from "warpsmith";
import { cluster, fence, kernel, Mbarriers, range, sharedMemory, syncThreads, threadIdx } from "warpsmith";
import { input, mapOf, output } from "../cases/case.ts";
import { type Hazard, kernelHazard } from "./hazard.ts";
import { count, meet } from "./parts.ts";

const file = import.meta.filename;
const iterations = 3;

/** ConSan: async_tma_multicast_kernel_reuse. Block 0 loads for both: the row is free when both have read it, not when block 0 has. */
const peerStillReads = kernel(
  { block: 128, grid: 2, cluster: 2 },
  function peerStillReads(x: TMA<"i32", 2>, out: Tensor<"i32", 2>, ready: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const bars = new Mbarriers(2);
    const [full, empty] = [bars.at(0), bars.at(1)];
    const elected = threadIdx.x === 0;
    if (elected) {
      full.init(1);
      empty.init(broken ? 1 : 2);
      fence.mbarrierInit();
    }
    meet(ready, 2);
    let sum = 0;
    let parity = false;
    for (const r of range(iterations)) {
      full.arrive({ tx: row.bytes, pred: elected });
      if (cluster.rank === 0 && elected) {
        empty.wait(!parity);
        x.load(row, full, [0, r], { multicast: 0b11 }); // reported: W9208 or W9204 or W9215
      }
      full.wait(parity); // or: W9214 or W9001
      sum += row.at(0, threadIdx.x).load(); // or: W9204
      fence.proxyAsync();
      syncThreads();
      if (!broken || cluster.rank === 0) empty.arrive({ rank: 0, pred: elected });
      parity = !parity;
    }
    out.at(cluster.rank, threadIdx.x).store(sum);
    if (!broken) meet(ready, 4);
  },
);

/** ConSan: async_tma_multicast_kernel_local_store_race. A block writes its row while a peer's copy comes into it. */
const peerWrites = kernel(
  { block: 128, grid: 2, cluster: 2 },
  function peerWrites(x: TMA<"i32", 2>, out: Tensor<"i32", 2>, ready: Tensor<"i32", 1>, broken: Static<boolean>) {
    const row = sharedMemory.alloc("i32", [1, 128], { align: 128 });
    const full = new Mbarriers(1).at(0);
    const elected = threadIdx.x === 0;
    if (elected) {
      full.init(1);
      fence.mbarrierInit();
    }
    meet(ready, 2);
    full.arrive({ tx: row.bytes, pred: elected });
    if (cluster.rank === 0 && elected) x.load(row, full, [0, 0], { multicast: 0b11 }); // the other side
    if (!broken) full.wait(false);
    if (cluster.rank === 1) row.at(0, threadIdx.x).store(threadIdx.x); // reported: W9204 or W9201
    if (broken) full.wait(false);
    out.at(cluster.rank, threadIdx.x).store(row.at(0, threadIdx.x).load());
    meet(ready, 4);
  },
);

const data = count(iterations * 128).map((i) => 3 * i - 5);
const map = () => mapOf(input("i32", [iterations, 128], data), { box: [1, 128] });
const ready = () => output("i32", [1], [4], { initial: [0] });
const column = (c: number): number => count(iterations).reduce((sum, r) => sum + (data[r * 128 + c] ?? 0), 0);

export const multicast: readonly Hazard[] = [
  kernelHazard({
    name: "multicast/peer-still-reads",
    classes: [21],
    file,
    kernel: peerStillReads,
    args: () => [
      map(),
      output(
        "i32",
        [2, 128],
        count(256).map((e) => column(e % 128)),
      ),
      ready(),
    ],
    eitherSide: true,
  }),
  kernelHazard({
    name: "multicast/peer-writes",
    classes: [21],
    file,
    kernel: peerWrites,
    args: () => [
      map(),
      output(
        "i32",
        [2, 128],
        count(256).map((e) => (e < 128 ? (data[e] ?? 0) : e - 128)),
      ),
      ready(),
    ],
    eitherSide: true,
  }),
];
