/** The warp that observes when copies land. */

import { warpSize } from "../base/target.ts";
import { observerWords, timelineLayout } from "../base/timeline-layout.ts";
import type { Op } from "../ir/index.ts";
import { address, int, type Reg, vec } from "../ptx/index.ts";
import { addressOf, pointer } from "./address.ts";
import { branch, type Context, emit, fresh, nextLabel, operand, placeLabel, unless, when } from "./context.ts";
import { readSpecial as read } from "./special-register.ts";
import { addressFrom, endOf, highOf, lowOf, ofWarp } from "./timeline-slice.ts";

const { siteBits } = timelineLayout;

/** The barrier that a lane looks at: the `lane`th of all. */
function barrierOfLane(ctx: Context, lane: Reg, { operands: { bars }, attrs: { counts } }: Op<"timeline.observe">): Reg {
  const bar = fresh(ctx, "b32");
  let first = 0;
  for (const [i, start] of bars.entries()) {
    const { base, offset } = pointer(ctx, start);
    const [own, behind] = [fresh(ctx, "b32"), fresh(ctx, "pred")];
    emit(ctx, "mad.lo", { type: "u32" }, [own, lane, int(8), int(offset - 8 * first)]);
    emit(ctx, "add", { type: "s32" }, [own, own, base]);
    if (i === 0) emit(ctx, "mov", { type: "b32" }, [bar, own]);
    else {
      emit(ctx, "setp", { is: "ge", type: "u32" }, [behind, lane, int(first)]);
      emit(ctx, "selp", { type: "b32" }, [bar, own, bar, behind]);
    }
    first += counts[i] ?? 0;
  }
  const [total, beyond] = [counts.reduce((n, count) => n + count, 0), fresh(ctx, "pred")];
  // Lanes without one look at the first one, and record nothing.
  emit(ctx, "setp", { is: "ge", type: "u32" }, [beyond, lane, int(total)]);
  const [start] = bars;
  if (start) emit(ctx, "selp", { type: "b32" }, [bar, operand(ctx, start), bar, beyond]);
  return bar;
}

/** Nanoseconds between two looks of the observer where nothing has come. */
const pause = 20;

/** All lanes go through it together; each has a barrier and the parity of the phase that it looks for. */
export function lowerObserve(ctx: Context, op: Op<"timeline.observe">): void {
  const { words } = op.operands;
  const name = nextLabel(ctx, "observe");
  const others = ctx.graph.launch.block.reduce((n, extent) => n * extent, 1) - warpSize;
  const total = op.attrs.counts.reduce((n, count) => n + count, 0);
  const [started, ended, over, hit] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "pred"), fresh(ctx, "pred")];
  const look = (to: Reg, word: number): void =>
    emit(ctx, "ld.relaxed", { scope: "cta", space: "shared", type: "b32" }, [to, addressOf(ctx, words, word)]);
  /** Lanes may look at different moments: what one of them has seen holds for all, so that they stay together. */
  const anyLane = (seen: Reg): void => emit(ctx, "vote.sync", { mode: "any", type: "pred" }, [seen, seen, int(-1)]);
  const lane = read(ctx, "laneid");
  const below = read(ctx, "lanemask_lt");
  const bar = barrierOfLane(ctx, lane, op);
  const [own, parity, tag] = [fresh(ctx, "pred"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [own, lane, int(total)]);
  emit(ctx, "mov", { type: "b32" }, [parity, int(0)]);
  emit(ctx, "mad.lo", { type: "u32" }, [tag, bar, int(2 ** (siteBits - 3)), int(op.attrs.site + 1)]);
  // Where no load is issued, nobody says that the barriers are there.
  placeLabel(ctx, `${name}_starts`);
  look(ended, observerWords.ended);
  emit(ctx, "setp", { is: "ge", type: "u32" }, [over, ended, int(others)]);
  anyLane(over);
  branch(ctx, `${name}_end`, when(over));
  const ready = addressOf(ctx, words, observerWords.started);
  emit(ctx, "ld.acquire", { scope: "cta", space: "shared", type: "b32" }, [started, ready]);
  emit(ctx, "setp", { is: "ne", type: "u32" }, [hit, started, int(0)]);
  anyLane(hit);
  emit(ctx, "nanosleep", {}, [int(pause)], unless(hit));
  branch(ctx, `${name}_starts`, unless(hit));
  // A vote orders no memory, and not each lane has seen the word itself.
  emit(ctx, "bar.warp.sync", {}, [int(-1)]);

  placeLabel(ctx, name);
  // Read before the barriers are: when all have ended, what is seen after it is all there is.
  look(ended, observerWords.ended);
  emit(ctx, "setp", { is: "ge", type: "u32" }, [over, ended, int(others)]);
  anyLane(over);
  // It orders nothing: who looks at phases as they come may be behind, and reads nothing on their word.
  emit(ctx, "mbarrier.look", {}, [hit, address(bar), parity]);
  const clock = read(ctx, "clock");
  emit(ctx, "and", { type: "pred" }, [hit, hit, own]);
  const [found, place, count, low] = [fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "vote.sync.ballot", {}, [found, hit, int(-1)]);
  emit(ctx, "and", { type: "b32" }, [place, found, below]);
  emit(ctx, "popc", { type: "b32" }, [place, place]);
  emit(ctx, "mad.lo", { type: "u32" }, [low, place, int(timelineLayout.recordBytes), lowOf(ctx)]);
  const [room, word, flipped] = [fresh(ctx, "pred"), fresh(ctx, "b32"), fresh(ctx, "b32")];
  emit(ctx, "setp", { is: "lt", type: "u32" }, [room, low, endOf(ctx)]);
  emit(ctx, "and", { type: "pred" }, [room, room, hit]);
  emit(ctx, "shl", { type: "b32" }, [flipped, parity, int(31)]);
  emit(ctx, "add", { type: "s32" }, [word, tag, flipped]);
  const at = addressFrom(ctx, low, highOf(ctx));
  emit(ctx, "st.relaxed", { ...ofWarp, vec: "v4", type: "b32" }, [address(at), vec([word, clock, int(0), int(0)])], when(room));
  emit(ctx, "xor", { type: "b32" }, [parity, parity, int(1)], when(hit));
  emit(ctx, "popc", { type: "b32" }, [count, found]);
  emit(ctx, "mad.lo", { type: "u32" }, [lowOf(ctx), count, int(timelineLayout.recordBytes), lowOf(ctx)]);
  const idle = fresh(ctx, "pred");
  emit(ctx, "setp", { is: "eq", type: "u32" }, [idle, found, int(0)]);
  emit(ctx, "nanosleep", {}, [int(pause)], when(idle));
  branch(ctx, name, unless(over));
  placeLabel(ctx, `${name}_end`);
}
