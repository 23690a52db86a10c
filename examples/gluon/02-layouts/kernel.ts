import { blockIdx, cdiv, type Kernel, kernel, type Layout, type Tensor, tile } from "warpsmith";
import { sameShape } from "../shapes.ts";
import { columns, ofColumns, ofRows, rows } from "./layouts.ts";

export type Memcpy1d = Kernel<[x: Tensor<"f32", 1>, y: Tensor<"f32", 1>]>;
export type Memcpy2d = Kernel<[x: Tensor<"f32", 2>, y: Tensor<"f32", 2>]>;
/** Rows and columns of the tile that a block takes. */
export type Block = readonly [rows: number, columns: number];

/** A copy by tiles of `xBlock` elements. Without a layout, neighbouring threads have neighbouring vectors of 16 bytes. */
export function makeMemcpy1d(xBlock: number, threads = 128, layout?: Layout): Memcpy1d {
  return kernel({ block: threads, grid: (x) => cdiv(x.shape[0], xBlock) },
    function memcpy1d(x: Tensor<"f32", 1>, y: Tensor<"f32", 1>) {
      sameShape(x, y);
      const at = [blockIdx.x * xBlock] as const;
      y.storeTile(at, x.loadTile(at, [xBlock], layout));
    });
}

const THREADS = 256;
const blocks = ([r, c]: Block) => (x: { readonly shape: Block }) => [cdiv(x.shape[0], r), cdiv(x.shape[1], c)] as const;

/** The same in two dimensions. Which layout is fast depends on how the tensors lie in memory. */
export function makeMemcpy2d(block: Block, layout?: Layout): Memcpy2d {
  return kernel({ block: THREADS, grid: blocks(block) },
    function memcpy2d(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
      sameShape(x, y);
      const at = [blockIdx.x * block[0], blockIdx.y * block[1]] as const;
      y.storeTile(at, x.loadTile(at, block, layout));
    });
}

/** A copy between tensors that lie differently: each is gone through in a layout of its own, and the tile goes from one to the other. */
export function makeMemcpyInOut(block: Block, from: Layout = rows, to: Layout = columns): Memcpy2d {
  return kernel({ block: THREADS, grid: blocks(block) },
    function memcpyInOut(x: Tensor<"f32", 2>, y: Tensor<"f32", 2>) {
      sameShape(x, y);
      const at = [blockIdx.x * block[0], blockIdx.y * block[1]] as const;
      y.storeTile(at, tile.convertLayout(x.loadTile(at, block, from), to));
    });
}

/** y[i][j] = x[i][j] * scale[i] + shift[j]: two vectors beside a matrix, each in what is left of the matrix's layout. */
export function makeAffine(block: Block) {
  return kernel({ block: THREADS, grid: blocks(block) },
    function affine(x: Tensor<"f32", 2>, scale: Tensor<"f32", 1>, shift: Tensor<"f32", 1>, y: Tensor<"f32", 2>) {
      sameShape(x, y);
      const i = blockIdx.x * block[0], j = blockIdx.y * block[1];
      const a = tile.expand(scale.loadTile([i], [block[0]], ofRows), 1);              // [rows, 1]
      const b = tile.expand(shift.loadTile([j], [block[1]], ofColumns), 0);           // [1, columns]
      y.storeTile([i, j], x.loadTile([i, j], block, rows) * a + b);
    });
}
