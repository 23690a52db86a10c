/** Launches in which the pieces of kernels over rows, elements and tokens matter. */
import { blockDim, blockIdx, type Device, type DeviceTensor, type Kernel, kernel, type Tensor, threadIdx } from "warpsmith";
import type { RowSetup } from "../row-removals.ts";

/** What a kernel's file gives. */
export type Module = Readonly<Record<string, (...args: readonly unknown[]) => Kernel<unknown[]>>>;

/** A launch before that makes what is read. */
const made = kernel({ block: 32, dynamic: { from: [0], to: [0] } }, function made(from: Tensor<"f32", 1>, to: Tensor<"f32", 1>) {
  const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < from.shape[0]) to.at(i).store(from.at(i).load());
});
const madeKeys = kernel(
  { block: 32, dynamic: { from: [0], to: [0] } },
  function madeKeys(from: Tensor<"i32", 1>, to: Tensor<"i32", 1>) {
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < from.shape[0]) to.at(i).store(from.at(i).load());
  },
);

/** Numbers that a launch before makes. */
function numbers(device: Device, shape: readonly number[]): DeviceTensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const from = device.tensor(
    "f32",
    [count],
    Float32Array.from({ length: count }, (_, i) => Math.sin(i) * 3),
  );
  const to = device.empty("f32", [count]);
  made.launch({ grid: Math.ceil(count / 32) }, from, to);
  return to.reshape(...shape);
}
function keys(device: Device, shape: readonly number[], below: number): DeviceTensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const from = device.tensor(
    "i32",
    [count],
    Int32Array.from({ length: count }, (_, i) => (i * 7919 + (i >>> 3)) % below),
  );
  const to = device.empty("i32", [count]);
  madeKeys.launch({ grid: Math.ceil(count / 32) }, from, to);
  return to.reshape(...shape);
}

export interface Case {
  readonly entry: string;
  readonly overlaps: boolean;
  run(module: Module, device: Device): readonly [Kernel<unknown[]>, ...unknown[]];
}

const rowPlan = { threads: 64, group: "block" };
const again = { ...rowPlan, keep: false, depth: 1 };
const shapeOf = (columns: number, plan: object = rowPlan) => ({ plan, columns, vector: 1 });
const make = (module: Module, name: string, ...args: readonly unknown[]): Kernel<unknown[]> => {
  const fn = module[name];
  if (!fn) throw new Error(name);
  return fn(...args);
};

/** A kernel of x and y over rows of 100 elements. */
const rows = (entry: string, name: string, before: readonly unknown[], y: "rows" | "column" | "places"): Case => ({
  ...{ entry, overlaps: true },
  run: (module, device) => {
    const out = device.empty(y === "places" ? "i32" : "f32", y === "rows" ? [3, 100] : [3]);
    return [make(module, name, ...before, true), numbers(device, [3, 100]), out];
  },
});

const sorting = (
  plan: { readonly threads: number; readonly keys: number; readonly blocks: number; readonly blocksPerSM: number },
  shape: readonly [number, number],
): Case => ({
  ...{ entry: "sort/sort-kernel.ts", overlaps: plan.blocks === 1 },
  run: (module, device) => {
    const made = make(module, "makeSort", { plan, dtype: "i32", descending: false, values: "columns" }, plan.blocks === 1);
    const empty = () => device.empty("i32", [...shape]);
    const counts = plan.blocks > 1 ? { counts: device.empty("u32", [256, plan.blocks + 1]) } : {};
    const tensors = { spare: empty(), out: empty(), spareValues: empty(), outValues: empty(), ...counts };
    return [made, { x: keys(device, shape, 100_003), ...tensors }];
  },
});

const topK = (plan: object, columns = 600): Case => ({
  ...{ entry: "select/top-k-kernel.ts", overlaps: true },
  run: (module, device) => [
    make(module, "makeTopK", 5, shapeOf(columns, plan), true),
    ...[numbers(device, [2, columns]), device.empty("f32", [2, 5]), device.empty("i32", [2, 5])],
  ],
});

const sample = (plan: object): Case => ({
  ...{ entry: "select/sample-kernel.ts", overlaps: true },
  run: (module, device) => [
    make(module, "makeSample", { ...shapeOf(200, plan), topK: true, topP: true }, false, true),
    ...[numbers(device, [2, 200]), device.empty("i32", [2]), {}, 1, 20, 2 ** 31, 1, 0, 0, 0],
  ],
});

const histogram = (copies: number): Case => ({
  ...{ entry: "histogram/histogram-kernel.ts", overlaps: false },
  run: (module, device) => [
    make(module, "makeHistogram", { plan: { threads: 64, blocks: 2, blocksPerSM: 1, copies, depth: 2 }, bins: 10, vector: 1 }),
    ...[keys(device, [500], 10), device.empty("i32", [10])],
  ],
});

export const cases: Readonly<Record<RowSetup, Case>> = {
  sumColumns: {
    ...{ entry: "rows/columns-kernel.ts", overlaps: true },
    run: (module, device) => [
      make(module, "makeSumColumns", { plan: { threads: 64, across: 4, cluster: 2, depth: 2 }, columns: 6, vector: 1 }, true),
      ...[numbers(device, [50, 6]), device.empty("f32", [6])],
    ],
  },
  softmax: rows("rows/softmax-kernel.ts", "makeSoftmax", [shapeOf(100), false], "rows"),
  norm: {
    ...{ entry: "rows/norm-kernel.ts", overlaps: true },
    run: (module, device) => {
      const kind = { centred: false, residual: false, sum: false, bias: false };
      const [x, y, weight] = [numbers(device, [3, 100]), device.empty("f32", [3, 100]), device.zeros("f32", [100])];
      return [make(module, "makeNorm", kind, shapeOf(100), true), x, y, { residual: x, sum: y, weight, bias: weight }, 1e-6];
    },
  },
  reduce: rows("rows/reduce-kernel.ts", "makeReduce", ["max", shapeOf(100)], "column"),
  argmax: rows("rows/reduce-kernel.ts", "makeArgmax", ["argmax", shapeOf(100)], "places"),
  crossEntropy: {
    ...{ entry: "rows/cross-entropy-kernel.ts", overlaps: true },
    run: (module, device) => {
      const loss = device.empty("f32", [3]);
      const kernel = make(module, "makeCrossEntropy", shapeOf(100), false, true);
      return [kernel, numbers(device, [3, 100]), device.zeros("i32", [3]), loss, loss];
    },
  },
  cumsum: rows("rows/cumsum-kernel.ts", "makeCumsum", [shapeOf(100, again)], "rows"),
  topK: topK(again),
  topKCluster: topK({ ...again, cluster: 2 }),
  topKWhole: topK(again, 90),
  sample: sample(again),
  sampleCluster: sample({ ...again, cluster: 2 }),
  sort: sorting({ threads: 256, keys: 2, blocks: 2, blocksPerSM: 1 }, [1, 1100]),
  sortRows: sorting({ threads: 256, keys: 2, blocks: 1, blocksPerSM: 1 }, [1, 700]),
  histogram: histogram(2),
  histogramWide: histogram(0),
  embedding: {
    ...{ entry: "embedding/embedding-kernel.ts", overlaps: true },
    run: (module, device) => [
      make(module, "makeEmbedding", { plan: { threads: 32, loads: 1 }, columns: 8, vector: 1 }, true, undefined),
      ...[device.empty("f32", [20, 8]), device.zeros("f32", [10, 8]), keys(device, [20], 10)],
    ],
  },
  rotary: {
    ...{ entry: "embedding/rotary-kernel.ts", overlaps: true },
    run: (module, device) => {
      const widths = { heads: 2, columns: 8, turning: 8, layout: "halves", vector: 1, width: 1, angles: 1 };
      const kernel = make(module, "makeRotary", { ...widths, positions: false, copies: false }, true, undefined);
      const tables = [device.zeros("f32", [20, 4]), device.zeros("f32", [20, 4])];
      return [kernel, device.empty("f32", [20, 2, 8]), numbers(device, [20, 2, 8]), ...tables, {}, 20];
    },
  },
  map: {
    ...{ entry: "elementwise/map-kernel.ts", overlaps: true },
    run: (module, device) => {
      const kernel = make(
        module,
        "makeMap",
        { plan: { threads: 64, loads: 1 }, kinds: { x: "element" }, vector: 1, columns: undefined },
        true,
      );
      return [kernel, device.empty("f32", [300]), { x: numbers(device, [300]) }];
    },
  },
  transpose: {
    ...{ entry: "elementwise/transpose-kernel.ts", overlaps: true },
    run: (module, device) => [
      make(module, "makeTranspose", { across: 8, warps: [1, 1] }, 1, true),
      ...[numbers(device, [12, 10]), device.empty("f32", [10, 12])],
    ],
  },
};

export async function launch(device: Device, { run, overlaps }: Case, module: Module): Promise<void> {
  const [kernel, ...args] = run(module, device);
  kernel.launch(overlaps ? { overlapPrevious: true } : {}, ...args);
  await device.sync();
}
