// How each benchmark measures and checks, as its records say it. method.md has more.

export interface Method {
  readonly how: readonly string[];
  /** What results were compared with, and within what. */
  readonly checked: string | null;
}

const flushed =
  "All in turns, each launch alone between two events, the L2 cache overwritten before it; medians, and as spread the 10th and the 90th of 100 and the number of launches.";
const rows =
  "256 random rows with sums in f64: an element within 2^-10 (f16) or 2^-7 (bf16) of itself and 0.002 √K, all of them together within 5e-4 (f16) or 4e-3 (bf16) of their norm";
const process = "CPU time of the process on one emulator thread.";
const squares =
  "64 rows with sums in f64, as a norm within 5e-4 (sums in f32) or 3 · 2^-11 √(K / 16) (sums in f16), and all elements with cublasLt's result";
const turns =
  "Ours and theirs three times each, by turns, theirs in a Python process of their own; the L2 cache overwritten before each launch; medians of three medians.";
const ways = [
  flushed,
  "`us` is one kernel, `peers` are other ways to the same results; cublasLt is the best of its heuristics for the product.",
];

export const methods = {
  product: {
    how: [
      "npm run bench.",
      flushed,
      "`warm`: replays of a CUDA graph of launches back to back. `sustained`: at least a second of launches back to back.",
    ],
    checked: `${rows}; then every element with cuBLAS' result, where that has passed.`,
  },
  batched: {
    how: ["npm run bench:batched.", flushed, "cublasLt is the best of its heuristics for strided batches."],
    checked: `Of the first, a middle and the last product of a batch ${rows}.`,
  },
  gated: {
    how: ["npm run bench:gated.", ...ways],
    checked:
      "Parts of the first and the last row in f64: an element within 2^-5 of itself and 2^-6 of the root mean square of its part.",
  },
  rowSums: {
    how: ["npm run bench:row-sums.", ...ways],
    checked:
      "Sums of rows with those of the stored result on the host: within 2^-10 of themselves and 2^-6 of a row's norm. The way “matmul” gives no sums.",
  },
  secondOutput: {
    how: ["npm run bench:second-output.", ...ways],
    checked: "Parts of the first and the last row in f64: z within 2^-8 of itself and 2^-9 √K, silu(z) within 2^-7 and 2^-8 √K.",
  },
  ladder: {
    how: [
      "npm run bench:ladder.",
      flushed,
      "`gain` is the time of the step before, or of the one that a step is made from, over this one's; `ofLt` that of the best of cublasLt's heuristics, timed in the same turns.",
    ],
    checked: `${rows}.`,
  },
  layouts: {
    how: [
      "npm run bench:layouts.",
      flushed,
      "All layouts of a size in the same turns; `ofNt` is the time of NT over a layout's.",
    ],
    checked: `${rows}.`,
  },
  harness: {
    how: ["npm run harness.", "The median of five launches after one, each between two events, the L2 cache warm."],
    checked: "Every element with a plain f32 product on the GPU: within 0.1 and 0.005 of itself.",
  },
  mmaSync: {
    how: [
      "npm run bench:mma-sync.",
      flushed,
      "Group “sweep”: every plan; “chosen”: the plans that the sweep chose; “sizes”: these at all sizes. `ofLt` is the time of cublasLt's best over a plan's.",
    ],
    checked: `${squares}; \`relative\` is the error of the rows as a norm.`,
  },
  schedules: {
    how: [
      "npm run bench:schedules.",
      flushed,
      "`plans`: what a trial said of each plan, of a ladder the times of its steps; the peer “ceiling” is the best kernel by mma.sync of bench/mma-sync-kernel.ts.",
    ],
    checked: `${squares}; \`relative\` is the error of the rows as a norm.`,
  },
  attention: {
    how: [
      "npm run bench:attention.",
      turns,
      "`ratio` is their fastest time over ours, `mean` the geometric mean of those beside cuDNN.",
    ],
    checked: "Eight rows of two heads in f64: `worst`, the largest difference, at most 2e-3 (f16) or 1.6e-2 (bf16).",
  },
  attentionDecode: {
    how: [
      "npm run bench:attention-decode.",
      turns,
      "`tbps` counts the bytes of the keys and values that a query sees; `mean` is the geometric mean of all ratios.",
    ],
    checked: "Rows in f64: `worst`, the largest difference, at most 5e-4 (f16) or 4e-3 (bf16).",
  },
  memory: {
    how: [
      "npm run bench:memory.",
      "Each launch alone between two events, the L2 cache overwritten twice before it; medians. PyTorch in a process of its own, before and after ours: the mean of its two medians.",
      "`bytes` is what a launch has to read and write at least; `ratio` is the time of PyTorch's fastest way over ours.",
    ],
    checked:
      "The first, the last and two rows or columns between them, in f64 on the host; the tolerances are those of bench/memory-cases.ts and bench/memory-select-cases.ts.",
  },
  gluon: {
    how: [
      "npm run bench:gluon.",
      turns,
      "`us` is the fastest of `ours`; `ratio` is the time of their fastest over it; PyTorch's count in attention alone.",
    ],
    checked: "Copies and sums bit for bit, products as in npm run bench, attention by rows in f64 within 5e-3.",
  },
  host: {
    how: [
      "npm run bench:host.",
      "Figures whose names end in Ms are milliseconds, by the host's clock. A launch (`us`) is the host's time per call, in batches of 200 with the device idle before each.",
    ],
    checked: null,
  },
  emulator: {
    how: [
      "npm run bench:emulator.",
      "Seconds by the host's clock: the tutorial as a whole process, chapter 4 and a product from the launch to the result.",
    ],
    checked: "Every timed run checks its result, and ends the benchmark where it is wrong.",
  },
  checks: {
    how: [
      "npm run bench:checks.",
      process,
      "The modes by turns, two runs to warm up and the median of `runs`; `ratio` is over the time without checks.",
    ],
    checked: "Every timed run checks its result, and ends the benchmark where it is wrong.",
  },
  growth: {
    how: ["npm run bench:growth.", process, "The least of `runs`, each on a device of its own."],
    checked: "Every timed run checks its result, and ends the benchmark where it is wrong.",
  },
  simt: {
    how: [
      "npm run bench:simt.",
      process,
      "The modes by turns, the least of `runs`; `megaMacs`: millions of multiplications with an addition in a second.",
    ],
    checked: "Every timed run checks its result, and ends the benchmark where it is wrong.",
  },
  parse: {
    how: [
      "npm run bench:parse.",
      "`rounds` processes each read a module once (first) and three times more (later); the least wall and CPU time of each, in milliseconds.",
    ],
    checked: null,
  },
} as const satisfies Readonly<Record<string, Method>>;
