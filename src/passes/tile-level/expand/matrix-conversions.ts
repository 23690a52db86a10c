import { elementBytes } from "../../../base/element-types.ts";
import { warpSize } from "../../../base/target.ts";
import type { DType } from "../../../base/types.ts";
import { first, mul } from "../../../ir/arith.ts";
import { type FragmentType, fragmentExtents, registerType, type Value } from "../../../ir/index.ts";
import { type Location, load, store } from "./accesses.ts";
import { pointer } from "./addresses.ts";
import type { Expansion } from "./expansion.ts";
import { laneOf, threadsOf, warpOf } from "./lanes.ts";

/** Elements that a lane moves at once: they are neighbours in shared memory, and lanes follow each other. */
const atOnce = 4;

/** Room of a warp's own: what it stores, and behind that what it loads. No two conversions that differ in a type share any. */
interface Room {
  readonly ptr: Value;
  /** Where the converted elements begin. */
  readonly behind: number;
}

const bytesOf = (type: FragmentType): number => {
  const [rows, cols] = fragmentExtents(type);
  return rows * cols * elementBytes[type.dtype];
};

/** Shared memory for conversions between these types, the same for all of a kernel. */
function roomFor(x: Expansion, from: FragmentType, to: FragmentType): Room {
  const { w, shared, scratch } = x;
  const name = `${from.dtype} to ${to.dtype}`;
  const behind = bytesOf(from);
  const each = behind + bytesOf(to);
  let id = scratch.buffers.get(name);
  if (id === undefined) {
    id = shared.reduce((next, b) => Math.max(next, b.id + 1), 0);
    const warps = Math.ceil(threadsOf(x) / warpSize);
    // 32 bytes: what a thread holds of a matrix of f32 divides where it begins.
    shared.push({ id, name: `matrix${id}`, bytes: each * warps, align: 32, spans: w.spans() });
    scratch.buffers.set(name, id);
  }
  const base = first(w.emit("shared.buffer", {}, { buffer: id }));
  return { ptr: pointer(w, base, mul(w, warpOf(x), each)), behind };
}

/** So many bytes into the room, and for each lane that many elements further on. */
function placeOf(x: Expansion, { ptr }: Room, dtype: DType, offset: number): Location {
  const own = mul(x.w, laneOf(x), atOnce * elementBytes[dtype]);
  return { space: "shared", dtype, address: () => ({ ptr: pointer(x.w, ptr, own), offset }) };
}

/**
 * A matrix in another type: stored, converted in memory where every lane knows what it reads, and loaded. The lanes of the warp meet twice. The next
 * conversion stores where all have read before the second time, and writes what it converts where all have loaded before its own first.
 */
export function convertMatrix(
  x: Expansion,
  from: FragmentType,
  to: FragmentType,
  { stores, loads }: { readonly stores: (ptr: Value) => void; readonly loads: (ptr: Value, offset: number) => readonly Value[] },
): readonly Value[] {
  const { w } = x;
  const room = roomFor(x, from, to);
  const meet = (): void => void w.emit("bar.warp.sync", {}, { mask: 0xffffffff });
  stores(room.ptr);
  meet();
  const [rows, cols] = fragmentExtents(from);
  for (let at = 0; at < rows * cols; at += atOnce * warpSize) {
    const own = load(w, placeOf(x, room, from.dtype, at * elementBytes[from.dtype]), atOnce);
    const made = own.map((a) => w.once("convert", { a }, {}, [registerType(to.dtype)]));
    store(w, placeOf(x, room, to.dtype, room.behind + at * elementBytes[to.dtype]), made);
  }
  meet();
  return loads(room.ptr, room.behind);
}
