// Lets two warpgroups take turns where a block makes one tile, in no loop.
import { alloc, bind, block, type Buffer, grid, intrinsic, program, Schedule } from "warpsmith/schedule";

const product = program({ A: [256, 256], B: [64, 256], C: [256, 64] }, function product(A: Buffer<"f16", 2>, B: Buffer<"f16", 2>, C: Buffer<"f32", 2>) {
  const a = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const b = alloc("f16", [64, 64], "shared", { swizzle: "128B" });
  const c = alloc("f32", [64, 64], "wgmma.accumulator");
  for (const t of bind("blockIdx.x", 4)) {
    intrinsic("wgmma_fill_f32_64x64", c.region([0, 64], [0, 64]));
    for (const k of grid(4)) {
      intrinsic("tma_load_f16_64x64_128B", A.region([t * 64, 64], [k * 64, 64]), a.region([0, 64], [0, 64]));
      intrinsic("tma_load_f16_64x64_128B", B.region([0, 64], [k * 64, 64]), b.region([0, 64], [0, 64]));
      block("multiply", {}, () => {
        intrinsic("wgmma_sync_f16_f32_64x64x64_nt", a.region([0, 64], [0, 64]), b.region([0, 64], [0, 64]), c.region([0, 64], [0, 64]));
      });
    }
    intrinsic("wgmma_store_f32_64x64", c.region([0, 64], [0, 64]), C.region([t * 64, 64], [0, 64]));
  }
});

export const run = () => {
  const s = new Schedule(product);
  const [, k] = s.getLoops(s.getBlock("multiply"));
  s.warpSpecialize(k, { stages: 3, pingpong: 2 }); // error: W5575
};
