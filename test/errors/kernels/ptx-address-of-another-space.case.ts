// Loads from shared memory as if it were global.
import { kernel, ptx, sharedMemory, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const s = sharedMemory.alloc("u32", [32]);
  const t = threadIdx.x;
  s[t] = x[t]!;
  x[t] = ptx("ld.global.u32 $0, [$1];", { out: "u32" }, s.at(t)); // error: W2808
});

export const run = () => wrong.compile(tensorSpec("u32", [32]));
