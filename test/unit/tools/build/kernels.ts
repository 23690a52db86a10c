/** Kernels that have everything a launcher has to pass. */
import {
  type bf16,
  blockIdx,
  type bool,
  cdiv,
  type f16,
  f32,
  type f64,
  fence,
  gridDependency,
  type i8,
  type i32,
  type i64,
  kernel,
  Mbarriers,
  sharedMemory,
  syncThreads,
  type Tensor,
  TMA,
  tensorSpec,
  threadIdx,
  type u16,
  type u64,
} from "warpsmith";
import { build } from "warpsmith/build";
import { matmulKernel } from "warpsmith/kernels";

/** Ragged: any length, and a number. */
export const scale = kernel(
  { block: 128, grid: (x) => cdiv(x.shape[0], 128), dynamic: { x: [0], y: [0] } },
  function scale(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>, by: f32) {
    const i = blockIdx.x * 128 + threadIdx.x;
    if (i < x.shape[0]) y.at(i).store(x.at(i).load() * by);
  },
);

/** Numbers of every size, dynamic strides, a grid that the tracer can follow. */
export const numbers = kernel(
  {
    block: 32,
    grid: (x, n) => {
      "use kernel";
      return [Math.max(Math.ceil(n / 4) * 2, 1), x.shape[1]];
    },
    dynamic: { x: [1] },
  },
  function numbers(x: Tensor<"f32", 2>, n: i32, a: f16, b: bf16, c: f64, d: i8, e: u16, f: i64, g: u64, h: bool) {
    if (h) x.at(0, threadIdx.x).store(f32(a) + f32(b) + f32(c) + f32(n) + f32(d) + f32(e) + f32(f) + f32(g));
  },
);

/** Clusters, a wait for the launch before, a map whose extents are the launch's. */
export const copyRows = kernel(
  { block: 32, cluster: 2, grid: (x) => cdiv(x.shape[0], 16) * 2, dynamic: { x: [0], y: [0] } },
  function copyRows(x: TMA<"f32", 2>, y: Tensor<"f32", 2>) {
    const tile = sharedMemory.alloc("f32", [8, 32], { align: 128 });
    const bar = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) bar.init(1);
    fence.mbarrierInit();
    syncThreads();
    gridDependency.wait();
    if (threadIdx.x === 0) {
      bar.arrive({ tx: tile.bytes });
      x.load(tile, bar, [0, blockIdx.x * 8], { outside: true }); // whole clusters: the last block may have no rows
    }
    bar.wait(false);
    for (let r = 0; r < 8; r++)
      if (blockIdx.x * 8 + r < y.shape[0]) y.at(blockIdx.x * 8 + r, threadIdx.x).store(tile.at(r, threadIdx.x).load());
  },
);

/** A map for convolutions. All blocks are on the device at a time. */
export const windows = kernel({ block: 32, cooperative: true }, function windows(x: TMA<"f16", 4>, out: Tensor<"i32", 1>) {
  if (threadIdx.x === 0) x.prefetch();
  if (threadIdx.x === 0) out.at(blockIdx.x).store(blockIdx.x);
});

const image = tensorSpec("f16", [2, 8, 8, 64]);
const window = TMA.im2col(image, { lower: [-1, -1], upper: [-1, -1], channels: 64, pixels: 32, swizzle: "128B", oobFill: "nan" });

export const everything = build((gpu) => ({
  scale: scale.at(tensorSpec("f32", [1000]), tensorSpec("f32", [1000]), 1),
  numbers: numbers.at(tensorSpec("f32", [4, 32]), 1, 1, 1, 1, 1, 1, 1n, 1n, true),
  copyRows: copyRows.at(new TMA(tensorSpec("f32", [40, 32]), { box: [8, 32] }), tensorSpec("f32", [40, 32])),
  windows: windows.at(window, tensorSpec("i32", [3])),
  gemm: {
    ...matmulKernel(gpu.empty("f16", [128, 64]), gpu.empty("f16", [64, 128]), {
      out: gpu.empty("f16", [128, 128]),
      alpha: 1,
      beta: 0,
    }),
    open: ["alpha"],
  },
}));

export const imageShape = image.shape;
export type { bool };
