// Calls an axis spatial whose iterations store in the same elements, which a remainder chooses: only a run shows it.
import { openDevice } from "warpsmith";
import { block, type Buffer, bind, program, programKernel, spatial } from "warpsmith/schedule";

const fold = program({ A: [64], B: [32] }, function fold(A: Buffer<"f32", 1>, B: Buffer<"f32", 1>) {
  for (const j of bind("threadIdx.x", 64))
    block("fold", { vj: spatial(j) }, ({ vj }) => {
      B[vj % 32] += A[vj]; // error: W9201
    });
});

export async function run() {
  await using gpu = await openDevice("emulator", { check: "strict" });
  programKernel(fold).launch({}, gpu.zeros("f32", [64]), gpu.zeros("f32", [32]));
  await gpu.sync();
}
