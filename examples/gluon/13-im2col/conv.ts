import {
  assert, cdiv, type Kernel, kernel, Pipeline, range, sharedMemory, type TensorSpec, TileScheduler, TMA, tma, WGMMAMatrix, warp, warpgroup, wgmma,
} from "warpsmith";
import { makePanels, storePart } from "../05-wgmma/operands.ts";
import type { Plan } from "../05-wgmma/plan.ts";

/** A convolution of images [N, H, W, C] with K filters [K, R, S, C]. */
export interface Conv {
  readonly stride: number;
  readonly pad: number;
}

const PIXELS = 128, FILTERS = 64, CHANNELS = 64, STAGES = 4;   // a tile of the product, and a step along its sum
const plan: Plan = { tile: [PIXELS, FILTERS, CHANNELS], warpgroups: 1, stages: STAGES };

type Images = TensorSpec<"f16", 4>;

/** How many places a filter has along each side of an image. */
export const placesOf = ({ shape: [, H, W] }: Pick<Images, "shape">, { shape: [, R, S] }: Pick<Images, "shape">, { stride, pad }: Conv) =>
  [Math.floor((H + 2 * pad - R) / stride) + 1, Math.floor((W + 2 * pad - S) / stride) + 1] as const;

type Convolution = Kernel<[x: TMA<"f16", 4>, w: TMA<"f16", 4>, y: TMA<"f16", 2>]>;

/** y[n, p, q, k] = Σ x[n, p · stride - pad + r, q · stride - pad + s, c] · w[k, r, s, c] as a product of matrices, a row for each n, p, q. */
export function makeConv(conv: Conv): Convolution {
  const tilesOf = ({ shape: [rows, columns] }: { readonly shape: readonly [number, number] }) => [cdiv(rows, PIXELS), cdiv(columns, FILTERS)] as const;
  return kernel(
    { block: 256, grid: (_x, _w, y) => tilesOf(y)[0] * tilesOf(y)[1] },
    function convolution(x: TMA<"f16", 4>, w: TMA<"f16", 4>, y: TMA<"f16", 2>) {
      const [K, R, S, C] = w.shape, [P, Q] = placesOf(x, w, conv), { stride, pad } = conv, blocks = cdiv(C, CHANNELS);
      assert(x.shape[3] === C, `the images have ${x.shape[3]} channels, and the filters ${C}`);
      assert(y.shape[0] === x.shape[0] * P * Q && y.shape[1] === K, `y is [${x.shape[0] * P * Q}, ${K}], not [${y.shape.join(", ")}]`);
      const xTiles = sharedMemory.alloc("f16", [STAGES, PIXELS, CHANNELS], { swizzle: "128B" });
      const wTiles = sharedMemory.alloc("f16", [STAGES, FILTERS, 1, 1, CHANNELS], { swizzle: "128B" });
      const panels = makePanels(plan);
      const pipe = new Pipeline({ stages: STAGES, consumers: 4 });
      pipe.init();
      const tiles = new TileScheduler(tilesOf(y));

      warpgroup.specialize({
        load: { registers: 40, run: () => {
          if (warpgroup.thread !== 0) return;
          for (const { m, n } of tiles) {
            const first = m * PIXELS, q = first % Q, p = Math.floor(first / Q) % P, image = Math.floor(first / (P * Q));
            let put = pipe.producer();
            for (const r of range(R)) for (const s of range(S)) for (const c of range(blocks)) {
              const full = put.acquire(xTiles.at(0).bytes + wTiles.at(0).bytes);
              x.load(xTiles.at(put.index), full, [c * CHANNELS, q * stride - pad, p * stride - pad, image], { offsets: [s, r] });
              w.load(wTiles.at(put.index), full, [c * CHANNELS, s, r, n * FILTERS]);
              put = put.next();
            }
          }
        } },

        multiply: { registers: 232, run: () => {
          const A = WGMMAMatrix.descriptor(xTiles, [PIXELS, CHANNELS]);
          const B = WGMMAMatrix.descriptor(wTiles.reshape(STAGES, FILTERS, CHANNELS).transpose(0, 2, 1), [CHANNELS, FILTERS]);
          const lane = warp.lane;
          for (const { m, n } of tiles) {
            let D = WGMMAMatrix.accumulator("f32", [PIXELS, FILTERS]);
            let get = pipe.consumer(), held = get;
            for (const step of range(R * S * blocks)) {
              get.wait();
              D = D.mma(A.at(get.index), B.at(get.index), { accumulate: step > 0, wait: 1 });
              held.release({ pred: lane === 0 && step > 0 });
              held = get;
              get = get.next();
            }
            wgmma.wait(0);
            storePart(D, y, panels, plan, 0, m, n);
          }
          if (warpgroup.thread === 0) tma.wait(0);
        } },
      });
    },
  );
}

/** The maps of the images, the filters, and the result as a matrix [N · P · Q, K]. */
export function convArgs(x: Images, w: Images, y: TensorSpec<"f16", 2>, { stride, pad }: Conv) {
  const [, R, S] = w.shape;
  return [
    TMA.im2col(x, {
      lower: [-pad, -pad], upper: [pad - (R - 1), pad - (S - 1)], elementStrides: [1, stride, stride, 1],
      channels: CHANNELS, pixels: PIXELS, swizzle: "128B",
    }),
    new TMA(w, { box: [FILTERS, 1, 1, CHANNELS], swizzle: "128B" }),
    new TMA(y, { box: [PIXELS, FILTERS], swizzle: "128B" }),
  ] as const;
}
