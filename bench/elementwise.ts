// What stands before or behind a product where nothing is fused: kernels over all elements, 16 bytes or a few times that for each thread.
import { blockIdx, cdiv, type DeviceTensor, kernel, type Static, type Stream, type Tensor } from "warpsmith";
import type { Fusion } from "./problem.ts";

type Flat = Tensor<"f16" | "f32", 1>;
type Way = Exclude<Fusion, "relu-input">;

/** y = work(x), x and y alike; e is added where the work says so. Elements that a block does not divide are left to a mask. */
const elementwise = kernel(
  { block: 128, grid: (x, _e, _y, _way, tile) => cdiv(x.shape[0], tile) },
  function elementwise(x: Flat, e: Flat, y: Flat, way: Static<Way>, tile: Static<number>) {
    const at = blockIdx.x * tile;
    const value = x.loadTile([at], [tile]);
    const sum =
      way === "add-matrix" || way === "add-matrix-relu"
        ? value + e.loadTile([at], [tile])
        : way === "add-constant"
          ? value + 1
          : value;
    y.storeTile([at], (way === "relu" || way === "add-matrix-relu" ? Math.max(sum, 0) : sum) as never);
  },
);

type Matrix = DeviceTensor<"f16" | "f32", 2>;
const flat = (x: Matrix) => x.reshape(x.shape[0] * x.shape[1]);

/** What a fusion does with an element of the product, and one of the matrix that is added. */
export function applied(work: "product" | Fusion, x: number, e: number): number {
  if (work === "relu") return Math.max(x, 0);
  if (work === "add-constant") return x + 1;
  if (work === "add-matrix") return x + e;
  if (work === "add-matrix-relu") return Math.max(x + e, 0);
  return x;
}

/** Times 16 bytes that a thread moves at a time: which is fastest, a run finds out. */
export const elementwiseWidths = [1, 2, 4] as const;

/** y = work(x), `width` times 16 bytes for each thread. */
export function applyKernel(work: Fusion, x: Matrix, e: Matrix, y: Matrix, width: number, stream?: Stream): void {
  const vector = x.dtype === "f16" ? 8 : 4;
  const way = work === "relu-input" ? "relu" : work;
  elementwise.launch(stream ? { stream } : {}, flat(x), flat(e), flat(y), way, 128 * vector * width);
}

/** y = relu(x). */
export const reluInto = (x: Matrix, y: Matrix): void => applyKernel("relu", x, x, y, 1);
