import type { Change } from "./said.ts";

/** Launches small enough for the emulator, each with what makes a line matter: see families/row-cases.ts. */
export type RowSetup =
  | "sumColumns"
  | "softmax"
  | "norm"
  | "reduce"
  | "argmax"
  | "crossEntropy"
  | "cumsum"
  | "topK"
  | "topKCluster"
  | "topKWhole"
  | "sample"
  | "sampleCluster"
  | "sort"
  | "sortRows"
  | "histogram"
  | "histogramWide"
  | "embedding"
  | "rotary"
  | "map"
  | "transpose";

/** A change of a kernel over rows, elements or tokens, in src/kernels/<file>.ts. */
export interface RowRemoval extends Change {
  readonly file: string;
  readonly setups: readonly RowSetup[];
  /** It takes a timing that shows it. */
  readonly someSchedule?: true;
}

/** Without it a launch would be in order with nothing: that is refused before it begins. */
const wait = (file: string, setups: readonly RowSetup[], indent: number): RowRemoval => ({
  file,
  setups,
  text: `${" ".repeat(indent)}if (overlaps) gridDependency.wait();\n`,
  instead: "",
  codes: ["W7518"],
});

const removed = (
  file: string,
  setups: readonly RowSetup[],
  text: string,
  codes: readonly string[],
  more: Partial<Change> = {},
): RowRemoval => ({
  ...{ file, setups, text, codes },
  instead: text.replace(/^ *(?:(?:if \(.*\) |else )?(?:syncThreads|syncWarp|syncRow|grid\.sync|cluster\.sync)\(.*\);.*)\n/m, ""),
  ...more,
});

const narrow = "select/narrow";
const narrowing: readonly RowSetup[] = ["topK", "topKCluster", "sample", "sampleCluster"];
const sort = "sort/sort-kernel";
const both: readonly RowSetup[] = ["sort", "sortRows"];

/** What is taken out of them, line by line. */
export const rowRemovals: readonly RowRemoval[] = [
  wait("rows/columns-kernel", ["sumColumns"], 6),
  wait("rows/cross-entropy-kernel", ["crossEntropy"], 6),
  wait("rows/cumsum-kernel", ["cumsum"], 4),
  wait("rows/norm-kernel", ["norm"], 4),
  wait("rows/softmax-kernel", ["softmax"], 4),
  wait("select/sample-kernel", ["sample"], 6),
  wait("select/top-k-kernel", ["topK"], 6),
  wait(sort, ["sortRows"], 6),
  wait("embedding/embedding-kernel", ["embedding"], 6),
  wait("embedding/rotary-kernel", ["rotary"], 6),
  wait("elementwise/map-kernel", ["map"], 6),
  wait("elementwise/transpose-kernel", ["transpose"], 6),
  ...(["reduce", "argmax"] as const).map((setup): RowRemoval => {
    const begin =
      setup === "reduce"
        ? "function reduceRows(x: Rows, y: Tensor<FloatType, 1>) {\n"
        : 'function argmax(x: Rows, y: Tensor<"i32", 1>) {\n';
    const text = `${begin}${setup === "reduce" ? "      " : "    "}if (overlaps) gridDependency.wait();\n`;
    return { file: "rows/reduce-kernel", setups: [setup], text, instead: begin, codes: ["W7518"] };
  }),
  removed("rows/columns-kernel", ["sumColumns"], "      syncThreads();\n      for (const c", ["W9201"]),
  {
    file: "rows/columns-kernel",
    setups: ["sumColumns"],
    text: "      if (plan.cluster > 1) cluster.sync();\n      else",
    instead: "      if (plan.cluster <= 1)",
    codes: ["W9217"],
  },
  removed(
    "rows/columns-kernel",
    ["sumColumns"],
    "      if (plan.cluster > 1) cluster.sync(); // nobody leaves while the first block still reads\n",
    ["W9217"],
  ),
  removed(narrow, narrowing, "  syncRow(shape);\n  forElements(", ["W9201"]),
  removed(
    narrow,
    ["topKCluster", "sampleCluster"],
    "    syncThreads();\n    for (const i of range(threadIdx.x, binCount, plan.threads)) {\n      const weight",
    ["W9201"],
  ),
  removed(narrow, narrowing, "  syncRow(shape);\n}\n\n/** Calls `work`", ["W9201"]),
  removed(narrow, narrowing, "    before = before + weight;\n  }\n  syncRow(shape);\n", ["W9201", "W9231"]),
  removed(
    "select/sample-kernel",
    ["sampleCluster"],
    "        if (clusterOf(plan) > 1) cluster.sync(); // nobody leaves while others still read what the first block has found\n",
    ["W9217"],
  ),
  {
    ...removed("select/top-k-kernel", ["topKWhole"], "        syncRow(shape);\n        collect(", ["W9201"]),
    // The thread that sets the count to 0 adds to it behind that: what others add is compared with what it did last.
    someSchedule: true,
  },
  removed("select/top-k-kernel", ["topK", "topKCluster"], "        syncRow(shape);\n        if (clusterOf", ["W9201"]),
  removed("select/top-k-kernel", ["topK", "topKCluster"], "  syncThreads();\n  for (let size", ["W9201"]),
  removed("select/top-k-kernel", ["topK", "topKCluster"], "      syncThreads();\n    }\n  }\n}", ["W9201"]),
  removed(sort, ["sort"], "  if (blocks > 1) grid.sync(); // one block has a barrier before it reads again\n", ["W9201"]),
  removed(sort, both, "  syncThreads();\n  for (const at of range(from, to, threads * keys)) {\n    const places", ["W9201"]),
  removed(sort, both, "  syncThreads();\n}\n\n/** How often this thread's digit is in the parts", ["W9201"]),
  removed(sort, ["sort"], "  grid.sync();\n  const warps", ["W9201", "W7525"]),
  removed(sort, ["sort"], "  grid.sync();\n  return counts", ["W9201", "W7525"]),
  removed(sort, both, "  syncThreads();\n  startsOf(", ["W9201", "W7525"]),
  removed(sort, both, "  syncThreads();\n  const targets", ["W9201"]),
  removed(sort, both, "  syncThreads();\n  for (const at of range(threadIdx.x, threads * keys, threads, { unroll: 4 }))", [
    "W9201",
  ]),
  removed(sort, both, "  syncWarp();\n  return", ["W9201"]),
  removed(sort, both, "    syncWarp();\n    if (own === 0)", ["W9201"]),
  removed(sort, both, "    syncWarp();\n    return before", ["W9201"]),
  removed("histogram/histogram-kernel", ["histogramWide"], "        grid.sync();\n", ["W9201"]),
  removed("histogram/histogram-kernel", ["histogram"], "      syncThreads();\n", ["W9201"]),
  removed(
    "histogram/histogram-kernel",
    ["histogram"],
    "      grid.sync(); // the result is 0 everywhere, and this block has counted\n",
    ["W9201"],
  ),
];
