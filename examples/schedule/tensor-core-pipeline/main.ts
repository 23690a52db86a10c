// node --import warpsmith/register examples/schedule/tensor-core-pipeline/main.ts [--print-after-all]
import { openDevice } from "warpsmith";
import { tensorCorePipeline } from "warpsmith/schedule";
import { adding } from "./products.ts";

/** The case that IREE's pipeline is shown with: 512 × 128 · 128 × 512 += f16; smaller where no GPU runs it. */
const printing = process.argv.includes("--print-after-all");
const options = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 } as const;
if (printing) console.log(tensorCorePipeline(adding([512, 512, 128]), options).printAfterAll());
else {
  const [m, n, k] = [64, 64, 64] as const;
  await using gpu = await openDevice();
  const { schedule, passes } = tensorCorePipeline(adding([m, n, k]), options);
  const A = gpu.tensor("f16", [m, k], Array.from({ length: m * k }, (_, i) => (i % 5) - 2));
  const B = gpu.tensor("f16", [k, n], Array.from({ length: k * n }, (_, i) => (i % 3) - 1));
  const C = gpu.tensor("f16", [m, n], new Array(m * n).fill(1));
  schedule.kernel().launch({}, A, B, C);
  const out = await C.read();
  console.log(`${passes.length} passes; C[0][0] = ${out[0]}, C[${m - 1}][${n - 1}] = ${out[m * n - 1]}`);
}
