// silu(x W1) * (x W3) in one kernel, beside what it takes without: every way checked, then timed in turns, in one process and one stream.
//
//   npm run bench:gated [-- --seconds 0.5] [-- --record]
//
// Ways: `gatedMatmul`; `matmul` with both weights in one tensor, and `siluMul`; and the best of cublasLt's heuristics for that product, and `siluMul`. Prints a table; with
// --record it writes bench/results/<gpu name>/products-gated.json, too.
import { gatedMatmul, matmul, siluMul } from "warpsmith/kernels";
import { compareRows } from "./check.ts";
import { fillNormal } from "./inputs.ts";
import { methods } from "./methods.ts";
import { type Case, compareWays, type Matrix, matrixOf, partsOf, productsOf } from "./ways.ts";

/** Tokens, and the columns of either weight, of models that gate: 7B, 8B and 70B of LLaMA. */
const cases: readonly Case[] = [
  ...[1, 16, 64, 512, 4096].flatMap((m): readonly Case[] => [
    [m, 11008, 4096],
    [m, 14336, 4096],
  ]),
  [1, 28672, 8192],
  [2048, 28672, 8192],
];

/** How many elements of some parts are wrong. */
async function missesOf(x: Matrix, w: Matrix, out: Matrix): Promise<number> {
  const [m, n] = out.shape;
  let misses = 0;
  for (const [row, col, columns] of partsOf(m, n)) {
    const [gates, ups] = [await productsOf(x, w, row, col, columns), await productsOf(x, w, row, n + col, columns)];
    const expected = gates.map((gate, i) => (gate / (1 + Math.exp(-gate))) * (ups[i] ?? Number.NaN));
    const scale = Math.sqrt(expected.reduce((sum, value) => sum + value * value, 0) / columns);
    const got = await out.slice([row, row + 1], [col, col + columns]).read();
    misses += compareRows(got, expected, 2 ** -5, scale * 2 ** -6).misses;
  }
  return misses;
}

await compareWays({
  cases,
  file: "products-gated",
  method: methods.gated,
  over: ["cublasLt and siluMul", "gatedMatmul"],
  async room(device, [m, n, k], dtype) {
    const memory = (rows: number, columns: number) => matrixOf(device, dtype, rows, columns);
    const [x, w, wide, out] = [memory(m, k), memory(2 * n, k), memory(m, 2 * n), memory(m, n)];
    fillNormal(x, 1);
    fillNormal(w, 2);
    const [gate, up, both] = [w.slice([0, n]).transpose(1, 0), w.slice([n, 2 * n]).transpose(1, 0), w.transpose(1, 0)];
    const [left, right] = [wide.slice(undefined, [0, n]), wide.slice(undefined, [n, 2 * n])];
    return {
      product: [x, both, wide],
      ways: (product, stream) => [
        { name: "gatedMatmul", launch: () => void gatedMatmul(x, gate, up, { out, stream }) },
        {
          name: "matmul and siluMul",
          launch: () => {
            matmul(x, both, { out: wide, stream });
            siluMul(left, right, { out, stream });
          },
        },
        {
          name: "cublasLt and siluMul",
          launch: () => {
            product();
            siluMul(left, right, { out, stream });
          },
        },
      ],
      written: [out],
      misses: () => missesOf(x, w, out),
      tensors: [x, w, wide, out],
    };
  },
});
