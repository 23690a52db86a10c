import type { Device } from "warpsmith";
import type { Schedule } from "warpsmith/schedule";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { CaseRun } from "../../lesson.ts";

const transposed = (x: Float32Array, n: number): Float32Array => x.map((_, i) => x[(i % n) * n + Math.floor(i / n)] ?? 0);

/** Runs a schedule of Z = X @ Yᵀ, n × n, and checks every element. */
export const product = (n: number, make: () => Schedule): CaseRun => ({
  parameters: `${n}×${n}×${n}`,
  async run(gpu: Device) {
    const a = randn(n * n, 1), b = randn(n * n, 2);
    using x = gpu.tensor("f16", [n, n], a), y = gpu.tensor("f16", [n, n], b), z = gpu.zeros("f32", [n, n]);
    z.fill(Number.NaN);
    make().kernel().launch({}, x, y, z);
    const wanted = referenceMatmul(a, transposed(b, n), { M: n, N: n, K: n, input: "f16" });
    assertClose(await z.read(), wanted, { rtol: 1e-3, atol: 1e-3 });
  },
});
