import type { Change } from "./said.ts";

/** Products small enough for the emulator, each with what makes a piece matter: see kernel-removals.test.ts. */
export type Setup =
  | "cooperative"
  | "running"
  | "cluster"
  | "pingpong"
  | "byWarps"
  | "columns"
  | "unaligned"
  | "shortRing"
  | "overlapping";

/** A change of the kernel behind `matmul`, in src/kernels/<file>.ts. */
export interface KernelRemoval extends Change {
  readonly file: "gemm" | "load" | "compute" | "multiply" | "store-tile" | "epilogue";
  /** Where it matters. */
  readonly setups: readonly Setup[];
  /** It takes a timing that shows it. */
  readonly someSchedule?: true;
}

const under = (setups: readonly Setup[], removals: readonly Omit<KernelRemoval, "setups">[]): readonly KernelRemoval[] =>
  removals.map((removal) => ({ ...removal, setups }));

const product = "    D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait });";
const oneTile: readonly Setup[] = ["cooperative", "running"];

/** The ring, and what begins it. */
const ring: readonly KernelRemoval[] = [
  ...under(
    ["cooperative"],
    [
      { file: "load", text: "  if (peers === 1) started.arrive();", instead: "", codes: ["W9001"], at: "put.acquire" },
      { file: "compute", text: "  if (peers === 1) started.sync();", instead: "", codes: ["W9212", "W9102"], at: "get.wait" },
      { file: "gemm", text: "      ring.init({ sync: peers > 1 });", instead: "", codes: ["W9102"], at: "" },
      { file: "gemm", text: "(pingpong ? 1 : consumers) * WARPS", instead: "WARPS", codes: ["W9207", "W9214", "W9215"], at: "" },
      {
        file: "load",
        text: "(rows + columns.whole + columns.rest) * TILE_K * 2",
        instead: "rows * TILE_K * 2",
        codes: ["W9215", "W9001"],
        at: "",
      },
      { file: "load", text: "count * rows * 128", instead: "rows * 128", codes: ["W9215"], at: ".load(panel" },
      {
        file: "multiply",
        text: "    if (wait === 0) release(get, peers, true);\n    else",
        instead: "    if (wait > 0)",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "multiply",
        text: `${product}\n    if (wait === 0) release(get, peers, true);\n    else release(held`,
        instead: `    if (wait === 0) release(get, peers, true);\n${product}\n    if (wait > 0) release(held`,
        codes: ["W9207"],
        at: "map.load",
      },
    ],
  ),
  ...under(oneTile, [{ file: "multiply", text: "    get.wait();\n    D", instead: "    D", codes: ["W9204"], at: "D.mma" }]),
  ...under(
    ["running"],
    [
      { file: "multiply", text: "k > 0, wait }", instead: "k > 0 }", codes: ["W9207"], at: "map.load" },
      { file: "multiply", text: "    else release(held, peers, k > 0);", instead: "", codes: ["W9001"], at: "put.acquire" },
      {
        file: "multiply",
        text: "release(held, peers, k > 0)",
        instead: "release(held, peers, true)",
        codes: ["W9207", "W9105", "W9214"],
        at: "",
      },
      {
        file: "multiply",
        text: "release(held, peers, k > 0)",
        instead: "release(get, peers, true)",
        codes: ["W9207", "W9105", "W9214"],
        at: "",
      },
      {
        file: "compute",
        text: "  if (plan.wait > 0) release(done.held, peers, true);",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "compute",
        text: "  wgmma.wait(0);\n  if (plan.wait > 0) release(done.held, peers, true);",
        instead: "  if (plan.wait > 0) release(done.held, peers, true);\n  wgmma.wait(0);",
        codes: ["W9207"],
        at: "load(",
      },
      { file: "compute", text: "  wgmma.wait(0);", instead: "", codes: ["W6001"], at: "" },
    ],
  ),
  ...under(
    ["cooperative"],
    [
      {
        file: "compute",
        text: "  wgmma.wait(0);",
        instead: "",
        codes: [],
        harmless: "each product has been waited for: wait is 0",
      },
    ],
  ),
];

/** Blocks that load for each other. */
const cluster: readonly KernelRemoval[] = under(
  ["cluster"],
  [
    {
      file: "gemm",
      text: "ring.init({ sync: peers > 1 });",
      instead: "ring.init({ sync: false });",
      codes: ["W9217", "W9212", "W9102"],
      at: "",
    },
    { file: "gemm", text: "WARPS, peers }", instead: "WARPS }", codes: ["W9212", "W9217", "W9102", "W9001"], at: "" },
    { file: "load", text: "{ multicast: 2 ** peers - 1 }", instead: "{}", codes: ["W9001"], at: "" },
    { file: "load", text: "  if (peers > 1) put.drain();", instead: "", codes: ["W9217"], at: ".release" },
    {
      file: "multiply",
      text: "warp.lane < peers && pred, rank",
      instead: "warp.lane < 1 && pred, rank",
      codes: ["W9001"],
      at: "put.acquire",
    },
    {
      file: "multiply",
      text: "  else stage.release({ pred: warp.lane < peers && pred, rank: warp.lane });",
      instead: "",
      codes: ["W9001"],
      at: "put.acquire",
    },
  ],
);

/** Consumers that take turns. */
const pingpong: readonly KernelRemoval[] = under(
  ["pingpong"],
  [
    { file: "compute", text: "  if (pingpong) mine.sync();", instead: "", codes: ["W9204", "W9207"], at: "" },
    {
      file: "compute",
      text: "if (pingpong && part.follows)",
      instead: "if (pingpong && part.row < 0)",
      codes: ["W9001"],
      at: "put.acquire",
    },
    {
      file: "compute",
      text: "if (pingpong && part.follows)",
      instead: "if (pingpong)",
      codes: [],
      harmless: "an arrival that nobody waits for is gone with the block",
    },
    {
      file: "compute",
      text: "  if (pingpong && wg === 1) consumer.other.arrive();",
      instead: "",
      codes: ["W9001"],
      at: "put.acquire",
    },
    {
      file: "compute",
      text: ".next(pingpong ? wg * (turns + more) : 0)",
      instead: "",
      codes: ["W9204", "W9207", "W9001"],
      at: "",
    },
    { file: "compute", text: ".next(pingpong ? turns + more : 0)", instead: "", codes: ["W9204", "W9001"], at: "" },
  ],
);

/** The other consumer skips what comes for an epilogue: loads that end in another order than they began in would be taken for it. */
const skipped: KernelRemoval = {
  file: "compute",
  setups: ["shortRing"],
  text: "    for (const i of staticRange(more)) done.get.next(i).wait();",
  instead: "",
  codes: ["W9204", "W9207"],
  at: "",
  someSchedule: true,
};

const reuse = "    if (reused && leader) tma.wait(turn === 0 ? 0 : count - 1, { read: true });";
const filled = "    if (d instanceof TMA || ring || fetched) meet();";

/** How a tile leaves. */
const tileEnd: readonly KernelRemoval[] = [
  ...under(
    ["cooperative", "byWarps"],
    [
      { file: "store-tile", text: reuse, instead: "", codes: ["W9205"], at: "result.store" },
      { file: "store-tile", text: "      tma.commit();", instead: "", codes: ["W9205"], at: "result.store" },
      {
        file: "store-tile",
        text: "    if (d instanceof TMA || ring) fence.proxyAsync(",
        instead: "    if (!d) fence.proxyAsync(",
        codes: ["W9202"],
        at: "d.store",
      },
      {
        file: "compute",
        text: '  if (thread % (plan.stores === "warp" ? 32 : 128) === 0) tma.wait(0, { read: true });',
        instead: "",
        codes: ["W9216"],
        at: "d.store",
      },
      {
        file: "store-tile",
        text: "    if (reused || (turn === 0 && fetched)) meet();",
        instead: "",
        codes: ["W9205", "W9201"],
        at: "",
      },
    ],
  ),
  ...under(
    ["cooperative"],
    [
      {
        file: "store-tile",
        text: "(reused || (turn === 0 && fetched))",
        instead: "(turn === 0 && fetched)",
        codes: ["W9201", "W9205"],
        at: "",
      },
      {
        file: "store-tile",
        text: "turn === 0 ? 0 : count - 1",
        instead: "turn === 0 ? 0 : count",
        codes: ["W9205"],
        at: "result.store",
      },
      {
        file: "store-tile",
        text: "turn === 0 ? 0 : count - 1",
        instead: "turn === 0 ? 1 : count - 1",
        codes: ["W9205"],
        at: "result.store",
      },
      { file: "store-tile", text: filled, instead: "", codes: ["W9201", "W9202", "W9205"], at: "" },
    ],
  ),
  ...under(
    ["byWarps"],
    [
      {
        file: "store-tile",
        text: "      if (alone) syncWarp();\n      else",
        instead: "      if (!alone)",
        codes: ["W9201", "W9205"],
        at: "",
      },
      { file: "store-tile", text: filled, instead: "", codes: ["W9201", "W9202"], at: "", strictOnly: true },
    ],
  ),
];

/** What an epilogue reads. */
const inputs: readonly KernelRemoval[] = [
  ...under(
    ["cooperative", "pingpong"],
    [
      {
        file: "store-tile",
        text: "  if (number === 0 && c % 64 === 0) get.wait();",
        instead: "",
        codes: ["W9204"],
        at: ".load(ring.panel",
      },
      { file: "store-tile", text: "    if (emptied) ring?.release(emptied);", instead: "", codes: ["W9001"], at: "put.acquire" },
    ],
  ),
  // In both, the ring already has one lane of each warp wait for the others' warps: it is the lanes of a warp that are not ordered.
  ...under(
    ["unaligned"],
    [
      {
        file: "store-tile",
        text: "(d instanceof TMA || ring) fence",
        instead: "(d instanceof TMA) fence",
        codes: ["W9203"],
        at: "",
        strictOnly: true,
      },
      {
        file: "store-tile",
        text: "(d instanceof TMA || ring || fetched) meet",
        instead: "(d instanceof TMA || fetched) meet",
        codes: ["W9204", "W9208"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  ...under(
    ["columns"],
    [
      { file: "store-tile", text: "(reused || (turn === 0 && fetched))", instead: "(reused)", codes: ["W9201", "W9209"], at: "" },
      {
        file: "store-tile",
        text: "(d instanceof TMA || ring || fetched) meet",
        instead: "(d instanceof TMA || ring) meet",
        codes: ["W9201"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  {
    file: "epilogue",
    setups: ["cooperative"],
    text: "view.at(wg, c + thread).store",
    instead: "view.at(0, c + thread).store",
    codes: ["W9201", "W9209"],
    at: "",
  },
];

/** What lets launches overlap. */
const launches: readonly KernelRemoval[] = under(
  ["overlapping"],
  [
    { file: "gemm", text: "      if (overlaps) gridDependency.wait();", instead: "", codes: ["W7518"], at: "kernel.launch" },
    {
      file: "gemm",
      text: "if (overlaps) gridDependency.wait()",
      instead: "if (overlaps && threadIdx.x === 128) gridDependency.wait()",
      codes: ["W9225"],
      at: "load",
    },
    {
      file: "gemm",
      text: "if (overlaps) gridDependency.wait()",
      instead: "if (overlaps && threadIdx.x === 0) gridDependency.wait()",
      codes: [],
      harmless: "this thread loads, and all others meet it when the ring is made",
    },
    {
      file: "load",
      text: "  if (problem.overlaps) gridDependency.launchDependents();",
      instead: "",
      codes: [],
      harmless: "the end of a block lets the next launch begin, too: it only begins later",
    },
  ],
);

export const kernelRemovals: readonly KernelRemoval[] = [
  ...ring,
  ...cluster,
  ...pingpong,
  skipped,
  ...tileEnd,
  ...inputs,
  ...launches,
];
