// Launches products of warps, which load their operands themselves, with a matrix whose rows begin 66 bytes apart.
import { f32, openDevice } from "warpsmith";
import { block, type Buffer, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const matmul = program({ A: [32, 32], B: [32, 32], C: [32, 32] }, function matmul(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  for (const [i, j, k] of grid(32, 32, 32))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {
      init(() => {
        C[vi][vj] = 0;
      });
      C[vi][vj] += f32(A[vi][vk]) * f32(B[vk][vj]);
    });
});

export async function run() {
  await using gpu = await openDevice("emulator");
  const options = { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 1, storeStage: 1, promoteOperands: "global", promoteC: "registers" } as const;
  const wide = gpu.zeros("f16", [32, 33]).slice([0, 32], [0, 32]);
  const [b, c] = [gpu.zeros("f16", [32, 32]), gpu.zeros("f32", [32, 32])];
  tensorCorePipeline(matmul, options).schedule.kernel().launch({}, wide, b, c); // error: W6303
}
