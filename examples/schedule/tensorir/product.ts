import type { Device } from "warpsmith";
import type { Schedule } from "warpsmith/schedule";
import { assertClose, randn, referenceMatmul } from "warpsmith/testing";
import type { CaseRun } from "../../lesson.ts";

interface Matrices {
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** X @ Yᵀ by sums on the host. */
  readonly z: Float64Array;
}
const transposed = (x: Float32Array, n: number): Float32Array => x.map((_, i) => x[(i % n) * n + Math.floor(i / n)] ?? 0);

function matricesOf(n: number): Matrices {
  const x = randn(n * n, 1), y = randn(n * n, 2);
  return { x, y, z: referenceMatmul(x, transposed(y, n), { M: n, N: n, K: n, input: "f16" }) };
}
/** The matrices of the size that came last: all programs of a lesson are checked with the same. */
let latest: { readonly n: number; readonly matrices: Matrices } | undefined;

/** Runs a schedule of Z = X @ Yᵀ, n × n, and checks every element. */
export const product = (n: number, make: () => Schedule): CaseRun => ({
  parameters: `${n}×${n}×${n}`,
  async run(gpu: Device) {
    if (latest?.n !== n) latest = { n, matrices: matricesOf(n) };
    const { matrices } = latest;
    using x = gpu.tensor("f16", [n, n], matrices.x), y = gpu.tensor("f16", [n, n], matrices.y), z = gpu.zeros("f32", [n, n]);
    z.fill(Number.NaN);
    make().kernel().launch({}, x, y, z);
    assertClose(await z.read(), matrices.z, { rtol: 1e-3, atol: 1e-3 });
  },
});
