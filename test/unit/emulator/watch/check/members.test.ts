import { describe, it } from "vitest";
import type { Kernel } from "../../run-ptx.ts";
import { expectMarked } from "./finds.ts";

/** The lower half of a warp, and each half by itself, as masks in %r4; %r5 is a number. */
const lower = "mov.u32 %r4, 0xffff;";
const halves = "mov.u32 %r4, 0xffff;\n  and.b32 %r3, %tid, 16;\n  shl.b32 %r4, %r4, %r3;";
const instructions = [
  "bar.warp.sync %r4;",
  "shfl.sync.idx.b32 %r5, %r5, %r3, 31, %r4;",
  "shfl.sync.bfly.b32 %r5|%p1, %r5, 1, 31, %r4;",
  "vote.sync.any.pred %p1, %p2, %r4;",
  "vote.sync.ballot.b32 %r5, %p2, %r4;",
  "match.any.sync.b32 %r5, %r5, %r4;",
  "match.all.sync.b32 %r5|%p1, %r5, %r4;",
  "redux.sync.add.s32 %r5, %r5, %r4;",
  "elect.sync %r5|%p1, %r4;",
];
const kernel = (setup: string, instruction: string, mark: string): Kernel => ({
  body: `
  mov.u32 %r5, %tid;
  and.b32 %r3, %tid, 16;
  setp.lt.u32 %p2, %tid, 5;
  ${setup}
  ${instruction} ${mark}`,
  outputBytes: 256,
});

describe("lanes that run what their mask does not name them for", () => {
  it.each(instructions)("%s", async (instruction) => {
    await expectMarked(kernel(lower, instruction, "// W9245"));
    await expectMarked(kernel(halves, instruction, ""), "strict");
    const behindGuard = `setp.ge.u32 %p3, %tid, 16;\n  @%p3 bra $done;\n  ${lower}\n  ${instruction}\n$done:`;
    await expectMarked(kernel("", behindGuard, ""), "strict");
  });
});
