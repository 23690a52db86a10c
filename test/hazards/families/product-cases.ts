/** Products in which the pieces of the kernel behind `matmul` matter. */
import { blockIdx, type Device, type DeviceTensor, helper, kernel, type Tensor, threadIdx } from "warpsmith";
import type { Plan } from "warpsmith/kernels";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { Setup } from "../kernel-removal.ts";

export type Prepared = typeof import("../../../src/kernels/matmul/launch/prepare.ts");

const plan: Plan = {
  tile: [128, 128],
  stages: 3,
  consumers: 2,
  schedule: "cooperative",
  cluster: [1, 1],
  group: 1,
  wait: 0,
  stores: "warpgroup",
  buffers: 1,
  splitTail: false,
  promotion: "128B",
  blocks: 1,
};

export interface Case {
  readonly plan: Plan;
  /** Of [M, K] @ [K, N], as many as make two tiles for every consumer. */
  readonly m: number;
  readonly n: number;
  /** What its epilogue reads: a tile comes through the pipeline. */
  readonly reads: readonly ("bias" | "residual")[];
  /** TMA stores D. */
  readonly aligned?: false;
  readonly overlaps?: true;
  /** TMA does not load A where it is. */
  readonly copies?: true;
  /** TMA does not load these where they are. */
  readonly unaligned?: readonly ("a" | "b")[];
  /** Its rows are summed, too. */
  readonly sums?: true;
  /** Half of each element is stored as well. */
  readonly further?: true;
  /** Two matrices B, whose products are added. */
  readonly pair?: true;
}

/** A tile takes four stages, as many as the pipeline has or more. */
const k = 256;
const both = ["bias", "residual"] as const;

export const cases: Readonly<Record<Setup, Case>> = {
  cooperative: { plan, m: 128, n: 256, reads: both },
  running: { plan: { ...plan, wait: 1 }, m: 128, n: 256, reads: both },
  cluster: { plan: { ...plan, cluster: [2, 1], blocks: 2 }, m: 256, n: 256, reads: [] },
  leftOne: { plan: { ...plan, wait: 1, leftFirst: 1 }, m: 128, n: 256, reads: [] },
  leftOneInput: { plan: { ...plan, leftFirst: 1 }, m: 128, n: 256, reads: both },
  leftTwo: { plan: { ...plan, leftFirst: 2 }, m: 128, n: 256, reads: [] },
  leftTwoInput: { plan: { ...plan, wait: 1, stages: 4, leftFirst: 2 }, m: 128, n: 256, reads: both },
  pingpong: { plan: { ...plan, schedule: "pingpong", tile: [64, 128] }, m: 64, n: 512, reads: both },
  tall: { plan: { ...plan, schedule: "pingpong", tile: [128, 144] }, m: 128, n: 576, reads: both },
  shortPipeline: { plan: { ...plan, schedule: "pingpong", tile: [64, 128], stages: 2 }, m: 64, n: 512, reads: both },
  byWarps: { plan: { ...plan, stores: "warp" }, m: 128, n: 256, reads: [] },
  // As many stages as both tiles take: no warp waits for another one that the pipeline waits for.
  columns: {
    plan: { ...plan, tile: [64, 64], stages: 8, consumers: 1, blocks: 1 },
    m: 64,
    n: 128,
    reads: ["bias"],
    aligned: false,
  },
  // Three panels are stored at a time: beside the second one lanes of a warp do not meet.
  unaligned: { plan: { ...plan, tile: [128, 96] }, m: 128, n: 192, reads: ["residual"], aligned: false },
  byThreads: { plan, m: 128, n: 256, reads: [], aligned: false },
  split: {
    plan: { ...plan, tile: [64, 64], stages: 2, consumers: 1, wait: 1, splits: 2, blocks: 2 },
    m: 40,
    n: 128,
    reads: both,
  },
  pair: { plan: { ...plan, tile: [128, 64], wait: 1 }, m: 128, n: 128, reads: both, pair: true },
  pairSplit: {
    plan: { ...plan, tile: [64, 32], stages: 2, consumers: 1, wait: 1, splits: 2, blocks: 2 },
    m: 40,
    n: 64,
    reads: ["bias"],
    pair: true,
  },
  rows: { plan: { ...plan, wait: 1 }, m: 128, n: 256, reads: both, sums: true },
  further: { plan: { ...plan, wait: 1 }, m: 128, n: 256, reads: [], further: true },
  overlapping: { plan, m: 128, n: 256, reads: [], overlaps: true },
  threads: {
    plan: { ...plan, unaligned: "threads", wait: 1 },
    ...{ m: 128, n: 256, reads: both, unaligned: ["a", "b"] },
  },
  threadsAndTma: { plan: { ...plan, unaligned: "threads" }, m: 128, n: 256, reads: both, unaligned: ["b"] },
  copied: { plan, m: 128, n: 256, reads: [], overlaps: true, copies: true },
};

const sum = helper(
  (value: number, { bias = 0, residual = 0 }: { readonly bias?: number; readonly residual?: number }) => value + bias + residual,
);

/** Of a pair. */
const sumOfBoth = helper(
  (one: number, other: number, { bias = 0, residual = 0 }: { readonly bias?: number; readonly residual?: number }) =>
    one + other + bias + residual,
);

/** With the sum of its row. */
const sumOfRows = helper((value: number, { bias = 0, residual = 0 }: { readonly bias?: number; readonly residual?: number }) => {
  const all = value + bias + residual;
  return { value: all, sums: all };
});

/** With half of it. */
const withHalf = helper((value: number) => ({ value, half: value / 2 }));

/** A launch to overlap: it makes A. */
const copy = kernel({ block: 256 }, function copy(from: Tensor<"f16", 2>, to: Tensor<"f16", 2>) {
  to.at(blockIdx.x, threadIdx.x).store(from.at(blockIdx.x, threadIdx.x).load());
});

function madeBefore(device: Device, from: DeviceTensor<"f16", 2>, copies = false): DeviceTensor<"f16", 2> {
  const [rows, columns] = from.shape;
  const made = device.empty("f16", [rows, columns + (copies ? 1 : 0)]).slice(undefined, [0, columns]) as DeviceTensor<"f16", 2>;
  copy.launch({ grid: rows }, from, made);
  return made;
}

/** Rows that begin at odd elements. */
const oddRows = (device: Device, rows: number, columns: number, numbers: Float32Array): DeviceTensor<"f16", 2> => {
  const made = device.empty("f16", [rows, columns + 1]).slice(undefined, [0, columns]) as DeviceTensor<"f16", 2>;
  made.write(numbers);
  return made;
};

/** D as rows of a wider tensor: with one column more, they are not where TMA stores. */
const outOf = (device: Device, { m, n, aligned }: Case): DeviceTensor<"f16", 2> =>
  device.empty("f16", [m, n + (aligned === false ? 1 : 0)]).slice([0, m], [0, n]) as DeviceTensor<"f16", 2>;

/** Matrices of those sizes, what an epilogue adds, and their product. */
function numbersOf(m: number, n: number) {
  const [a, b, bias, residual] = [randn(m * k, 1), randn(k * n, 2), randn(n, 3), randn(m * n, 4)];
  return { a, b, bias, residual, product: referenceMatmul(a, b, { M: m, N: n, K: k }) };
}
const numbers = new Map<string, ReturnType<typeof numbersOf>>();

export async function multiply(device: Device, { prepare }: Prepared, of: Case): Promise<void> {
  const { m, n, plan, reads, overlaps = false, copies = false, pair = false, sums = false, further = false } = of;
  const known = numbers.get(`${m} ${n}`) ?? numbersOf(m, n);
  numbers.set(`${m} ${n}`, known);
  const { a, b, bias, residual, product } = known;
  const all = { bias: device.tensor("f32", [n], bias), residual: device.tensor("f16", [m, n], residual) };
  const inputs = Object.fromEntries(reads.map((name) => [name, all[name]]));
  const other = randn(k * n, 5);
  const [rowSums, half] = [device.empty("f32", [m]), device.empty("f16", [m, n])];
  const plain = {
    outputs: {
      ...(sums ? { sums: { by: "sum" as const, to: rowSums } } : {}),
      ...(further ? { half: { by: "element" as const, to: half } } : {}),
    },
    second: pair ? device.tensor("f16", [k, n], other) : undefined,
    dtype: undefined,
    scaled: false,
    adds: false,
    dynamicM: false,
    invariant: false,
  };
  const asked = {
    ...plain,
    plan,
    out: outOf(device, of),
    inputs,
    epilogue: further ? withHalf : sums ? sumOfRows : pair ? sumOfBoth : reads.length > 0 ? sum : undefined,
    overlaps,
  };
  const { unaligned = [] } = of;
  const given = unaligned.includes("a") ? oddRows(device, m, k, a) : device.tensor("f16", [m, k], a);
  const right = unaligned.includes("b") ? oddRows(device, k, n, b) : device.tensor("f16", [k, n], b);
  const prepared = prepare(overlaps ? madeBefore(device, given, copies) : given, right, asked);
  const { before = [], kernel, args, out, after = [] } = prepared;
  for (const copy of before) copy.kernel.launch({ overlapPrevious: overlaps }, ...copy.args);
  kernel.launch({ overlapPrevious: overlaps }, ...args);
  for (const combine of after) combine.kernel.launch({ overlapPrevious: true }, ...combine.args);
  const more = pair ? referenceMatmul(a, other, { M: m, N: n, K: k }) : undefined;
  const expected = product.map(
    (value, i) =>
      value +
      (more?.[i] ?? 0) +
      (reads.includes("bias") ? (bias[i % n] ?? 0) : 0) +
      (reads.includes("residual") ? (residual[i] ?? 0) : 0),
  );
  assertClose(await out.read(), expected, { rtol: 5e-3, atol: 1e-1 });
  if (further) {
    const halves = expected.map((value) => value / 2);
    assertClose(await half.read(), halves, { rtol: 5e-3, atol: 1e-1 });
  }
  if (!sums) return;
  const ofRows = Float32Array.from({ length: m }, (_, i) => expected.slice(i * n, (i + 1) * n).reduce((a, b) => a + b, 0));
  assertClose(await rowSums.read(), ofRows, { rtol: 5e-3, atol: 1e-1 });
}
