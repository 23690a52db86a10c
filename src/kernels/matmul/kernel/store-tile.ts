import {
  type Accumulator,
  type ConsumerStage,
  fence,
  namedBarrier,
  type SharedView,
  sharedMemory,
  staticRange,
  syncWarp,
  type Tensor,
  TMA,
  tma,
  WGMMAMatrix,
  warp,
  warpgroup,
} from "warpsmith";
import { applyEpilogue, type Fused } from "../epilogue/epilogue.ts";
import { type Folded, folded, type Partials, type Reduction, storePartial } from "../epilogue/reduce.ts";
import type { HalfType, ResultType } from "../problem/problem.ts";
import type { Geometry, ResultLayout } from "./geometry.ts";
import { storeRows } from "./store-rows.ts";
import { coordinates } from "./walk.ts";

/** D as TMA stores it; or as a tensor, where its rows do not begin at multiples of 16 bytes. */
export type Out = TMA<ResultType> | Tensor<ResultType, 2>;

/** A place in the pipeline from which an epilogue reads: the stages that follow those of A and B. */
export interface FromPipe {
  readonly get: ConsumerStage;
  /** The panel of 64 columns of that number, as it lies in a stage. */
  panel(stage: number, number: number): SharedView<HalfType, 2>;
  /** Panels in a stage. */
  readonly perStage: number;
  /** Whether registers have room for all of it beside the sums: then its stages need not wait until panel by panel is stored. */
  readonly atOnce: boolean;
  release(stage: ConsumerStage): void;
}

/** A matrix that is stored: where it goes, and how. */
interface Stored extends ResultLayout {
  readonly to: Out;
  /** That of `makePanels` for this consumer. */
  readonly buffers: SharedView<ResultType, 3>;
}

export interface Target {
  /** D is the first. */
  readonly results: readonly Stored[];
  readonly geometry: Geometry;
  /** This consumer's number, and the tile's first element in D. */
  readonly wg: number;
  readonly row: number;
  readonly col: number;
  /** Which product of a batch it belongs to. */
  readonly batch: number | undefined;
  /** Where the epilogue gives something for rows. */
  readonly partials: Partials | undefined;
}

/**
 * Where each matrix that is stored lies on its way out: [consumers, buffers, rows, width of a panel], as TMA takes it; where threads store it, [consumers, 1, rows, columns that
 * are stored at a time and 16 bytes more].
 */
export function makePanels({ plan, rows, width, results }: Geometry): readonly SharedView<ResultType, 4>[] {
  "use kernel";
  const { consumers, buffers } = plan;
  return results.map(({ type, swizzle, lines }) => {
    if (lines) return sharedMemory.alloc(type, [consumers, 1, rows, lines.span + lines.unit], { align: 16 });
    return sharedMemory.alloc(type, [consumers, buffers, rows, width], { swizzle });
  });
}

/** Rows of the tile that are this consumer's. */
const heightOf = ({ results }: Target): number => {
  "use kernel";
  return (results[0] as Stored).buffers.shape[1];
};

/** The threads that share the buffers: a warpgroup, or a warp (`alone`), which needs no barrier and stores its 16 rows by itself. */
function makeTeam(alone: boolean) {
  "use kernel";
  const together = namedBarrier(1 + warpgroup.index, 128);
  return {
    alone,
    /** The first row that its leader stores. */
    first: alone ? (warp.index % 4) * 16 : 0,
    leader: alone ? warp.lane === 0 : warpgroup.thread === 0,
    meet: () => {
      if (alone) syncWarp();
      else together.sync();
    },
  };
}

/** What came through the pipeline for the panel of D at column `c` of a tile, the stage that it leaves empty, and the place in the pipeline behind it. */
function take(pipe: FromPipe | undefined, get: ConsumerStage | undefined, c: number, tileN: number, target: Target) {
  "use kernel";
  if (!pipe || !get || c >= tileN) return undefined;
  const rows = heightOf(target);
  const { width } = target.geometry;
  const number = Math.floor(c / 64) % pipe.perStage;
  if (number === 0 && c % 64 === 0) get.wait();
  const tile = WGMMAMatrix.load(pipe.panel(get.index, number).subview([0, c % 64], [rows, width]));
  const end = c + width;
  const emptied = end === tileN || (end % 64 === 0 && number === pipe.perStage - 1) ? get : undefined;
  return { tile, emptied, behind: emptied ? get.next() : get };
}

/** `take` for every panel, and the stages handed back. */
function takeAll(pipe: FromPipe, tileN: number, target: Target) {
  "use kernel";
  const { width } = target.geometry;
  const panels: NonNullable<ReturnType<typeof take>>[] = [];
  let get = pipe.get;
  for (const c of staticRange(0, tileN, width)) {
    const came = take(pipe, get, c, tileN, target);
    if (!came) continue;
    panels.push(came);
    get = came.behind;
  }
  fence.proxyAsync({ space: "shared::cta" });
  syncWarp();
  for (const { emptied } of panels) if (emptied) pipe.release(emptied);
  return panels.map(({ tile, behind }) => ({ tile, behind, emptied: undefined }));
}

/** Sums in the type of D. */
function roundedTo(sums: Accumulator, dtype: ResultType) {
  "use kernel";
  return dtype === "f32" ? sums : sums.convert(dtype);
}

/**
 * Writes a tile to D, panel by panel: while TMA reads one from its buffer, the next are filled. `products`: what it is made of, each by its columns, from left to right;
 * `finish` waits for one of these parts. Gives the place in the pipeline behind what the epilogue has read of it.
 */
export function storeTile(
  products: readonly (readonly Accumulator[])[],
  finish: (part: number) => void,
  target: Target,
  fused: Fused | undefined,
  pipe: FromPipe | undefined,
) {
  "use kernel";
  const { results, geometry, wg, row, col, batch, partials } = target;
  const rows = heightOf(target);
  const byTma = results.some(({ to }) => to instanceof TMA);
  const count = Math.max(...results.map(({ buffers }) => buffers.shape[0]));
  const { width, edge, partColumns } = geometry;
  const parts = products[0] as readonly Accumulator[];
  const left = (parts[0] as Accumulator).shape[1];
  const tileN = parts.reduce((columns, part) => columns + part.shape[1], 0);
  const fetched = fused !== undefined && Object.keys(fused.columns).length > 0;
  const { alone, first, leader, meet } = makeTeam(geometry.plan.stores === "warp" && byTma && !pipe && !fetched);
  const taken = pipe?.atOnce ? takeAll(pipe, tileN, target) : undefined;
  const reductions = fused?.reductions ?? {};
  const reduced = Object.keys(reductions);
  const inRows: (Folded | undefined)[] = reduced.map(() => undefined);
  /** Writes what there is of rows in the part that ends with column `end` of the tile. */
  const endPart = (end: number) => {
    const part = Math.trunc(col / partColumns) + Math.ceil(end / partColumns) - 1;
    for (const [i, name] of reduced.entries()) {
      storePartial(partials as Partials, reductions, name, [batch ?? 0, part, row], inRows[i] as Folded);
      inRows[i] = undefined;
    }
  };
  const storePanel = (to: TMA<ResultType>, panel: SharedView<ResultType, 2>, c: number) => {
    for (const r of staticRange(0, rows, alone ? 64 : rows)) {
      const part = panel.subview([r + first, 0], [alone ? 16 : rows, width]);
      to.store(part, coordinates(col + c, row + r + first, batch), { outside: true }); // of a tile that hangs over the edge
    }
  };
  finish(0);
  let came = taken ? taken[0] : take(pipe, pipe?.get, 0, tileN, target);
  let behind = came?.behind;
  for (const c of staticRange(0, tileN, width)) {
    const iter = c / width;
    if (c === left) finish(1);
    const reused = byTma && (iter === 0 || iter >= count);
    if (reused && leader) tma.wait(iter === 0 ? 0 : count - 1, { read: true }); // what was in this buffer has left it
    if (reused || (iter === 0 && fetched)) meet(); // and every thread has fetched its columns
    const sums = products.map((parts) => {
      const [part, from] = c < left ? [parts[0], 0] : [parts[1], left];
      return (part as Accumulator).columns(c - from, width);
    });
    const made = fused && applyEpilogue(fused, sums, came?.tile, { wg, row, col: col + c, inTile: c });
    for (const [i, name] of reduced.entries()) {
      const panel = made?.more[name] as Accumulator;
      inRows[i] = folded(reductions[name] as Reduction, inRows[i], panel, c % partColumns);
    }
    for (const { name, to, type, buffers, lines } of results) {
      const elements = made ? (made.more[name] ?? made.elements) : (sums[0] as Accumulator);
      const result = roundedTo(elements, type);
      const panel = buffers.at(iter % buffers.shape[0]);
      if (to instanceof TMA) result.store(panel);
      else if (lines) storeRows({ to, lines, room: panel, row, col, edge }, result, c, tileN);
    }
    const emptied = came?.emptied;
    came = taken ? taken[iter + 1] : take(pipe, behind, c + width, tileN, target); // while the barrier is waited for
    behind = came?.behind ?? behind;
    if (byTma || pipe) fence.proxyAsync({ space: "shared::cta" });
    if (byTma || pipe || fetched) meet();
    if (leader && byTma) {
      for (const { to, buffers } of results) {
        if (to instanceof TMA) storePanel(to, buffers.at(iter % count), c);
      }
      tma.commit();
    }
    if (emptied) pipe?.release(emptied);
    const end = c + width;
    if (end < tileN && end % partColumns === 0) endPart(end);
  }
  endPart(tileN);
  return behind;
}
