// Results of f16, bf16 and f32, with alpha and beta and epilogues, into memory that TMA stores and that it does not, on a device: what test/gpu/matmul.test.ts and
// test/unit/kernels/result-rows.test.ts ask, for machines without vitest.
//
//   node --import warpsmith/register test/tools/products-on-gpu.ts [--device emulator] [--small] [--size 2]
import { parseArgs } from "node:util";
import { helper, openDevice } from "warpsmith";
import { matmul } from "warpsmith/kernels";
import { randn } from "warpsmith/testing";
import { changedBeside, partOf, type ResultType } from "../unit/kernels/parts.ts";
import { distance, type Finish, layouts, operandsOf, type Size } from "../unit/kernels/products.ts";

const { values: options } = parseArgs({
  options: { device: { type: "string", default: "cuda" }, small: { type: "boolean", default: false }, size: { type: "string" } },
});
await using device = await openDevice(options.device as "cuda");
const types = ["f16", "bf16", "f32"] as const;
const someRows = (m: number): readonly number[] =>
  [...new Set([0, 1, Math.floor(m / 3), Math.floor(m / 2) + 5, m - 2, m - 1])].filter((row) => row >= 0 && row < m);

let [cases, wrong] = [0, 0];
function judge(name: string, off: number, beside = 0): void {
  cases++;
  if (off < 1 && beside === 0) return;
  wrong++;
  console.log(`${name}: off by ${off} of what it may be, ${beside} elements beside it changed`);
}

const sizes: readonly Size[] = options.small
  ? [{ m: 70, n: 45, k: 40 }]
  : [
      { m: 1000, n: 776, k: 1032 },
      { m: 520, n: 1001, k: 264 },
      { m: 16, n: 1030, k: 4104 },
      { m: 100, n: 100, k: 8192 },
      { m: 2048, n: 2050, k: 128 },
      { m: 5293, n: 499, k: 24 },
    ];
const places = [
  [0, 0],
  [1, 0],
  [2, 2],
  [3, 1],
  [4, 4],
  [8, 3],
] as const;
const scaled = helper(
  (value: number, { previous, bias }: { readonly previous: number; readonly bias: number }) =>
    Math.max(value + bias, 0) + previous,
);

async function check(dtype: ResultType, size: Size, [more, begin]: (typeof places)[number], layout: (typeof layouts)[number]) {
  const { m, n } = size;
  const of = dtype === "bf16" ? "bf16" : "f16";
  const { a, b } = operandsOf(device, of, layout, size);
  const pitch = Math.ceil((n + begin) / 8) * 8 + more;
  const { memory, part } = partOf(device, dtype, [m, n], { pitch, begin });
  const name = `${dtype} of ${of} ${layout} ${m}x${n}x${size.k}, rows ${pitch} apart, from ${begin} on`;
  const rows = someRows(m);
  const judged = async (what: string, finish: Finish, slack = 1): Promise<void> =>
    judge(`${name}: ${what}`, (await distance(part, a, b, finish, rows)) / slack, await changedBeside(memory, n, begin));
  matmul(a, b, { out: part });
  await judged("a @ b", (value) => value);
  part.fill(3);
  matmul(a, b, { out: part, alpha: 0.5, beta: -2 });
  await judged("alpha a @ b + beta out", (value) => 0.5 * value - 6);
  part.fill(Number.NaN);
  matmul(a, b, { out: part, alpha: -1, beta: 0 });
  await judged("out is not read where beta is 0", (value) => -value);
  part.fill(2);
  const bias = randn(n, 3);
  using given = device.tensor("f32", [n], bias);
  matmul(a, b, { out: part, alpha: 2, beta: 0.5, inputs: { previous: part, bias: given }, epilogue: scaled });
  await judged("before an epilogue that reads out", (value, _, col) => Math.max(2 * value + 1 + (bias[col] ?? 0), 0) + 2, 4);
  for (const tensor of [memory, a, b]) tensor.dispose();
}

for (const [i, size] of sizes.entries()) {
  if (options.size !== undefined && Number(options.size) !== i) continue;
  for (const [j, dtype] of types.entries())
    for (const [k, place] of places.entries())
      if ((i + j + k) % 2 === 0) await check(dtype, size, place, layouts[((i + j + k / 2) % 4) | 0] ?? "nt");
}
console.log(`${device.name}: ${cases} results, ${wrong} wrong`);
if (wrong > 0) process.exitCode = 1;
