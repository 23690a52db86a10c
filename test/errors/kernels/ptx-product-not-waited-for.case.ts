// Leaves a product under way.
import { kernel, ptx, sharedMemory, type Tensor, threadIdx, tensorSpec } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong(x: Tensor<"u32", 1>) {
  const s = sharedMemory.alloc("f16", [64, 64], { swizzle: "128B" });
  const out = ptx(
    `{ .reg .f32 d<4>; .reg .pred fresh;
       mov.f32 d0, 0.0; mov.f32 d1, 0.0; mov.f32 d2, 0.0; mov.f32 d3, 0.0;
       setp.eq.u32 fresh, $1, $1;
       wgmma.fence.sync.aligned;
       wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d0, d1, d2, d3}, $2, $2, fresh, 1, 1, 0, 0; // error: W2813
       wgmma.commit_group.sync.aligned;
       mov.b32 $0, d0; }`,
    { out: "u32" },
    s,
    1n,
  );
  x[threadIdx.x] = out;
});

export const run = () => wrong.compile(tensorSpec("u32", [128]));
