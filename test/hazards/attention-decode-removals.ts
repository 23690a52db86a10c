import type { Change } from "./said.ts";

/** A change of the kernel behind `attentionDecode`, in src/kernels/attention/decode/<file>.ts. */
export interface DecodeRemoval extends Change {
  readonly file: "kernel" | "load" | "compute" | "combine";
  /** Whether it counts where 33 heads share keys of 256 elements, whose output is stored by rows. */
  readonly wide?: true;
}

const Q_LOAD = "  for (const from of staticRange(0, all, width)) loadColumns(computing, segment, from, width);\n";
const Q_FREE = "  if (first === 0) warpgroup.sync(); // nobody multiplies the queries before these any more\n";
const O_STORE = "  result.store(q.transpose(1, 0));\n";
const Q_FENCE = `${Q_LOAD}  fence.proxyAsync({ space: "shared::cta" });\n  warpgroup.sync();\n`;
const P_FENCE = '    fence.proxyAsync({ space: "shared::cta" });\n    warpgroup.sync();\n';

/** What is taken out of the kernel behind `attentionDecode`: see families/decode.ts. */
export const decodeRemovals: readonly DecodeRemoval[] = [
  { file: "kernel", text: "      syncThreads();\n", instead: "", codes: ["W9212"] },
  { file: "load", text: "put.acquire(k.at(0).bytes)", instead: "put.acquire(k.at(0).bytes / 2)", codes: ["W9001"] },
  { file: "load", text: "putV.acquire(v.at(0).bytes)", instead: "putV.acquire(v.at(0).bytes / 2)", codes: ["W9001"] },
  {
    file: "compute",
    text: Q_FREE,
    instead: "",
    codes: [],
    harmless: "sums of the segment before met in shared memory after its last product",
  },
  {
    file: "compute",
    text: Q_FREE,
    instead: "",
    codes: [],
    wide: true,
    harmless: "a thread puts queries where it has read the output",
  },
  { file: "compute", text: `${O_STORE}  warpgroup.sync();\n`, instead: O_STORE, codes: ["W9201"], wide: true },
  { file: "compute", text: Q_FENCE, instead: `${Q_LOAD}  warpgroup.sync();\n`, codes: ["W9202"], at: ".mma(K" },
  {
    file: "compute",
    text: Q_FENCE,
    instead: `${Q_LOAD}  fence.proxyAsync({ space: "shared::cta" });\n`,
    codes: [],
    harmless: "where the largest scores begin, the warps meet in shared memory before the first product",
  },
  { file: "compute", text: "    getK.wait();\n", instead: "", codes: ["W9204"], at: ".mma(K" },
  { file: "compute", text: "    getK.release({ pred: warp.lane === 0 });\n", instead: "", codes: ["W9001"] },
  { file: "compute", text: "    getV.wait();\n", instead: "", codes: ["W9204"], at: ".mma(V" },
  { file: "compute", text: P_FENCE, instead: "    warpgroup.sync();\n", codes: ["W9202"], at: ".mma(V" },
  {
    file: "compute",
    text: P_FENCE,
    instead: '    fence.proxyAsync({ space: "shared::cta" });\n',
    codes: ["W9201"],
    at: ".mma(V",
  },
  { file: "compute", text: "    getV.release({ pred: warp.lane === 0 });\n", instead: "", codes: ["W9001"] },
  {
    file: "compute",
    text: "      warpgroup.sync();\n      if (warpgroup.thread === 0) {",
    instead: "      if (warpgroup.thread === 0) {",
    codes: ["W9201"],
  },
  { file: "compute", text: '{ order: "acq_rel" }', instead: '{ order: "relaxed" }', codes: ["W9201"] },
  {
    file: "compute",
    text: "      warpgroup.sync();\n      if (arrived[0]",
    instead: "      if (arrived[0]",
    codes: ["W9201"],
    at: "arrived[0]",
  },
];
