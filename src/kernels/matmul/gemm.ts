import {
  blockIdx,
  cluster,
  type f32,
  gridDependency,
  type Kernel,
  kernel,
  namedBarrier,
  Pipeline,
  syncWarp,
  TileScheduler,
  TMA,
  threadIdx,
  warpgroup,
} from "warpsmith";
import { compute } from "./compute.ts";
import { type Epilogue, type Fused, type Inputs, makeColumns } from "./epilogue.ts";
import { makeExchange } from "./exchange.ts";
import { geometryOf } from "./geometry.ts";
import { load } from "./load.ts";
import type { PanelMaps } from "./maps.ts";
import type { Plan } from "./plan.ts";
import type { HalfType, Problem } from "./problem.ts";
import { makeStages } from "./stages.ts";
import { makePanels, type Out } from "./store-tile.ts";

type Map = TMA<HalfType, 2>;

/** Alpha and beta where the sum is scaled, and only there. */
type GemmParameters = [a: Map, b: PanelMaps, d: Out, input: PanelMaps, inputs: Inputs, alpha?: number, beta?: number];

/** Warps of a warpgroup. */
const WARPS = 4;

/**
 * D = A @ B. One warpgroup loads stages of A and B; the consumers multiply: together on one tile (`cooperative`), or each on
 * tiles of its own (`pingpong`), one multiplying while the other stores.
 */
export function makeGemm(problem: Problem, plan: Plan, epilogue?: Epilogue): Kernel<GemmParameters> {
  const { scaling, inputs: kinds = {}, overlaps = false } = problem;
  const { consumers, group } = plan;
  const geometry = geometryOf(problem, plan);
  const { peers, splits, stored, pingpong, tiles, edge } = geometry;

  const body = (a: Map, b: PanelMaps, d: Out, input: PanelMaps, inputs: Inputs, scale: Fused["scale"]) => {
    "use kernel";
    const stages = makeStages(geometry);
    const columns = makeColumns(kinds, consumers, stored);
    const fused = (epilogue || scale) && { fn: epilogue, scale, kinds, given: inputs, columns, edge };
    const panels = makePanels(geometry);
    const pipe = new Pipeline({ stages: plan.stages, consumers: (pingpong ? 1 : consumers) * WARPS, peers });
    if (threadIdx.x === 0)
      for (const map of [a, ...Object.values(b), d, ...Object.values(input)]) if (map instanceof TMA) map.prefetch();
    const exchange = makeExchange(geometry);
    pipe.init({ sync: peers > 1 });
    if (exchange) cluster.arrive();
    if (overlaps) gridDependency.wait(); // from here on memory is as the launch before has left it
    const started = namedBarrier(15, 128 * (1 + consumers));
    // Each part of K counts as a row of tiles.
    const order = new TileScheduler([tiles[0] * splits, tiles[1]], {
      mode: "persistent",
      order: plan.order ?? "grouped",
      group: group * splits,
      cluster: [plan.cluster[0] * splits, plan.cluster[1]],
    });
    const from = Math.trunc(blockIdx.x / (peers * splits));
    const common = { geometry, stages, pipe, started, order, from };
    const [few, many] = consumers === 2 ? [{ registers: 40 }, { registers: 232 }] : [{}, {}];
    warpgroup.specialize({
      producer: {
        ...few,
        run: () => {
          load({ ...common, a, b, input });
          if (!exchange) return;
          syncWarp();
          cluster.wait();
        },
      },
      consumer: { ...many, warpgroups: consumers, run: (wg) => compute({ ...common, d, fused, panels, exchange }, wg) },
    });
  };

  const config = {
    ...{ block: 128 * (1 + consumers), grid: plan.blocks, cluster: peers * splits },
    // A function of the caller's may depend on anything.
    ...(epilogue ? {} : { cacheKey: JSON.stringify([problem, plan]) }),
  };
  if (!scaling)
    return kernel(config, function gemm(a: Map, b: PanelMaps, d: Out, input: PanelMaps, inputs: Inputs) {
      body(a, b, d, input, inputs, undefined);
    });
  return kernel(config, function gemm(a: Map, b: PanelMaps, d: Out, input: PanelMaps, inputs: Inputs, alpha: f32, beta: f32) {
    body(a, b, d, input, inputs, { ...scaling, alpha, beta });
  });
}
