// Computes in a copy that is asynchronous.
import { tensorSpec } from "warpsmith";
import { alloc, annotate, type Buffer, bind, block, effect, program, programKernel, spatial } from "warpsmith/schedule";

const wrong = program({ X: [64], Z: [64] }, function wrong(X: Buffer<"f32", 1>, Z: Buffer<"f32", 1>) {
  const S = alloc("f32", [64], "shared");
  for (const t of bind("threadIdx.x", 64))
    block("copy", { v: spatial(t) }, ({ v }) => {
      annotate({ async: true });
      S[v] = X[v] * 2; // error: W5604
    });
  effect("asyncCommit");
  effect("asyncWait", 0);
  for (const t of bind("threadIdx.x", 64)) Z[t] = S[63 - t];
});

export const run = () => programKernel(wrong).compile(tensorSpec("f32", [64]), tensorSpec("f32", [64]));
