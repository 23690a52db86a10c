import {
  fence, type Kernel, kernel, Mbarriers, sharedMemory, staticRange, syncThreads, type Tensor, type TensorSpec, TMA, threadIdx, WGMMAMatrix, warpgroup, wgmma,
} from "warpsmith";
import { productShapes, sameShape } from "../shapes.ts";

const M = 64;                                          // rows of every wgmma instruction

export interface SmallPlan {
  /** Columns of one instruction: a multiple of 8 up to 256. */
  readonly width: number;
  /** Each of them computes a part of the columns. */
  readonly warpgroups: 1 | 2;
  /** Whether A comes from registers; else from shared memory, as B always does. */
  readonly registers: boolean;
}

type Small = Kernel<[a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: Tensor<"f32", 2>, d: Tensor<"f32", 2>]>;

/** D = A @ B + C for one tile: A is [64, K], B is [K, N]. */
export function makeSmall({ width, warpgroups, registers }: SmallPlan): Small {
  return kernel({ block: 128 * warpgroups, grid: 1 }, function small(a: TMA<"f16", 2>, b: TMA<"f16", 2>, c: Tensor<"f32", 2>, d: Tensor<"f32", 2>) {
    productShapes(a, b, d);
    sameShape(c, d);
    const [K, N] = b.shape, pieces = N / width;
    const aTile = sharedMemory.alloc("f16", [M, K], { swizzle: a.swizzle });
    const bTiles = sharedMemory.alloc("f16", [pieces, K, width], { swizzle: b.swizzle });
    const loaded = new Mbarriers(1).at(0);
    if (threadIdx.x === 0) {
      loaded.init(1);
      fence.mbarrierInit();
      loaded.arrive({ tx: aTile.bytes + bTiles.bytes });
      a.load(aTile, loaded, [0, 0]);
      for (const p of staticRange(pieces)) b.load(bTiles.at(p), loaded, [p * width, 0]);
    }
    syncThreads();
    loaded.wait(false);

    const A = registers ? WGMMAMatrix.fromRegisters(WGMMAMatrix.load(aTile)) : WGMMAMatrix.descriptor(aTile, [M, K]);
    const B = WGMMAMatrix.descriptor(bTiles, [K, width]);
    const mine = [...staticRange(pieces / warpgroups)].map((i) => {
      const p = warpgroup.index * (pieces / warpgroups) + i, part = [0, p * width] as const;
      const D = WGMMAMatrix.load(c.subview(part, [M, width]));         // begins with C
      return { D: D.mma(A, B.at(p)), out: d.subview(part, [M, width]) };
    });
    wgmma.wait(0);                                     // products are asynchronous: now all of them are done
    for (const { D, out } of mine) D.store(out);
  });
}

type Matrix = TensorSpec<"f16", 2>;
const swizzles = { 16: "32B", 32: "64B", 64: "128B" } as const;
const swizzleOf = (columns: number) => swizzles[Math.min(columns, 64) as keyof typeof swizzles];

/** The tensor maps of A and B for a plan. */
export const smallMaps = (a: Matrix, b: Matrix, { width }: SmallPlan) => [
  new TMA(a, { box: [M, Math.min(64, a.shape[1])], swizzle: swizzleOf(a.shape[1]) }),
  new TMA(b, { box: [b.shape[0], Math.min(64, width)], swizzle: swizzleOf(width) }),
] as const;
