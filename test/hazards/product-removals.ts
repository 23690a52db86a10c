import { type KernelRemoval, type Setup, under } from "./kernel-removal.ts";

const products = `    sums = sums.map((D, i) => {
      const B = parts[i] as Operand;
      return D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, ...(i === parts.length - 1 ? { wait } : {}) });
    });`;
const waits = "k > 0, ...(i === parts.length - 1 ? { wait } : {}) }";
const releaseHeld = "    if (plan.wait > 0) release(done.held, peers, true);";
const oneTile: readonly Setup[] = ["cooperative", "running"];

/** The pipeline, and what begins it. */
const pipeline: readonly KernelRemoval[] = [
  ...under(
    ["cooperative"],
    [
      {
        file: "kernel/load",
        text: "  else if (peers === 1) started.arrive();",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
      { file: "kernel/compute", text: "    started.sync();", instead: "", codes: ["W9212", "W9102"], at: "get.wait" },
      { file: "kernel/gemm", text: "    pipe.init({ sync: peers > 1 });", instead: "", codes: ["W9102"], at: "" },
      {
        file: "kernel/gemm",
        text: "(pingpong ? 1 : consumers) * WARPS",
        instead: "WARPS",
        codes: ["W9207", "W9214", "W9215"],
        at: "",
      },
      {
        file: "kernel/load",
        text: "loadedByTma * TILE_K * 2",
        instead: "rows * TILE_K * 2",
        codes: ["W9215", "W9001"],
        at: "",
      },
      { file: "kernel/load", text: "count * rows * 128", instead: "rows * 128", codes: ["W9215"], at: ".load(panel" },
      {
        file: "kernel/multiply",
        text: "    if (wait === 0) release(get, peers, true);\n    else",
        instead: "    if (wait > 0)",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "kernel/multiply",
        text: `${products}\n    if (wait === 0) release(get, peers, true);\n    else release(held`,
        instead: `    if (wait === 0) release(get, peers, true);\n${products}\n    if (wait > 0) release(held`,
        codes: ["W9207"],
        at: "map.load",
      },
    ],
  ),
  ...under(oneTile, [
    { file: "kernel/multiply", text: "    get.wait();\n    sums", instead: "    sums", codes: ["W9204"], at: "D.mma" },
  ]),
  ...under(
    ["running"],
    [
      {
        file: "kernel/multiply",
        text: "    else release(held, peers, k > 0);",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "kernel/multiply",
        text: "release(held, peers, k > 0)",
        instead: "release(held, peers, true)",
        codes: ["W9207", "W9105", "W9214"],
        at: "",
      },
      {
        file: "kernel/multiply",
        text: "release(held, peers, k > 0)",
        instead: "release(get, peers, true)",
        codes: ["W9207", "W9105", "W9214"],
        at: "",
      },
      { file: "kernel/compute", text: releaseHeld, instead: "", codes: ["W9001"], at: "put.acquire" },
      {
        file: "kernel/compute",
        text: `    wgmma.wait(later * apart);\n    if (later > 0) return;\n${releaseHeld}`,
        instead: `${releaseHeld}\n    wgmma.wait(later * apart);`,
        codes: ["W9207"],
        at: "load(",
      },
      { file: "kernel/compute", text: "    wgmma.wait(later * apart);", instead: "", codes: ["W6001"], at: "" },
      { file: "kernel/store-tile", text: "  finish(0);", instead: "", codes: ["W6001"], at: "" },
    ],
  ),
  ...under(
    ["cooperative"],
    [
      {
        file: "kernel/compute",
        text: "    wgmma.wait(later * apart);",
        instead: "",
        codes: [],
        harmless: "each product has been waited for: wait is 0",
      },
    ],
  ),
  ...under(
    ["cooperative", "running", "leftOne", "leftTwo"],
    [
      {
        file: "kernel/multiply",
        text: "  if (peers === 1) stage.release({ pred: warp.lane === 0 && pred });\n  else stage",
        instead: "  if (peers > 1) stage",
        codes: ["W9001"],
        at: "put.acquire",
      },
      { file: "kernel/multiply", text: waits, instead: "k > 0 }", codes: ["W9207"], at: "map.load" },
      {
        file: "kernel/multiply",
        text: "{ wait } :",
        instead: "{ wait: wait + parts.length } :",
        codes: ["W9207"],
        at: "map.load",
      },
    ],
  ),
];

const lefts: readonly Setup[] = ["leftOne", "leftOneInput", "leftTwo", "leftTwoInput"];
const keptStages = "    for (const i of staticRange(apart)) release(done.get.next(i), peers, true);";

/** Left columns that are stored while the right ones are multiplied. */
const left: readonly KernelRemoval[] = [
  ...under(lefts, [
    {
      file: "kernel/multiply",
      text: "  for (const i of staticRange(iters)) from.next(i).wait();",
      instead: "",
      codes: ["W9204"],
      at: "D.mma(A.at(index)",
    },
    {
      file: "kernel/compute",
      text: "if (later > 0) return;",
      instead: "if (later === 0) return;",
      codes: ["W9207"],
      at: "map.load",
    },
    {
      file: "kernel/compute",
      text: "    if (later > 0) return;",
      instead: "",
      codes: ["W9207", "W9105", "W9214"],
      at: "",
    },
    { file: "kernel/compute", text: keptStages, instead: "", codes: ["W9001"], at: "put.acquire" },
  ]),
  ...under(
    ["leftOne", "leftTwo"],
    [
      { file: "kernel/compute", text: "    wgmma.wait(later * apart);", instead: "", codes: ["W6001"], at: "" },
      {
        file: "kernel/compute",
        text: "wgmma.wait(later * apart)",
        instead: "wgmma.wait(later * apart + 1)",
        codes: ["W6001"],
        at: "",
      },
      { file: "kernel/store-tile", text: "  finish(0);", instead: "", codes: ["W6001"], at: "" },
      { file: "kernel/store-tile", text: "    if (c === left) finish(1);", instead: "", codes: ["W6001"], at: "" },
    ],
  ),
  ...under(
    ["leftTwo"],
    [{ file: "kernel/multiply", text: "i === parts.length - 1", instead: "i === 0", codes: ["W9207"], at: "map.load" }],
  ),
  ...under(
    ["leftOne"],
    [
      {
        file: "kernel/multiply",
        text: "i === parts.length - 1",
        instead: "i === 0",
        codes: [],
        harmless: "the one that is left running is of this stage, and it is the stage before that is handed back",
      },
    ],
  ),
  ...under(
    ["leftTwo", "leftTwoInput"],
    [
      {
        file: "kernel/multiply",
        text: "  for (const i of staticRange(iters)) from.next(i).wait();",
        instead: "  if (iters > 0) from.wait();",
        codes: ["W9204"],
        at: "D.mma(A.at(index)",
      },
      {
        file: "kernel/compute",
        text: "staticRange(apart)",
        instead: "staticRange(apart - 1)",
        codes: ["W9001"],
        at: "put.acquire",
      },
    ],
  ),
  ...under(
    ["leftOne", "leftTwoInput"],
    [
      { file: "kernel/compute", text: releaseHeld, instead: "", codes: ["W9001"], at: "put.acquire" },
      {
        file: "kernel/compute",
        text: `    wgmma.wait(later * apart);\n    if (later > 0) return;\n${releaseHeld}`,
        instead: `    if (later > 0 && plan.wait > 0) release(done.held, peers, true);\n    wgmma.wait(later * apart);\n    if (later > 0) return;`,
        codes: ["W9207"],
        at: "load(",
      },
      {
        file: "kernel/compute",
        text: `    if (later > 0) return;\n${releaseHeld}`,
        instead: `    if (later > 0 && plan.wait > 0) release(done.held, peers, true);\n    if (later > 0) return;`,
        codes: [],
        harmless: "the products that were kept running came before those of the left columns, which are done",
      },
    ],
  ),
  ...under(
    ["leftOneInput", "leftTwoInput"],
    [
      {
        file: "kernel/store-tile",
        text: "  if (number === 0 && c % 64 === 0) get.wait();",
        instead: "",
        codes: ["W9204"],
        at: ".load(",
      },
      {
        file: "kernel/store-tile",
        text: "    if (emptied) pipe?.release(emptied);",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "kernel/compute",
        text: "done.get.next(apart)",
        instead: "done.get",
        codes: ["W9215", "W9204", "W9207", "W9208", "W9001"],
        at: "",
      },
    ],
  ),
];

/** Two matrices B for one A. */
const pair: readonly KernelRemoval[] = [
  ...under(
    ["pair", "pairSplit"],
    [
      {
        file: "kernel/load",
        text: "matrices * (columns.whole + columns.rest)",
        instead: "(columns.whole + columns.rest)",
        codes: ["W9215", "W9001", "W9204"],
        at: "",
      },
      { file: "kernel/multiply", text: "    get.wait();\n    sums", instead: "    sums", codes: ["W9204"], at: "D.mma" },
      {
        file: "kernel/multiply",
        text: "{ wait } :",
        instead: "{ wait: wait + parts.length } :",
        codes: ["W9207"],
        at: "map.load",
      },
    ],
  ),
  ...under(
    ["pair"],
    [
      {
        file: "kernel/compute",
        text: "(values[0] ?? []).length",
        instead: "sums.length",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "kernel/multiply",
        text: "release(held, peers, k > 0)",
        instead: "release(get, peers, true)",
        codes: ["W9207", "W9105", "W9214"],
        at: "",
      },
      { file: "kernel/compute", text: "    wgmma.wait(later * apart);", instead: "", codes: ["W6001"], at: "" },
      { file: "kernel/store-tile", text: "  finish(0);", instead: "", codes: ["W6001"], at: "" },
    ],
  ),
  ...under(
    ["pairSplit"],
    [
      { file: "kernel/compute", text: "  if (exchange) finish(0);", instead: "", codes: ["W6001"], at: "" },
      { file: "kernel/exchange", text: "  full.wait(parity);", instead: "", codes: ["W9204"], at: "" },
      { file: "kernel/exchange", text: "  empty.wait(!parity);", instead: "", codes: ["W9215"], at: "" },
    ],
  ),
];

/** What tiles have of rows is put together by a launch that begins before the product ends. */
const rows: readonly KernelRemoval[] = under(
  ["rows"],
  [
    { file: "launch/combine", text: "      gridDependency.wait();", instead: "", codes: ["W7518"], at: "kernel.launch" },
    {
      file: "launch/combine",
      text: "      gridDependency.wait();",
      instead: "      if (threadIdx.x === 0) gridDependency.wait();",
      codes: ["W9225"],
      at: "load",
    },
    { file: "launch/combine", text: "      syncThreads();", instead: "", codes: ["W9201"], at: "store(all)" },
  ],
);

/** Blocks that load for each other. */
const cluster: readonly KernelRemoval[] = under(
  ["cluster"],
  [
    {
      file: "kernel/gemm",
      text: "pipe.init({ sync: peers > 1 });",
      instead: "pipe.init({ sync: false });",
      codes: ["W9217", "W9212", "W9102"],
      at: "",
    },
    { file: "kernel/gemm", text: "WARPS, peers }", instead: "WARPS }", codes: ["W9212", "W9217", "W9102", "W9001"], at: "" },
    { file: "kernel/load", text: "multicast: 2 ** peers - 1 }", instead: "}", codes: ["W9001"], at: "" },
    { file: "kernel/load", text: "  if (peers > 1) put.drain();", instead: "", codes: ["W9217"], at: ".release" },
    {
      file: "kernel/multiply",
      text: "warp.lane < peers && pred, rank",
      instead: "warp.lane < 1 && pred, rank",
      codes: ["W9001"],
      at: "put.acquire",
    },
    {
      file: "kernel/multiply",
      text: "  else stage.release({ pred: warp.lane < peers && pred, rank: warp.lane });",
      instead: "",
      codes: ["W9001"],
      at: "put.acquire",
    },
  ],
);

/** Operands that are copied first, by a launch that overlaps the one before. */
const copies: readonly KernelRemoval[] = under(
  ["copied"],
  [
    {
      file: "launch/copy-lines",
      text: "      if (overlaps) gridDependency.wait();",
      instead: "",
      codes: ["W7518"],
      at: "kernel.launch",
    },
    {
      file: "launch/copy-lines",
      text: "      if (overlaps) gridDependency.wait();",
      instead: "      if (overlaps && threadIdx.x === 0) gridDependency.wait();",
      codes: ["W9225"],
      at: "load",
    },
    {
      file: "launch/copy-lines",
      text: "      gridDependency.launchDependents();",
      instead: "",
      codes: [],
      harmless: "the end of a block lets the product begin, too: it only begins later",
    },
    {
      file: "kernel/gemm",
      text: "if (overlaps) gridDependency.wait()",
      instead: "if (overlaps && threadIdx.x === 128) gridDependency.wait()",
      codes: ["W9225"],
      at: "load",
    },
  ],
);

const waitOfInput = "      put.wait(); // no warp arrives twice while a stage is filled";

/** Operands that threads load, in stages between which an input of the epilogue comes. */
const byThreads: readonly KernelRemoval[] = [
  ...under(
    ["threads", "threadsAndTma"],
    [
      { file: "kernel/load", text: "started.sync()", instead: "started.arrive()", codes: ["W9212", "W9102"], at: "" },
      { file: "kernel/load-by-threads", text: "  put.wait();", instead: "", codes: ["W9207", "W9214"], at: "" },
      {
        file: "kernel/load-by-threads",
        text: '  fence.proxyAsync({ space: "shared::cta" });',
        instead: "",
        codes: ["W9202"],
        at: "D.mma",
      },
      { file: "kernel/load-by-threads", text: "  syncWarp();", instead: "", codes: ["W9201", "W9204"], at: "" },
      {
        file: "kernel/load-by-threads",
        text: "  put.commit({ pred: warp.lane === 0 });",
        instead: "",
        codes: ["W9001"],
        at: "",
      },
      {
        file: "kernel/load",
        text: waitOfInput,
        instead: "",
        codes: ["W9105", "W9201", "W9207", "W9214"],
        at: "",
        someSchedule: true,
      },
      { file: "kernel/load", text: "      put.commit({ pred: warp.lane === 0 });", instead: "", codes: ["W9001"], at: "" },
    ],
  ),
  ...under(
    ["threads"],
    [
      { file: "kernel/load", text: "    put.commit();", instead: "", codes: ["W9001"], at: "" },
      {
        file: "kernel/load",
        text: "(more > 0 || !byThreads.a || !byThreads.b ? 1 : 0)",
        instead: "(!byThreads.a || !byThreads.b ? 1 : 0)",
        codes: ["W9201"],
        at: "",
      },
    ],
  ),
];

/** What lets launches overlap. */
const launches: readonly KernelRemoval[] = under(
  ["overlapping"],
  [
    { file: "kernel/gemm", text: "    if (overlaps) gridDependency.wait();", instead: "", codes: ["W7518"], at: "kernel.launch" },
    {
      file: "kernel/gemm",
      text: "if (overlaps) gridDependency.wait()",
      instead: "if (overlaps && threadIdx.x === 128) gridDependency.wait()",
      codes: ["W9225"],
      at: "load",
    },
    {
      file: "kernel/gemm",
      text: "if (overlaps) gridDependency.wait()",
      instead: "if (overlaps && threadIdx.x === 0) gridDependency.wait()",
      codes: [],
      harmless: "this thread loads, and all others meet it when the pipeline is made",
    },
    {
      file: "kernel/load",
      text: "  if (problem.overlaps) gridDependency.launchDependents();",
      instead: "",
      codes: [],
      harmless: "the end of a block lets the next launch begin, too: it only begins later",
    },
  ],
);

/** How stages are brought, multiplied and handed back. */
export const productRemovals: readonly KernelRemoval[] = [
  ...pipeline,
  ...left,
  ...pair,
  ...rows,
  ...cluster,
  ...copies,
  ...byThreads,
  ...launches,
];
