import type { Fault } from "./fault.ts";
import * as kernels from "./kernels.ts";

const { nothing, bulkFrom, ...others } = kernels;

/** Of one kernel that takes the tensor alone. */
const of = (name: keyof typeof others, rest: Omit<Fault, "name" | "launch">): Fault => ({
  name,
  launch: (x, config) => others[name].launch(config, x),
  ...rest,
});

/** Where no memory is on either device. */
const nowhere = 0x7f00_0000_0000n;

/** Kernels that a GPU stops, each for one reason. */
export const faults: readonly Fault[] = [
  of("store", {
    gpu: "W7756",
    emulator: "W9008",
    who: /: one of the threads 40 to 63 of block \(2, 0, 0\), at st\.global\.b32\./,
  }),
  of("load", {
    gpu: "W7756",
    emulator: "W9008",
    who: /: one of the threads \(\d, \d, 0\) to \(7, \d, 0\) of block \(\d, \d, 0\), and \d more warps, at ld\.global\.b32\./,
  }),
  of("atomic", { gpu: "W7756", emulator: "W9008", who: /one of the threads \d+ to \d+ of block \(\d, 0, 0\)/ }),
  of("helper", { gpu: "W7756", emulator: "W9008", who: /threads 0 to 31 of block \(0, 0, 0\)/ }),
  of("everywhere", { gpu: "W7756", emulator: "W9008", who: /of block \(\d+, 0, 0\), and \d+ more warps/ }),
  {
    name: "nothing",
    launch: (x, config) => nothing.launch(config, x, 0n),
    gpu: "W7756",
    emulator: "W9003",
    who: /of block \(0, 0, 0\)/,
  },
  of("vector", {
    gpu: "W7757",
    emulator: "W9009",
    who: /one of the threads \d+ to \d+ of block \(0, 0, 0\).*, at ld\.global\.v2\.s32\./,
  }),
  of("shared", {
    gpu: "W7758",
    emulator: "W9008",
    who: /one of the threads \d+ to \d+ of block \(\d, 0, 0\).*, at st\.shared\.b32\./,
  }),
  of("farShared", {
    gpu: "W7759",
    emulator: "W9008",
    who: /one of the threads \d+ to \d+ of block \(\d, 0, 0\).*, at st\.shared\.b32\./,
  }),
  of("oddShared", {
    gpu: "W7757",
    emulator: "W9009",
    who: /one of the threads \d+ to \d+ of block \(0, 0, 0\).*, at ld\.shared\.s32\./,
  }),
  of("matrixRow", { gpu: "W7757", emulator: "W9111", who: /threads 0 to 31 of block \(0, 0, 0\), at ldmatrix/ }),
  {
    name: "bulkFrom",
    launch: (x, config) => bulkFrom.launch(config, x, nowhere),
    ...{ gpu: "W7756", emulator: "W9003", who: /threads? 0( to 31)? of block \(0, 0, 0\), at cp\.async\.bulk/ },
  },
  of("oddBulk", { gpu: "W7757", emulator: "W9111", who: /threads? 0( to 31)? of block \(0, 0, 0\), at cp\.async\.bulk/ }),
  of("arrivals", {
    gpu: "W7759",
    emulator: "W9105",
    who: /one of the threads \d+ to \d+ of block \(0, 0, 0\).*, at mbarrier\.arrive/,
  }),
  of("rank", { gpu: "W7758", emulator: "W9116", who: /one of the threads 0 to 31 of block \(\d, 0, 0\)/ }),
  of("ended", { gpu: "W7761", emulator: "W9217", who: /ended/, noLine: true }),
  of("trap", { gpu: "W7760", emulator: "W9003", who: /: thread \(1, 4, 0\) of block \(1, 0, 0\)/ }),
  of("asserted", { gpu: "W7515", emulator: "W7515", who: /thread \d+ of block \(0, 0, 0\)/ }),
  of("bounds", { gpu: "W7525", emulator: "W7525", who: /thread 6[123] of block \(0, 0, 0\)/ }),
];
