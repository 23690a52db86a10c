// Attention by tiles alone: no layout, no barrier and no copy is named. The compiler chooses how tiles lie, and converts what one product gives to an operand of the next.
import { blockIdx, f16, kernel, range, tile, type Tensor } from "warpsmith";

const ROWS = 64, KEYS = 64;

/** softmax(Q Kᵀ / √D) V of one head: a block for each 64 queries, which reads all keys. Both extents are multiples of 64, D a power of two. */
export const tileAttention = kernel(
  { block: 128, grid: (q) => q.shape[0] / ROWS },
  function tileAttention(q: Tensor<"f16", 2>, k: Tensor<"f16", 2>, v: Tensor<"f16", 2>, out: Tensor<"f32", 2>) {
    const [keys, D] = k.shape, row = blockIdx.x * ROWS;
    const Q = q.loadTile([row, 0], [ROWS, D]);
    let largest = tile.full([ROWS], -Infinity), sum = tile.full([ROWS], 0), O = tile.full([ROWS, D], 0);

    for (const j of range(0, keys, KEYS)) {
      const K = k.transpose().loadTile([0, j], [D, KEYS]);
      const S = tile.dot(Q, K, tile.full([ROWS, KEYS], 0)) / Math.sqrt(D);
      const next = Math.max(largest, tile.max(S, 1));
      const P = Math.exp(S - tile.expand(next, 1)), keep = Math.exp(largest - next);
      sum = sum * keep + tile.sum(P, 1);
      O = tile.dot(f16(P), v.loadTile([j, 0], [KEYS, D]), O * tile.expand(keep, 1));
      largest = next;
    }
    out.storeTile([row, 0], O / tile.expand(sum, 1));
  });
