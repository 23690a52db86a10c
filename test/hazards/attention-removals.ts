import type { Change } from "./said.ts";

/** Attention small enough for the emulator, two tiles for one block of threads: see families/attention.ts. */
export type AttentionSetup = "overlap" | "inOrder" | "noTurns" | "overlapping" | "listing" | "packed";

/** A change of the kernel behind `attention`, in src/kernels/attention/<file>.ts. */
export interface AttentionRemoval extends Change {
  readonly file: "flash" | "load" | "compute" | "store" | "mask/kernel";
  /** Where it matters. */
  readonly setup: AttentionSetup;
}

const under = (setup: AttentionSetup, removals: readonly Omit<AttentionRemoval, "setup">[]): readonly AttentionRemoval[] =>
  removals.map((removal) => ({ ...removal, setup }));

const keysOf = (after: string): string => `  getK.wait();\n${after}`;
const inTurn = "  if (plan.turns) mine.sync();\n";
const scores = "  const S = multiplyKeys(consumer, getK);\n";
const CLEARED = '  fence.proxyAsync({ space: "shared::cta" });\n  namedBarrier(12, threads).sync();\n';
const pass = "  if (plan.turns) other.arrive();\n";

/** What is taken out of the kernel behind `attention`. */
export const attentionRemovals: readonly AttentionRemoval[] = [
  ...under("overlap", [
    { file: "flash", text: "      syncThreads();\n", instead: "", codes: ["W9212"], at: "getQ.wait" },
    {
      file: "flash",
      text: " pipe.init({ sync: false })",
      instead: " if (pipe === common.values) pipe.init({ sync: false })",
      codes: ["W9102"],
      at: "maps.q.load",
    },
    {
      file: "flash",
      text: "keys: new Pipeline({ stages, consumers: consumers * WARPS })",
      instead: "keys: new Pipeline({ stages, consumers: WARPS })",
      codes: ["W9214"],
      at: "maps.k.load",
    },
    {
      file: "flash",
      text: "values: new Pipeline({ stages, consumers: consumers * WARPS })",
      instead: "values: new Pipeline({ stages, consumers: WARPS })",
      codes: ["W9214"],
      at: "maps.v.load",
    },
    {
      file: "load",
      text: "put.acquire(k.at(0).bytes)",
      instead: "put.acquire(k.at(0).bytes / 2)",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    {
      file: "load",
      text: "putV.acquire(v.at(0).bytes)",
      instead: "putV.acquire(v.at(0).bytes / 2)",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    {
      file: "load",
      text: "putQ.acquire(q.at(0).bytes)",
      instead: "putQ.acquire(q.at(0).bytes / 2)",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    { file: "compute", text: "  stage.release({ pred: warp.lane === 0 });\n", instead: "", codes: ["W9001"], at: "maps.k.load" },
    { file: "compute", text: "  getV.wait();\n  return O", instead: "  return O", codes: ["W9204"], at: "O.mma(" },
    {
      file: "compute",
      text: `${keysOf(inTurn)}${scores}  const O`,
      instead: `${inTurn}${scores}  const O`,
      codes: ["W9204"],
      at: ".mma(Q",
    },
    { file: "compute", text: `${inTurn}${scores}  const O`, instead: `${scores}  const O`, codes: ["W9226"], at: "other.arrive" },
    { file: "compute", text: `state);\n${pass}`, instead: "state);\n", codes: ["W9001"], at: "maps.k.load" },
    { file: "compute", text: "  wgmma.wait(1);\n", instead: "", codes: ["W6001"], at: "tile.max(" },
    {
      file: "compute",
      text: "  wgmma.wait(1);\n  release(getK);\n",
      instead: "  wgmma.wait(1);\n",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    {
      file: "compute",
      text: "  wgmma.wait(1);\n  release(getK);\n",
      instead: "  release(getK);\n  wgmma.wait(1);\n",
      codes: ["W9207"],
      at: "maps.k.load",
    },
    {
      file: "compute",
      text: "  wgmma.wait(0);\n  release(getV);\n  const P",
      instead: "  release(getV);\n  const P",
      codes: ["W6001"],
      at: "warp.any(by",
    },
    {
      file: "compute",
      text: "  wgmma.wait(0);\n  release(getV);\n  const P",
      instead: "  wgmma.wait(0);\n  const P",
      codes: ["W9001"],
      at: "maps.v.load",
    },
    { file: "compute", text: `${keysOf(scores)}`, instead: scores, codes: ["W9204"], at: ".mma(Q" },
    {
      file: "compute",
      text: `${scores}  wgmma.wait(0);\n  release(getK);\n  const { weights, softmax }`,
      instead: `${scores}  release(getK);\n  const { weights, softmax }`,
      codes: ["W6001"],
      at: "tile.max(",
    },
    {
      file: "compute",
      text: "  wgmma.wait(0);\n  release(getK);\n  const { weights, softmax }",
      instead: "  wgmma.wait(0);\n  const { weights, softmax }",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    {
      file: "compute",
      text: "  wgmma.wait(0);\n  release(state.getV);\n",
      instead: "  release(state.getV);\n",
      codes: ["W6001"],
      at: "const result",
    },
    { file: "compute", text: "  release(state.getV);\n", instead: "", codes: ["W9001"], at: "maps.v.load" },
    { file: "compute", text: "  syncWarp();\n  const by", instead: "  const by", codes: ["W9201"], at: "raised.at(" },
    {
      file: "compute",
      text: "  syncWarp();\n  return result;",
      instead: "  return result;",
      codes: [],
      harmless: "the warp meets at the barrier of the turns before it notes anything again",
    },
    {
      file: "store",
      text: "  together.sync(); // every warp is done with the queries\n",
      instead: "",
      codes: ["W9207"],
      at: "result.store(",
    },
    {
      file: "store",
      text: '  fence.proxyAsync({ space: "shared::cta" });\n  together.sync();\n  if (rows',
      instead: "  together.sync();\n  if (rows",
      codes: ["W9202"],
      at: "out.store(",
    },
    {
      file: "store",
      text: "  together.sync();\n  if (rows",
      instead: "  if (rows",
      codes: ["W9201"],
      at: "out.store(",
    },
    { file: "store", text: "  tma.commit();\n", instead: "", codes: ["W9205"], at: "maps.q.load" },
    { file: "store", text: "  tma.wait(0, { read: true });\n", instead: "", codes: ["W9205"], at: "maps.q.load" },
    { file: "store", text: "  if (plan.persistent) getQ.release();\n", instead: "", codes: ["W9001"], at: "maps.q.load" },
    {
      file: "compute",
      text: "  if (plan.turns && wg === consumers - 1) consumer.other.arrive();",
      instead: "",
      codes: ["W9001"],
      at: "maps.k.load",
    },
    { file: "compute", text: "    getQ.wait();\n", instead: "", codes: ["W9204"], at: ".mma(Q" },
  ]),
  ...under("inOrder", [
    {
      file: "compute",
      text: `${keysOf(inTurn)}${scores}${pass}`,
      instead: `${inTurn}${scores}${pass}`,
      codes: ["W9204"],
      at: ".mma(Q",
    },
    {
      file: "compute",
      text: `${inTurn}${scores}${pass}`,
      instead: `${scores}${pass}`,
      codes: ["W9226"],
      at: "other.arrive",
    },
    { file: "compute", text: `${pass}  wgmma.wait(0);\n`, instead: "  wgmma.wait(0);\n", codes: ["W9001"], at: "maps.k.load" },
    { file: "compute", text: `${pass}  wgmma.wait(0);\n`, instead: pass, codes: ["W6001"], at: "tile.max(" },
    {
      file: "compute",
      text: `${pass}  wgmma.wait(0);\n  release(getK);\n`,
      instead: `${pass}  wgmma.wait(0);\n`,
      codes: ["W9001"],
      at: "maps.k.load",
    },
    {
      file: "compute",
      text: "  wgmma.wait(0);\n  release(getV);\n  return { O, P",
      instead: "  release(getV);\n  return { O, P",
      codes: ["W6001"],
      at: "const result",
    },
    {
      file: "compute",
      text: "  release(getV);\n  return { O, P",
      instead: "  return { O, P",
      codes: ["W9001"],
      at: "maps.v.load",
    },
  ]),
  ...under("noTurns", [
    { file: "compute", text: "  syncWarp();\n  return result;", instead: "  return result;", codes: ["W9201"], at: "" },
  ]),
  ...under("packed", [
    { file: "compute", text: "  getV.wait();\n  for (const i", instead: "  for (const i", codes: ["W9204"], at: ".store(zeros)" },
    {
      file: "compute",
      text: CLEARED,
      instead: "  namedBarrier(12, threads).sync();\n",
      codes: ["W9202"],
      at: "O.mma(",
    },
    {
      file: "compute",
      text: CLEARED,
      instead: '  fence.proxyAsync({ space: "shared::cta" });\n',
      codes: ["W9201"],
      at: "O.mma(",
    },
    {
      file: "store",
      text: "    together.sync();\n",
      instead: "",
      codes: ["W9204"],
      at: "maps.q.load",
    },
    {
      file: "store",
      text: '    fence.proxyAsync({ space: "shared::cta" }); // TMA is to overwrite what was read\n',
      instead: "",
      codes: ["W9203"],
      at: "maps.q.load",
    },
    {
      file: "store",
      text: "    if (plan.persistent && warpgroup.thread === 0) getQ.release();\n",
      instead: "",
      codes: ["W9001"],
      at: "maps.q.load",
    },
    {
      file: "store",
      text: "  noted.store(log);\n  syncWarp();\n",
      instead: "  noted.store(log);\n",
      codes: ["W9201"],
      at: "noted.at(",
    },
  ]),
  ...under("listing", [
    {
      file: "mask/kernel",
      text: "        syncThreads();\n        if (threadIdx.x === 0)",
      instead: "        if (threadIdx.x === 0)",
      codes: ["W9201"],
      at: "kinds",
    },
    {
      file: "mask/kernel",
      text: "          }\n        syncThreads();\n",
      instead: "          }\n",
      codes: ["W9201"],
      at: "kinds",
    },
  ]),
  ...under("overlapping", [
    { file: "flash", text: "      if (overlaps) gridDependency.wait();\n", instead: "", codes: ["W7518"], at: "kernel.launch" },
    {
      file: "load",
      text: "  if (problem.overlaps) gridDependency.launchDependents(); // nothing is left to load\n",
      instead: "",
      codes: [],
      harmless: "a kernel that ends lets the next one begin",
    },
  ]),
];
