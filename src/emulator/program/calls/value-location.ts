/** Parameters and results on their way between caller and callee (PTX ISA 7.1). */
import type { PtxFunction, Scalar, Variable } from "../../../ptx/parse/index.ts";
import { forEachLane } from "../../machine/lanes.ts";
import type { Warp } from "../../machine/warp.ts";
import { type RegisterLayout, storageOf } from "../codegen/layout.ts";
import { Unsupported } from "../codegen/unsupported.ts";
import type { StackFrame } from "../variables.ts";

/** Where a value is: in the frame of the function, in a register, or in the text. */
export type ValueLocation =
  | { readonly kind: "memory"; readonly at: number; readonly bytes: number }
  | { readonly kind: "register"; readonly at: number; readonly wide: boolean; readonly half: boolean }
  | { readonly kind: "constant"; readonly low: number; readonly high: number };

/** Whose names are meant. */
export interface Party {
  readonly fn: PtxFunction;
  readonly layout: RegisterLayout;
  readonly frame: StackFrame;
}

function registerLocation(p: Party, r: Extract<Scalar, { kind: "register" }>): ValueLocation {
  const storage = storageOf(r.type);
  if (!storage) throw new Unsupported(`registers of the type ${r.type}`);
  const wide = storage === "long" || storage === "double";
  return { kind: "register", at: p.layout.place(r), wide, half: storage === "half" };
}

/** A parameter or result as the function itself knows it. */
export function formalLocation(p: Party, v: Variable): ValueLocation {
  if (v.register) return registerLocation(p, v.register);
  const at = p.frame.places.get(v);
  if (at === undefined) throw new Unsupported(`the parameter ${v.name} of ${p.fn.name}`);
  return { kind: "memory", at, bytes: v.size };
}

const words = new DataView(new ArrayBuffer(8));
function constantLocation(item: Extract<Scalar, { kind: "int" | "float" }>, type: Variable["type"]): ValueLocation {
  if (item.kind === "int") words.setBigUint64(0, BigInt.asUintN(64, item.value), true);
  else if (type === "f32" || item.type === "f32") words.setFloat32(0, item.value, true);
  else words.setFloat64(0, item.value, true);
  return { kind: "constant", low: words.getInt32(0, true), high: words.getInt32(4, true) };
}

/** What a call gives for a parameter of that type, or takes a result with; undefined for `_`. */
export function actualLocation(p: Party, item: Scalar, type: Variable["type"]): ValueLocation | undefined {
  switch (item.kind) {
    case "register":
      return registerLocation(p, item);
    case "int":
    case "float":
      return constantLocation(item, type);
    case "sink":
      return undefined;
    case "symbol": {
      const at = p.frame.places.get(item.variable);
      if (at === undefined) throw new Unsupported(`${item.variable.name} as an argument of a call`);
      return { kind: "memory", at: at + item.offset, bytes: item.variable.size - item.offset };
    }
    default:
      throw new Unsupported(`an argument of the kind ${item.kind}`);
  }
}

/** The value of one lane, of up to 8 bytes; zeros above. `base`: where the frame is. */
export function readLocation(
  warp: Warp,
  lane: number,
  location: ValueLocation,
  base: number,
): readonly [low: number, high: number] {
  if (location.kind === "constant") return [location.low, location.high];
  if (location.kind === "register") {
    const at = location.at + lane * (location.wide ? 2 : 1);
    return [warp.i32[at] ?? 0, location.wide ? (warp.i32[at + 1] ?? 0) : 0];
  }
  const { region } = warp.stack;
  const at = warp.stack.offset(lane, base + location.at);
  if (location.bytes === 8) return [region.i32[at >>> 2] ?? 0, region.i32[(at >>> 2) + 1] ?? 0];
  if (location.bytes === 4) return [region.i32[at >>> 2] ?? 0, 0];
  return [(location.bytes === 2 ? region.u16[at >>> 1] : region.bytes[at]) ?? 0, 0];
}

export function writeLocation(warp: Warp, lane: number, location: ValueLocation, base: number, low: number, high: number): void {
  if (location.kind === "constant") return;
  if (location.kind === "register") {
    const at = location.at + lane * (location.wide ? 2 : 1);
    warp.i32[at] = location.half ? low & 0xffff : low;
    if (location.wide) warp.i32[at + 1] = high;
    return;
  }
  const { region } = warp.stack;
  const at = warp.stack.offset(lane, base + location.at);
  if (location.bytes === 1) region.bytes[at] = low;
  else if (location.bytes === 2) region.u16[at >>> 1] = low;
  else region.i32[at >>> 2] = low;
  if (location.bytes === 8) region.i32[(at >>> 2) + 1] = high;
}

/**
 * Moves one value between caller and callee in two steps, because in between the registers and the frame of the one are replaced by those of
 * the other. `from` and `to` are the addresses of the frames, by lane.
 */
export interface Transfer {
  take(warp: Warp, mask: number, from: Int32Array): void;
  put(warp: Warp, mask: number, from: Int32Array, to: Int32Array): void;
}

const scalar = new Set([1, 2, 4, 8]);
const isScalar = (p: ValueLocation): boolean => p.kind !== "memory" || scalar.has(p.bytes);

/** From memory to memory, however much: it stays where it is while the frames change. */
function block(from: Extract<ValueLocation, { kind: "memory" }>, to: Extract<ValueLocation, { kind: "memory" }>): Transfer {
  const bytes = Math.min(from.bytes, to.bytes);
  return {
    take() {},
    put(warp, mask, fromBase, toBase) {
      const { stack } = warp;
      forEachLane(mask, (lane) => {
        const source = stack.offset(lane, (fromBase[lane] ?? 0) + from.at);
        stack.region.bytes.copyWithin(stack.offset(lane, (toBase[lane] ?? 0) + to.at), source, source + bytes);
      });
    },
  };
}

export function makeTransfer(from: ValueLocation, to: ValueLocation): Transfer {
  if (from.kind === "memory" && to.kind === "memory") return block(from, to);
  if (!isScalar(from) || !isScalar(to)) throw new Unsupported("an array in a register");
  const held = new Int32Array(64);
  return {
    take(warp, mask, fromBase) {
      forEachLane(mask, (lane) => {
        const [low, high] = readLocation(warp, lane, from, fromBase[lane] ?? 0);
        held[2 * lane] = low;
        held[2 * lane + 1] = high;
      });
    },
    put(warp, mask, _, toBase) {
      forEachLane(mask, (lane) => writeLocation(warp, lane, to, toBase[lane] ?? 0, held[2 * lane] ?? 0, held[2 * lane + 1] ?? 0));
    },
  };
}
