/**
 * Stores of a warpgroup's registers by TMA, as families: `tma_store_<dtype>_<m>x<n>`, `tma_store_<dtype>_<m>x<n>_<by>` and
 * `tma_store_<dtype>_<m>x<n>_<by>_<panels>`. Rows go to shared
 * memory panel by panel, each 128 bytes wide and 8 KiB large at most, and while TMA reads some of `panels` panels, 2 of them by default, from there the next is filled. `by` says who does
 * that: "warpgroup", which meets at a barrier of its own, or "warp", each for its 16 rows. PTX ISA 9.7.9.27.
 */

import { elementBytes } from "../../base/element-types.ts";
import type { DType, Swizzle } from "../../base/types.ts";
import type { Accumulator, SharedView } from "../../dsl/emit.ts";
import { binary, fence, syncWarp, tma, warp, warpgroup } from "../../dsl/emit.ts";
import { clipped, copyOf, part } from "./describe.ts";
import { type Fields, wholeNumber } from "./family.ts";
import { oneThread } from "./one-thread.ts";
import {
  type Deferred,
  intrinsicFamily,
  type MappedPart,
  type RegisterTile,
  type Surroundings,
  type TensorIntrinsicParts,
} from "./registry.ts";
import { accumulators } from "./wgmma-parts.ts";
import { extentsOf, isOneOf, list, shapes } from "./wgmma-shapes.ts";

const types = ["f32", "f16", "bf16", "i32"] as const;
const teams = ["warpgroup", "warp"] as const;
type By = (typeof teams)[number];

/** Panels that are under way at a time, unless the name says so, and the most that it may say. */
const usualPanels = 2;
const mostPanels = 8;
/** Of the 64 rows that a warpgroup has side by side, each warp has 16. PTX ISA 9.7.15.5.2. */
const rowsOfWarp = 16;
const rowsOfWarpgroup = 64;
/** The most rows that one instruction moves. */
const mostRows = 256;
/** The most bytes of a panel: those of more rows are narrower, so that stages of a pipeline have room beside them. */
const mostBytes = 8192;

interface Panels {
  readonly count: number;
  readonly rows: number;
  readonly width: number;
  /** Columns of the last panel, where it is narrower than the others. */
  readonly rest: number;
  readonly swizzle: Swizzle;
  readonly by: By;
}

/**
 * The panels of [rows, columns] of a type: as wide as the widest swizzle, and the last of many is what is left. Of few they are all the same, so that each
 * fills the shared memory that is stored.
 */
function panelsOf(dtype: DType, [rows, columns]: readonly [number, number], by: By, most: number): Panels {
  const bytes = columns * elementBytes[dtype];
  const wide = ([128, 64, 32] as const)
    .filter((n) => n * rows <= mostBytes || n === 32)
    .find((n) => bytes % n === 0 || bytes > usualPanels * n);
  const width = (wide ?? 16) / elementBytes[dtype];
  const count = Math.min(most, Math.ceil(columns / width));
  return { count, rows, width, rest: columns % width, swizzle: wide ? `${wide}B` : "none", by };
}

/** Rows that one instruction of TMA stores. */
const boxRows = ({ by, rows }: Panels): number => (by === "warp" ? rowsOfWarp : rows <= mostRows ? rows : rowsOfWarpgroup);

/** The threads that share panels: one of them stores, from row `first` of each 64 or of all. */
function teamOf(by: By) {
  const number = by === "warp" ? binary("*", binary("%", warp.index, 4), rowsOfWarp) : 0;
  return {
    first: number,
    leader: <T>(run: () => T): void => oneThread(by === "warp" ? warp.lane : warpgroup.thread, run),
    meet: (): void => (by === "warp" ? syncWarp() : warpgroup.sync()),
  };
}

const plus = (a: unknown, b: unknown): number => binary("+", a, b) as number;

/** Registers of a thread that hold what is read ahead for panels. */
const mostHeld = 64;

/** The columns of registers, panel after panel: what is read of memory for one that is deferred is read ahead. */
function* panelsIn(given: Accumulator | Deferred, width: number): Generator<() => Accumulator> {
  const [, columns] = given.shape;
  const begin = (c: number): (() => Accumulator) => {
    const count = Math.min(width, columns - c);
    return "begin" in given ? given.begin(c, count) : () => given.columns(c, count);
  };
  const ahead = "begin" in given && given.held > 0 ? Math.max(1, Math.floor(mostHeld / ((given.held * width) / 8))) : 1;
  const begun: (() => Accumulator)[] = [];
  for (let c = 0; c < columns; c += width) {
    while (begun.length < ahead && c + begun.length * width < columns) begun.push(begin(c + begun.length * width));
    const next = begun.shift();
    if (next) yield next;
  }
}

/** Stores registers panel by panel. Coordinates are innermost first; panels that lie outside are clipped. */
function storePanels(panels: Panels, given: Accumulator | Deferred, target: MappedPart, around: Surroundings): void {
  const { count, rows, width, by } = panels;
  const { coords } = target;
  const buffers = around.scratch as SharedView<"f16", 3>;
  const { first, leader, meet } = teamOf(by);
  const [col, row, ...outer] = coords;
  const box = boxRows(panels);
  const step = by === "warp" ? rowsOfWarpgroup : box;
  if (around.shared) fence.proxyAsync(); // what threads have stored there by themselves comes before
  let number = 0;
  for (const panelOf of panelsIn(given, width)) {
    const c = number * width;
    const isReused = number === 0 || number >= count;
    // Of the stores of the time before all are complete, so that they come first; of those of this time what was in this panel has left it.
    const pending = number === 0 ? 0 : count - 1;
    const options = number === 0 ? {} : { read: true };
    if (isReused) leader(() => tma.wait(pending, options));
    if (isReused) meet();
    const columns = Math.min(width, given.shape[1] - c);
    const room = buffers.at(number % count);
    const panel = columns === width ? room : room.subview([0, 0], [rows, columns]);
    const map = columns === width ? target.map : (target.rest ?? target.map);
    panelOf().store(panel as SharedView);
    fence.proxyAsync({ space: "shared::cta" });
    meet();
    leader(() => {
      for (let r = 0; r < rows; r += step) {
        const from = panel.subview([plus(r, first), 0], [box, columns]);
        // The rank is a value here; the intrinsic is of this one.
        map.store(from as never, [plus(col, c), plus(plus(row, r), first), ...outer] as never, { outside: true });
      }
      tma.commit();
    });
    number++;
  }
  if (!around.shared) return;
  leader(() => tma.wait(0));
  meet();
}

function make(name: string, fields: Fields, by: string): TensorIntrinsicParts | string {
  const { dtype = "", m, n } = fields;
  if (!isOneOf(types, dtype)) return `it stores ${list(types)}, not ${dtype}`;
  if (!isOneOf(teams, by)) return `${by} is neither warpgroup nor warp`;
  const shape = extentsOf(fields, dtype);
  if (typeof shape === "string") return shape;
  const most = fields.panels === undefined ? usualPanels : wholeNumber(fields.panels);
  if (most === undefined || most < 2 || most > mostPanels) return `${fields.panels} panels are not 2 to ${mostPanels}`;
  const panels = panelsOf(dtype, shape, by, most);
  const { count, rows, width, rest, swizzle } = panels;
  const buffer = part("panels", dtype, [count, rows, width], "shared");
  return {
    participants: "warpgroup",
    description: copyOf(name, accumulators("tile", dtype, shape), clipped(part("target", dtype, shape, "global")), shape),
    beside: [`wgmma_load_${dtype}_${m}x${n}`],
    maps: { target: { box: [boxRows(panels), width], swizzle, ...(rest > 0 ? { rest } : {}) } },
    scratch: swizzle === "none" ? buffer : { ...buffer, swizzle },
    takesDeferred: 0,
    implementation: (from: RegisterTile, to: MappedPart, around: Surroundings) =>
      storePanels(panels, from.value as Accumulator | Deferred, to, around),
    atEnd: () => tma.wait(0, { read: true }),
  };
}

intrinsicFamily({
  names: "tma_store_<dtype>_<m>x<n>",
  takes: `${list(types)}; ${shapes}`,
  make: (name, fields) => make(name, fields, "warpgroup"),
});
intrinsicFamily({
  names: "tma_store_<dtype>_<m>x<n>_<by>",
  takes: `${list(types)}; ${shapes}; warpgroup or warp`,
  make: (name, fields) => make(name, fields, fields.by ?? ""),
});
intrinsicFamily({
  names: "tma_store_<dtype>_<m>x<n>_<by>_<panels>",
  takes: `${list(types)}; ${shapes}; warpgroup or warp; 2 to ${mostPanels} panels`,
  make: (name, fields) => make(name, fields, fields.by ?? ""),
});
