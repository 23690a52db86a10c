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
  type Tensor,
  TileScheduler,
  TMA,
  threadIdx,
  warpgroup,
} from "warpsmith";
import type { Kept } from "../../common/made.ts";
import { fail } from "../../errors.ts";
import { type Epilogue, type Fused, type Inputs, makeColumns } from "../epilogue/epilogue.ts";
import { gate } from "../epilogue/gate.ts";
import type { Partials } from "../epilogue/reduce.ts";
import { columnsOf, type Plan } from "../plan/plan.ts";
import type { HalfType, Problem } from "../problem/problem.ts";
import { compute } from "./compute.ts";
import { makeExchange } from "./exchange.ts";
import { blocksFor, forRows, type Geometry, geometryOf } from "./geometry.ts";
import { load, producersOf } from "./load.ts";
import type { PanelMaps, WeightMaps } from "./maps.ts";
import { makeStages } from "./stages.ts";
import { makePanels, type Out } from "./store-tile.ts";

/** Of two dimensions, or, of a batch, of three: a map, or the matrix in the order of memory where threads load it. */
type Map = TMA<HalfType> | Tensor<HalfType, 2 | 3>;

/** Alpha and beta where the sum is scaled, and only there. */
type GemmParameters = [
  a: Map,
  b: WeightMaps,
  d: Out,
  input: PanelMaps,
  inputs: Inputs,
  written: Written,
  alpha?: number,
  beta?: number,
];

/** What is written beside D. */
export interface Written {
  /** What tiles have of each row, where the epilogue gives something for rows. */
  readonly partials?: Partials;
  /** Where what else it gives for each element goes, by name. */
  readonly further?: Readonly<Record<string, Out>>;
}

/** Warps of a warpgroup. */
const WARPS = 4;

/** Registers of the threads that load, and of those that multiply, where there are three warpgroups. */
const registersFor = ({ byThreads }: Problem) =>
  byThreads ? ([{ registers: 120 }, { registers: 192 }] as const) : ([{ registers: 40 }, { registers: 232 }] as const);

/** Which dimension of the map of A has its rows. */
const rowsOfA = ({ aMajor, batch }: Problem): number => (aMajor === "k" ? 0 : 1) + (batch?.ofA ? 1 : 0);

/** As many rows as that, where the kernel computes them all. A build has no number yet. W7665. */
function served({ m: most }: Problem, rows: number): number {
  if (typeof rows === "number" && rows > most) fail("W7665", { rows, most });
  return rows;
}

/** Which dimensions of the kernel's arguments are rows of A. */
function dynamicRows({ problem, plan, through }: Geometry): Readonly<Record<string, readonly number[]>> {
  const { whole, rest } = columnsOf(plan, "mn");
  const inputs = Object.entries(problem.inputs ?? {}).filter(([, kind]) => kind.through === "global" && kind.shape !== "column");
  const rows = [problem.batch ? 1 : 0];
  return {
    a: [rowsOfA(problem)],
    d: rows,
    ...(problem.reductions ? { "written.partials": [3] } : {}),
    ...Object.fromEntries(Object.keys(problem.further ?? {}).map((name) => [`written.further.${name}`, rows])),
    ...(through && whole > 0 ? { "input.whole": rows } : {}),
    ...(through && rest > 0 ? { "input.rest": rows } : {}),
    ...Object.fromEntries(inputs.map(([name]) => [`inputs.${name}`, rows])),
  };
}

/**
 * D = A @ B, or, of a pair, what an epilogue makes of A @ B and A @ B.second. One warpgroup loads stages of A and B; the consumers multiply: together on one tile (`cooperative`), or each on
 * tiles of its own (`pingpong`), one multiplying while the other stores.
 */
export function makeGemm(problem: Problem, plan: Plan, epilogue?: Epilogue, kept: Kept = {}): Kernel<GemmParameters> {
  const { scaling, inputs: kinds = {}, reductions = {}, overlaps = false, dynamicM = false } = problem;
  const { consumers, group } = plan;
  const fixed = geometryOf(problem, plan);
  const { peers, splits, stored, pingpong } = fixed;
  const further = Object.keys(problem.further ?? {});
  const rowsAre = rowsOfA(problem);
  const fn = epilogue ?? (problem.pair ? gate : undefined);

  const body = (a: Map, b: WeightMaps, d: Out, input: PanelMaps, inputs: Inputs, written: Written, scale: Fused["scale"]) => {
    "use kernel";
    const geometry = dynamicM ? forRows(fixed, a.shape[rowsAre] as number) : fixed;
    const { tiles, edge } = geometry;
    const stages = makeStages(geometry);
    const columns = makeColumns(kinds, consumers, stored);
    const fused = (fn || scale) && { fn, scale, kinds, given: inputs, columns, edge, reductions, further };
    const panels = makePanels(geometry);
    const pipe = new Pipeline({
      ...{ stages: plan.stages, producers: producersOf(fixed) },
      ...{ consumers: (pingpong ? 1 : consumers) * WARPS, peers },
    });
    const to = [d, ...further.map((name) => written.further?.[name] as Out)];
    const maps: readonly unknown[] = [a, ...Object.values(b), ...Object.values(b.second ?? {}), ...to, ...Object.values(input)];
    if (threadIdx.x === 0) for (const map of maps) if (map instanceof TMA) map.prefetch();
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
    const [few, many] = consumers === 2 ? registersFor(problem) : [{}, {}];
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
      consumer: {
        ...many,
        warpgroups: consumers,
        run: (wg) => compute({ ...common, to, fused, partials: written.partials, panels, exchange }, wg),
      },
    });
  };

  const config = {
    ...{ ...kept, block: 128 * (1 + consumers), cluster: peers * splits },
    grid: dynamicM
      ? (a: { readonly shape: readonly number[] }) => blocksFor(fixed, served(problem, a.shape[rowsAre] ?? 0))
      : plan.blocks,
    ...(dynamicM ? { dynamic: dynamicRows(fixed) } : {}),
  };
  if (!scaling)
    return kernel(config, function gemm(a: Map, b: WeightMaps, d: Out, input: PanelMaps, inputs: Inputs, written: Written) {
      body(a, b, d, input, inputs, written, undefined);
    });
  return kernel(
    config,
    function gemm(a: Map, b: WeightMaps, d: Out, input: PanelMaps, inputs: Inputs, written: Written, alpha: f32, beta: f32) {
      body(a, b, d, input, inputs, written, { ...scaling, alpha, beta });
    },
  );
}
