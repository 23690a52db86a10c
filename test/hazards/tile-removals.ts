import { type KernelRemoval, under } from "./kernel-removal.ts";

/** Consumers that take turns. */
const pingpong: readonly KernelRemoval[] = under(
  ["pingpong"],
  [
    { file: "kernel/compute", text: "    other.arrive();", instead: "", codes: ["W9001"], at: "put.acquire" },
    {
      file: "kernel/compute",
      text: "if (pingpong && part.follows)",
      instead: "if (pingpong)",
      codes: [],
      harmless: "an arrival that nobody waits for is gone with the block",
    },
    {
      file: "kernel/compute",
      text: "  if (pingpong && wg === 1) consumer.other.arrive();",
      instead: "",
      codes: ["W9001"],
      at: "put.acquire",
    },
    {
      file: "kernel/compute",
      text: ".next(pingpong ? wg * (iters + more) : 0)",
      instead: "",
      codes: ["W9204", "W9207", "W9001"],
      at: "",
    },
    { file: "kernel/compute", text: ".next(pingpong ? iters + more : 0)", instead: "", codes: ["W9204", "W9001"], at: "" },
  ],
);

/** Without turns it is only where few stages bring the consumers to the same one that the mbarriers' parities are mistaken. */
const turn: KernelRemoval = {
  file: "kernel/compute",
  setups: ["shortPipeline"],
  text: "  if (pingpong) mine.sync();",
  instead: "",
  codes: ["W9204", "W9207", "W9214", "W9226"],
  at: "",
};

/** The other consumer skips what comes for an epilogue: loads that end in another order than they began in would be taken for it. */
const skipped: KernelRemoval = {
  file: "kernel/compute",
  setups: ["shortPipeline"],
  text: "    for (const i of staticRange(more)) behind.next(i).wait();",
  instead: "",
  codes: ["W9204", "W9207"],
  at: "",
  someSchedule: true,
};

const reuse = "    if (reused && leader) tma.wait(iter === 0 ? 0 : count - 1, { read: true });";
const filled = "    if (byTma || pipe || fetched) meet();";

/** How a tile leaves. */
const tileEnd: readonly KernelRemoval[] = [
  ...under(
    ["cooperative", "byWarps", "further"],
    [
      { file: "kernel/store-tile", text: reuse, instead: "", codes: ["W9205"], at: "result.store" },
      { file: "kernel/store-tile", text: "      tma.commit();", instead: "", codes: ["W9205"], at: "result.store" },
      {
        file: "kernel/store-tile",
        text: "    if (byTma || pipe) fence.proxyAsync(",
        instead: "    if (!byTma) fence.proxyAsync(",
        codes: ["W9202"],
        at: "to.store",
      },
      {
        file: "kernel/compute",
        text: '  if (thread % (plan.stores === "warp" ? 32 : 128) === 0) tma.wait(0, { read: true });',
        instead: "",
        codes: ["W9216"],
        at: "to.store",
      },
      {
        file: "kernel/store-tile",
        text: "    if (reused || (iter === 0 && fetched)) meet();",
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
        file: "kernel/store-tile",
        text: "(reused || (iter === 0 && fetched))",
        instead: "(iter === 0 && fetched)",
        codes: ["W9201", "W9205"],
        at: "",
      },
      {
        file: "kernel/store-tile",
        text: "iter === 0 ? 0 : count - 1",
        instead: "iter === 0 ? 0 : count",
        codes: ["W9205"],
        at: "result.store",
      },
      {
        file: "kernel/store-tile",
        text: "iter === 0 ? 0 : count - 1",
        instead: "iter === 0 ? 1 : count - 1",
        codes: ["W9205"],
        at: "result.store",
      },
      { file: "kernel/store-tile", text: filled, instead: "", codes: ["W9201", "W9202", "W9205"], at: "" },
    ],
  ),
  ...under(
    ["byWarps"],
    [
      {
        file: "kernel/store-tile",
        text: "      if (alone) syncWarp();\n      else",
        instead: "      if (!alone)",
        codes: ["W9201", "W9205"],
        at: "",
      },
      { file: "kernel/store-tile", text: filled, instead: "", codes: ["W9201", "W9202"], at: "", strictOnly: true },
    ],
  ),
];

/** What an epilogue reads. */
const inputs: readonly KernelRemoval[] = [
  ...under(
    ["cooperative", "pingpong", "tall"],
    [
      {
        file: "kernel/store-tile",
        text: "  if (number === 0 && c % 64 === 0) get.wait();",
        instead: "",
        codes: ["W9204"],
        at: ".load(pipe.panel",
      },
      {
        file: "kernel/compute",
        text: "release: (stage) => release(stage, peers, true)",
        instead: "release: () => {}",
        codes: ["W9001"],
        at: "put.acquire",
      },
    ],
  ),
  ...under(
    ["cooperative", "tall"],
    [
      {
        file: "kernel/store-tile",
        text: "    if (emptied) pipe?.release(emptied);",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
    ],
  ),
  ...under(
    ["pingpong", "shortPipeline"],
    [
      {
        file: "kernel/store-tile",
        text: "  for (const { emptied } of panels) if (emptied) pipe.release(emptied);",
        instead: "",
        codes: ["W9001"],
        at: "put.acquire",
      },
      {
        file: "kernel/store-tile",
        text: '  fence.proxyAsync({ space: "shared::cta" });\n  syncWarp',
        instead: "  syncWarp",
        codes: ["W9203"],
        at: "",
        strictOnly: true,
      },
      {
        file: "kernel/store-tile",
        text: "  syncWarp();\n  for",
        instead: "  for",
        codes: ["W9204", "W9208"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  // In both, the pipeline already has one lane of each warp wait for the others' warps: it is the lanes of a warp that are not ordered.
  ...under(
    ["unaligned"],
    [
      {
        file: "kernel/store-tile",
        text: "(byTma || pipe) fence",
        instead: "(byTma) fence",
        codes: ["W9203"],
        at: "",
        strictOnly: true,
      },
      {
        file: "kernel/store-tile",
        text: "(byTma || pipe || fetched) meet",
        instead: "(byTma || fetched) meet",
        codes: ["W9204", "W9208"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  ...under(
    ["columns"],
    [
      {
        file: "kernel/store-tile",
        text: "(reused || (iter === 0 && fetched))",
        instead: "(reused)",
        codes: ["W9201", "W9209"],
        at: "",
      },
      {
        file: "kernel/store-tile",
        text: "(byTma || pipe || fetched) meet",
        instead: "(byTma || pipe) meet",
        codes: ["W9201"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  ...under(
    ["byThreads"],
    [
      {
        file: "kernel/store-rows",
        text: "  if (c === from) syncWarp();",
        instead: "",
        codes: ["W9201"],
        at: "",
        strictOnly: true,
      },
      {
        file: "kernel/store-rows",
        text: "  syncWarp(); // all lanes",
        instead: "  // all lanes",
        codes: ["W9201"],
        at: "",
        strictOnly: true,
      },
    ],
  ),
  {
    file: "epilogue/epilogue",
    setups: ["cooperative"],
    text: "view.at(wg, c + thread).store",
    instead: "view.at(0, c + thread).store",
    codes: ["W9201", "W9209"],
    at: "",
  },
];

/** Whose turn it is, and how a tile leaves. */
export const tileRemovals: readonly KernelRemoval[] = [...pingpong, turn, skipped, ...tileEnd, ...inputs];
