import { address, int, type Reg, special, vec } from "../ptx/index.ts";
import { branch, type Context, emit, fresh, nextLabel, placeLabel, when } from "./context.ts";
import { linearThread } from "./thread.ts";

const read = (ctx: Context, name: Parameters<typeof special>[0]): Reg => {
  const r = fresh(ctx, "b32");
  emit(ctx, "mov.special", {}, [r, special(name)]);
  return r;
};

/** Where the word of the barrier lies in the workspace, whose address a cooperative launch has in two registers (docs/hardware.md). */
const barrierAt = 4;

function workspace(ctx: Context): Reg {
  const [whole, global] = [fresh(ctx, "b64"), fresh(ctx, "b64")];
  emit(ctx, "mov.pack", { type: "b64" }, [whole, vec([read(ctx, "envreg2"), read(ctx, "envreg1")])]);
  emit(ctx, "cvta.to.global", {}, [global, whole]);
  return global;
}

/** Blocks of the grid, and whether this is the first one. */
function blocks(ctx: Context): { readonly count: Reg; readonly other: Reg } {
  const [count, rest, sum, other] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred")];
  emit(ctx, "mul.lo", { type: "u32" }, [rest, read(ctx, "nctaid.y"), read(ctx, "nctaid.z")]);
  emit(ctx, "mul.lo", { type: "u32" }, [count, read(ctx, "nctaid.x"), rest]);
  emit(ctx, "or", { type: "b32" }, [sum, read(ctx, "ctaid.x"), read(ctx, "ctaid.y")]);
  emit(ctx, "or", { type: "b32" }, [sum, sum, read(ctx, "ctaid.z")]);
  emit(ctx, "setp", { is: "ne", type: "b32" }, [other, sum, int(0)]);
  return { count, other };
}

/**
 * Each block adds 1 to a word, and the first one what makes the sum of all 2^31: so the highest bit changes with the last to arrive, and the word can be used
 * again at once. Release and acquire at the scope of the GPU, between barriers of the block, pass on what all threads wrote.
 */
export function lowerGridSync(ctx: Context): void {
  const name = nextLabel(ctx, "grid");
  const [away, waits] = [fresh(ctx, "pred"), fresh(ctx, "pred")];
  const [adds, before, now] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "bar.sync", {}, [int(0), undefined]);
  emit(ctx, "setp", { is: "ne", type: "b32" }, [away, linearThread(ctx), int(0)]);
  branch(ctx, `${name}_end`, when(away));
  const barrier = address(workspace(ctx), barrierAt);
  const { count, other } = blocks(ctx);
  emit(ctx, "sub", { type: "u32" }, [adds, int(2 ** 31 + 1), count]);
  emit(ctx, "selp", { type: "b32" }, [adds, int(1), adds, other]);
  emit(ctx, "atom", { order: "release", scope: "gpu", space: "global", op: "add", noftz: "", type: "u32" }, [
    before,
    barrier,
    adds,
  ]);
  placeLabel(ctx, name);
  emit(ctx, "ld.acquire", { scope: "gpu", space: "global", vec: "", type: "b32" }, [now, barrier]);
  emit(ctx, "xor", { type: "b32" }, [now, now, before]);
  emit(ctx, "setp", { is: "ge", type: "s32" }, [waits, now, int(0)]);
  branch(ctx, name, when(waits));
  placeLabel(ctx, `${name}_end`);
  // The thread that waited may come apart from the others of its warp.
  emit(ctx, "barrier.sync", {}, [int(0)]);
}
