// Has TMA store rows of 44 f16 into a slice of rows of 64, over what lies behind.
import { f16, f32, openDevice } from "warpsmith";
import { alloc, type Buffer, block, grid, init, program, reduce, spatial, tensorCorePipeline } from "warpsmith/schedule";

const product = program({ A: [64, 64], B: [44, 64], C: [64, 44] }, function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f16", 2>) {
  const S = alloc("f32", [64, 44], "global");
  for (const [i, j, k] of grid(64, 44, 64))
    block("matmul", { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => { // error: W7675
      init(() => {
        S[vi][vj] = 0;
      });
      S[vi][vj] += f32(A[vi][vk]) * f32(B[vj][vk]);
    });
  for (const [i, j] of grid(64, 44))
    block("convert", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {
      C[vi][vj] = f16(S[vi][vj]);
    });
});

export async function run() {
  await using gpu = await openDevice();
  const options = { instruction: "wgmma", tile: [64, 64, 64], workgroup: [128, 1, 1], depth: 2, pad: true, stores: "warpgroup" } as const;
  const c = gpu.zeros("f16", [64, 64]).slice(undefined, [0, 44]);
  tensorCorePipeline(product, options).schedule.kernel().launch({}, gpu.zeros("f16", [64, 64]), gpu.zeros("f16", [44, 64]), c);
}
