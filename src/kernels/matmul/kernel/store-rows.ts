/**
 * Rows of a result that TMA cannot store, since they begin at other addresses than multiples of 16 bytes: each warp lays its rows in shared memory, as far
 * beyond a multiple of 16 bytes as they are in D, so that its lanes load and store 16 bytes at a time, neighbours beside each other; and what is left at both
 * ends of a row as far as that is aligned.
 */
import { type Accumulator, type SharedView, staticRange, syncWarp, type Tensor, warp } from "warpsmith";
import type { ResultType } from "../problem/problem.ts";
import type { ResultLines } from "./geometry.ts";

/** Rows of one consumer. */
export interface Rows {
  readonly to: Tensor<ResultType, 2>;
  readonly lines: ResultLines;
  /** [rows, span and 16 bytes more]. */
  readonly room: SharedView<ResultType, 2>;
  /** The first element in it. */
  readonly row: number;
  readonly col: number;
  /** Rows and columns of D where tiles hang over its edges; undefined where none does. */
  readonly edge: readonly [number, number] | undefined;
}

/** How far a row begins beyond a multiple of 16 bytes, in elements; any column of a panel is as far. */
function shiftOf({ lines: { pitch, begin, unit }, row }: Rows, r: number): number {
  "use kernel";
  return (begin + (row + r) * (pitch % unit)) & (unit - 1);
}

/** The panel of D at column `c` of a tile: lays it, and writes what has been laid when that is a span, or the tile ends. */
export function storeRows(rows: Rows, panel: Accumulator, c: number, tileN: number) {
  "use kernel";
  const { span } = rows.lines;
  const from = c - (c % span);
  const end = c + panel.shape[1];
  if (c === from) syncWarp(); // what was laid before has been read
  layPanel(rows, panel, c - from);
  if (end - from < span && end < tileN) return;
  syncWarp(); // all lanes have laid theirs
  const [height] = rows.room.shape;
  for (const block of staticRange(0, height, 64)) {
    const first = block + (warp.index % 4) * 16;
    if (!rows.edge || rows.row + first < rows.edge[0]) {
      writeWhole(rows, first, from, end - from);
      writeEnds(rows, first, from, end - from);
    }
  }
}

/** As many elements at a time as lie beside each other in a thread and at an aligned address. */
function layPanel(rows: Rows, panel: Accumulator, at: number) {
  "use kernel";
  const together = Math.min(2, rows.lines.grain);
  const held: number[] = [];
  void panel.map((value, r, c) => {
    held.push(value);
    if (held.length % together === 0)
      rows.room.at(r, shiftOf(rows, r) + at + c + 1 - together).store(held.slice(held.length - together));
    return value;
  });
}

/** Columns, from `from` on, that row `r` has of `width`. */
function insideOf({ edge, row, col }: Rows, from: number, width: number, r: number) {
  "use kernel";
  return {
    limit: edge ? Math.min(width, edge[1] - (col + from)) : width,
    exists: edge ? row + r < edge[0] : true,
  };
}

/** What a warp's 16 rows have of whole 16 bytes. */
function writeWhole(rows: Rows, first: number, from: number, width: number) {
  "use kernel";
  const { unit } = rows.lines;
  const chunks = width / unit;
  for (const i of staticRange(0, 16 * chunks, 32)) {
    const slot = i + warp.lane;
    const r = first + Math.trunc(slot / chunks);
    const shift = shiftOf(rows, r);
    const c = ((unit - shift) & (unit - 1)) + (slot % chunks) * unit;
    const { limit, exists } = insideOf(rows, from, width, r);
    write(rows, r, from, c, shift, unit, exists && c + unit <= limit);
  }
}

/** What they have before and behind these: fewer than 16 bytes each, in pieces of `grain`. */
function writeEnds(rows: Rows, first: number, from: number, width: number) {
  "use kernel";
  const { unit, grain } = rows.lines;
  if (grain === unit) return;
  const pieces = unit / grain;
  for (const i of staticRange(0, 32 * pieces, 32)) {
    const slot = i + warp.lane;
    const r = first + Math.trunc(slot / (2 * pieces));
    const piece = slot % pieces;
    const shift = shiftOf(rows, r);
    const whole = (unit - shift) & (unit - 1);
    const { limit, exists } = insideOf(rows, from, width, r);
    const behind = slot % (2 * pieces) >= pieces;
    const c = (behind ? limit - ((limit - whole) & (unit - 1)) : 0) + piece * grain;
    write(rows, r, from, c, shift, grain, exists && c < limit && (behind ? c >= whole : c < whole));
  }
}

/** `count` elements of a row, from column `from + c` of the tile on. */
function write({ to, room, row, col }: Rows, r: number, from: number, c: number, shift: number, count: number, pred: boolean) {
  "use kernel";
  const laid = room.at(r, shift + c).load({ vector: count as 4, pred });
  to.at(row + r, col + from + c).store(laid, { pred });
}
