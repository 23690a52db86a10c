// A product and its activation in one kernel, z = x W and silu(z), beside a kernel that reads z for it: every way checked, then timed in turns, in one process and one stream.
//
//   npm run bench:second-output [-- --seconds 0.5] [-- --record]
//
// Ways: `matmul` with z as a second output; `matmul` alone, which stores silu(z) and no z; `matmul` and `map`; the best of cublasLt's heuristics and `map`. Prints a table; with
// --record it writes bench/results/<gpu name>/products-second-output.json, too.
import { fast, helper } from "warpsmith";
import { map, matmul } from "warpsmith/kernels";
import { compareRows } from "./check.ts";
import { fillNormal } from "./inputs.ts";
import { methods } from "./methods.ts";
import { type Case, compareWays, matrixOf, partsOf, productsOf } from "./ways.ts";

/** Tokens on the first layer of a feed-forward network whose result before the activation is kept for the way back. */
const cases: readonly Case[] = [
  [64, 11008, 4096],
  [512, 11008, 4096],
  [4096, 4096, 4096],
  [4096, 11008, 4096],
];

const silu = helper((value: number) => value * fast.rcp(1 + fast.exp(-value)));
const siluOf = helper(({ z }: { readonly z: number }) => z * fast.rcp(1 + fast.exp(-z)));
const both = helper((value: number) => ({ value: value * fast.rcp(1 + fast.exp(-value)), z: value }));

await compareWays({
  cases,
  file: "products-second-output",
  method: methods.secondOutput,
  over: ["cublasLt and map", "matmul with z"],
  async room(device, [m, n, k], dtype) {
    const memory = (rows: number, columns: number) => matrixOf(device, dtype, rows, columns);
    const [x, w, z, out] = [memory(m, k), memory(n, k), memory(m, n), memory(m, n)];
    fillNormal(x, 1);
    fillNormal(w, 2);
    const weights = w.transpose(1, 0);
    return {
      product: [x, weights, z],
      ways: (product, stream) => [
        { name: "matmul with z", launch: () => void matmul(x, weights, { out, stream, epilogue: both, outputs: { z } }) },
        { name: "matmul", launch: () => void matmul(x, weights, { out, stream, epilogue: silu }) },
        {
          name: "matmul and map",
          launch: () => {
            matmul(x, weights, { out: z, stream });
            map({ z }, siluOf, { out, stream });
          },
        },
        {
          name: "cublasLt and map",
          launch: () => {
            product();
            map({ z }, siluOf, { out, stream });
          },
        },
      ],
      written: [z, out],
      async misses(way) {
        let misses = 0;
        for (const [row, col, columns] of partsOf(m, n)) {
          const expected = await productsOf(x, w, row, col, columns);
          const part = async (of: typeof z) => of.slice([row, row + 1], [col, col + columns]).read();
          const scale = Math.sqrt(k);
          if (way !== "matmul") misses += compareRows(await part(z), expected, 2 ** -8, scale * 2 ** -9).misses;
          const activated = expected.map((value) => value / (1 + Math.exp(-value)));
          misses += compareRows(await part(out), activated, 2 ** -7, scale * 2 ** -8).misses;
        }
        return misses;
      },
      tensors: [x, w, z, out],
    };
  },
});
