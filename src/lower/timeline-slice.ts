/** Where a kernel that records its timeline writes (src/base/timeline-layout.ts): the slice of a warp, and its next place there. */

import { warpSize } from "../base/target.ts";
import { timelineLayout } from "../base/timeline-layout.ts";
import { int, type Reg, sink, vec } from "../ptx/index.ts";
import { type Context, emit, fresh, register, sharedRegister } from "./context.ts";
import { readSpecial as read } from "./special-register.ts";

/** Several lanes of a warp write one record, mostly the same words: weak writes would race, and relaxed ones of the block do not. */
export const ofWarp = { scope: "cta", space: "global" } as const;

/** The low word of the address of the warp's next place, which alone moves. A register for each of two words is all that a warp keeps. */
export const lowOf = (ctx: Context): Reg => sharedRegister(ctx, "timeline.low", "b32", () => {});
/** No record begins from there on; 0 where the block has no slice. */
export const endOf = (ctx: Context): Reg => sharedRegister(ctx, "timeline.end", "b32", () => {});

function parameter(ctx: Context): Reg {
  const param = ctx.graph.params.find((p) => p.kind === "timeline");
  if (!param) throw new TypeError("a graph with ops of a timeline has a parameter of that kind");
  return register(ctx, param.value);
}

/** Slices do not cross a multiple of 2^32: their high word is that of the parameter, which is read anew each time. */
export function highOf(ctx: Context): Reg {
  const high = fresh(ctx, "b32");
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([sink, high]), parameter(ctx)]);
  return high;
}

/** Slices begin at multiples of their size. */
export function sliceLow(ctx: Context): Reg {
  const [bits, size, slice] = [sliceBits(ctx), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "shl", { type: "b32" }, [size, int(-1), bits]);
  emit(ctx, "and", { type: "b32" }, [slice, endOf(ctx), size]);
  return slice;
}

/** An address from its two words. */
export function addressFrom(ctx: Context, low: Reg, high: Reg): Reg {
  const at = fresh(ctx, "b64");
  emit(ctx, "mov.pack", { type: "b64" }, [at, vec([low, high])]);
  return at;
}

/** ctaid.x + nctaid.x * (ctaid.y + nctaid.y * ctaid.z) */
function linearBlock(ctx: Context): Reg {
  const row = fresh(ctx, "b32");
  emit(ctx, "mad.lo", { type: "u32" }, [row, read(ctx, "ctaid.z"), read(ctx, "nctaid.y"), read(ctx, "ctaid.y")]);
  const block = fresh(ctx, "b32");
  emit(ctx, "mad.lo", { type: "u32" }, [block, row, read(ctx, "nctaid.x"), read(ctx, "ctaid.x")]);
  return block;
}

/** Bits of the parameter as a number. */
function bitsFrom(ctx: Context, first: number, count: number): Reg {
  const [low, shifted, masked] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([low, sink]), parameter(ctx)]);
  emit(ctx, "shr", { type: "u32" }, [shifted, low, int(first)]);
  emit(ctx, "and", { type: "b32" }, [masked, shifted, int(2 ** count - 1)]);
  return masked;
}

const sliceBits = (ctx: Context): Reg => bitsFrom(ctx, 0, 6);

/** Finds the slice, and gives where it begins and whether there is one for this block. */
export function findSlice(ctx: Context, thread: Reg): { readonly slice: Reg; readonly there: Reg } {
  const bits = sliceBits(ctx);
  const block = linearBlock(ctx);
  const [above, there] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "shr", { type: "u32" }, [above, block, bitsFrom(ctx, 6, 6)]);
  emit(ctx, "setp", { is: "eq", type: "u32" }, [there, above, int(0)]);
  const warps = Math.ceil(ctx.graph.launch.block.reduce((n, extent) => n * extent, 1) / warpSize);
  const [warp, number, first, slice] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "shr", { type: "u32" }, [warp, thread, int(5)]);
  emit(ctx, "mad.lo", { type: "u32" }, [number, block, int(warps), warp]);
  emit(ctx, "shl", { type: "b32" }, [number, number, bits]);
  emit(ctx, "mov.unpack", { type: "b64" }, [vec([first, sink]), parameter(ctx)]);
  emit(ctx, "and", { type: "b32" }, [first, first, int(~0xfff)]);
  emit(ctx, "add", { type: "s32" }, [slice, first, number]);
  const [bytes, end] = [fresh(ctx, "b32"), endOf(ctx)];
  emit(ctx, "shl", { type: "b32" }, [bytes, int(1), bits]);
  emit(ctx, "add", { type: "s32" }, [end, slice, bytes]);
  emit(ctx, "sub", { type: "s32" }, [end, end, int(timelineLayout.slack * timelineLayout.recordBytes)]);
  emit(ctx, "selp", { type: "b32" }, [end, end, int(0), there]);
  emit(ctx, "add", { type: "s32" }, [lowOf(ctx), slice, int(4 * timelineLayout.records)]);
  return { slice, there };
}
