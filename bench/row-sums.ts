// Sums of rows that an epilogue gives, beside a kernel that reads the result for them: every way checked, then timed in turns, in one process and one stream.
//
//   npm run bench:row-sums [-- --seconds 0.5] [-- --record]
//
// Ways: `matmul` with a sum of each row; `matmul` alone; `matmul` and `sum`; the best of cublasLt's heuristics and `sum`. Prints a table; with --record it writes
// bench/results/<gpu name>/products-row-sums.json, too.
import { type DeviceTensor, helper } from "warpsmith";
import { matmul, sum } from "warpsmith/kernels";
import { compareRows } from "./check.ts";
import { fillNormal } from "./inputs.ts";
import { methods } from "./methods.ts";
import { type Case, compareWays, matrixOf } from "./ways.ts";

/** Tokens on the layers whose results are normed: attention's output and the second of a feed-forward layer. */
const cases: readonly Case[] = [1, 16, 64, 512, 4096].flatMap((m): readonly Case[] => [
  [m, 4096, 4096],
  [m, 4096, 14336],
]);

const withSum = helper((value: number) => ({ value, total: value }));

await compareWays({
  cases,
  file: "products-row-sums",
  method: methods.rowSums,
  over: ["cublasLt and sum", "matmul with sums"],
  async room(device, [m, n, k], dtype) {
    const [x, w, out] = [matrixOf(device, dtype, m, k), matrixOf(device, dtype, n, k), matrixOf(device, dtype, m, n)];
    const total = device.empty("f32", [m]) as DeviceTensor<"f32", 1>;
    fillNormal(x, 1);
    fillNormal(w, 2);
    const weights = w.transpose(1, 0);
    return {
      product: [x, weights, out],
      ways: (product, stream) => [
        {
          name: "matmul with sums",
          launch: () => void matmul(x, weights, { out, stream, epilogue: withSum, outputs: { total: { sum: total } } }),
        },
        { name: "matmul", launch: () => void matmul(x, weights, { out, stream }) },
        {
          name: "matmul and sum",
          launch: () => {
            matmul(x, weights, { out, stream });
            sum(out, { out: total, stream });
          },
        },
        {
          name: "cublasLt and sum",
          launch: () => {
            product();
            sum(out, { out: total, stream });
          },
        },
      ],
      written: [total, out],
      async misses(way) {
        if (way === "matmul") return 0;
        const [elements, got] = [Float32Array.from(await out.read()), await total.read()];
        const expected = Float64Array.from({ length: m }, (_, row) =>
          elements.subarray(row * n, (row + 1) * n).reduce((all, value) => all + value, 0),
        );
        // Elements are rounded after they are summed: by 2^-9 of them, in a random direction.
        const size = Math.sqrt(elements.subarray(0, n).reduce((all, value) => all + value * value, 0));
        return compareRows(got, expected, 2 ** -10, size * 2 ** -6).misses;
      },
      tensors: [x, w, out, total],
    };
  },
});
