import { clusterRemovals, leftFirstRemovals, pingPongRemovals } from "./ladder-removals.ts";
import type { Change } from "./said.ts";

/**
 * Kernels of the examples with one piece of their synchronisation taken away at a time: what must be said of each, or why nothing
 * can be.
 */

export interface Removal extends Change {
  /** The example, as examples/<file>.ts. */
  readonly file: "ch4/kernel" | "ch5/kernel" | "gemm/11-cluster" | "gemm/12-ping-pong" | "gemm/14-left-first";
}

const chapterRemovals: readonly Removal[] = [
  {
    file: "ch4/kernel",
    text: "    for (const i of staticRange(stages)) bars.at(i).init(1);",
    instead: "",
    codes: ["W9102"],
    at: "wait(phase)",
  },
  { file: "ch4/kernel", text: "    fence.mbarrierInit();", instead: "", codes: ["W9212"], at: "a.load", strictOnly: true },
  { file: "ch4/kernel", text: "  syncThreads();\n  return bars;", instead: "  return bars;", codes: ["W9212", "W9102"], at: "" },
  {
    file: "ch4/kernel",
    text: "  bar.arrive({ tx: aTile.bytes + bTile.bytes, pred });",
    instead: "",
    codes: ["W9001"],
    at: "wait(phase)",
  },
  { file: "ch4/kernel", text: "      bars.at(stage).wait(phase);", instead: "", codes: ["W9204"], at: "D.mma" },
  { file: "ch4/kernel", text: "      wgmma.wait(stages === 1 ? 0 : 1);", instead: "", codes: ["W9207"], at: "a.load" },
  {
    file: "ch4/kernel",
    text: "      syncThreads();                                   // … in every warp",
    instead: "",
    codes: ["W9207"],
    at: "a.load",
    strictOnly: true,
  },
  { file: "ch4/kernel", text: "      if (stage === stages - 1) phase = !phase;", instead: "", codes: ["W9204", "W9001"], at: "" },
  { file: "ch4/kernel", text: "    wgmma.wait(0);", instead: "", codes: ["W6001"], at: "D.store" },
  {
    file: "ch4/kernel",
    text: "  syncThreads();                                       // every warp's products are done with the stages beneath",
    instead: "",
    codes: ["W9207"],
    at: "D.store",
    strictOnly: true,
  },
  { file: "ch4/kernel", text: "  syncThreads();\n  for (const row", instead: "  for (const row", codes: ["W9201"], at: "" },
  { file: "ch5/kernel", text: "        full.at(s).init(1);", instead: "", codes: ["W9102"], at: "" },
  { file: "ch5/kernel", text: "        empty.at(s).init(WARPS);", instead: "", codes: ["W9102"], at: "" },
  { file: "ch5/kernel", text: "      fence.mbarrierInit();", instead: "", codes: ["W9212"], at: "a.load", strictOnly: true },
  { file: "ch5/kernel", text: "    syncThreads();", instead: "", codes: ["W9212", "W9102"], at: "" },
  { file: "ch5/kernel", text: "          empty.at(s).wait(phase);", instead: "", codes: ["W9207", "W9215", "W9105"], at: "" },
  {
    file: "ch5/kernel",
    text: "            full.at(s).arrive({ tx: aTiles.at(s).bytes + bTiles.at(s).bytes });",
    instead: "",
    codes: ["W9001"],
    at: "",
  },
  {
    file: "ch5/kernel",
    text: "          if (s === stages - 1) phase = !phase;\n        }\n      } },\n      consumer",
    instead: "        }\n      } },\n      consumer",
    codes: ["W9207", "W9215", "W9105", "W9001"],
    at: "",
  },
  { file: "ch5/kernel", text: "          full.at(s).wait(phase);", instead: "", codes: ["W9204", "W9207"], at: "" },
  { file: "ch5/kernel", text: ", { wait: behind }", instead: "", codes: ["W9207"], at: "a.load" },
  {
    file: "ch5/kernel",
    text: "          if (k >= behind && first) empty",
    instead: "          if (k >= behind) empty",
    codes: ["W9214"],
    at: "empty.at(s).wait",
  },
  {
    file: "ch5/kernel",
    text: "          if (k >= behind && first) empty.at((k - behind) % stages).arrive();",
    instead: "",
    codes: ["W9001"],
    at: "empty.at(s).wait",
  },
  {
    file: "ch5/kernel",
    text: "          if (s === stages - 1) phase = !phase;\n        }\n        wgmma",
    instead: "        }\n        wgmma",
    codes: ["W9204", "W9207", "W9001"],
    at: "",
  },
  { file: "ch5/kernel", text: "        wgmma.wait(0);", instead: "", codes: ["W6001"], at: "D.store" },
];

export const removals: readonly Removal[] = [...chapterRemovals, ...clusterRemovals, ...pingPongRemovals, ...leftFirstRemovals];
