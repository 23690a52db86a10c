// Exchanges elements among half of the threads.
import { tensorSpec } from "warpsmith";
import { alloc, type Buffer, bind, program, programKernel } from "warpsmith/schedule";

const wrong = program({ X: [64], Z: [128] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const S = alloc("f32", [64], "shared");
  for (const t of bind("threadIdx.x", 64)) {
    S[t] = X[t];
    Z[t] = S[63 - t]; // error: W5598
  }
  for (const t of bind("threadIdx.x", 128)) Z[t] += 1;
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]), tensorSpec("f32", [128]));
