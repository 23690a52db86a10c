// Launches a kernel that copies asynchronously with a part of a vector that begins at its second element.
import { openDevice } from "warpsmith";
import { alloc, annotate, block, type Buffer, bind, effect, program, programKernel, spatial, vectorized } from "warpsmith/schedule";

const stage = program({ X: [256], Z: [256] }, function stage(X: Buffer<"f16", 1>, Z: Buffer<"f16", 1>) {
  const S = alloc("f16", [256], "shared");
  for (const i of bind("threadIdx.x", 32))
    for (const v of vectorized(8))
      block("in", { vi: spatial(256, i * 8 + v) }, ({ vi }) => {
        annotate({ async: true });
        S[vi] = X[vi];
      });
  effect("asyncCommit");
  effect("asyncWait", 0);
  for (const i of bind("threadIdx.x", 32))
    for (const v of vectorized(8))
      block("out", { vi: spatial(256, i * 8 + v) }, ({ vi }) => {
        Z[vi] = S[vi];
      });
});

export async function run() {
  await using gpu = await openDevice("emulator");
  programKernel(stage).launch({}, gpu.zeros("f16", [300]).slice([1, 257]), gpu.zeros("f16", [256])); // error: W5579
}
