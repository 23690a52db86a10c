import { expect, it } from "vitest";
import { wordsOf } from "../../run-ptx.ts";

/** Each half of the warp names itself. */
const halves = `and.b32 %r1, %tid, 16; mov.u32 %r2, 0xffff; shl.b32 %r2, %r2, %r1;`;

it("halves of a warp vote, reduce and elect by themselves at one place", async () => {
  const ballot = await wordsOf(`${halves} and.b32 %r3, %tid, 1; setp.eq.u32 %p1, %r3, 1; vote.sync.ballot.b32 %r0, %p1, %r2;`);
  expect([ballot[0], ballot[31]]).toEqual([0xaaaa, 0xaaaa << 16]);
  const sums = await wordsOf(`${halves} redux.sync.add.u32 %r0, %tid, %r2;`);
  expect([sums[3], sums[20]]).toEqual([120, 376]);
  const least = await wordsOf(`${halves} redux.sync.min.u32 %r0, %tid, %r2;`);
  expect([least[3], least[20]]).toEqual([0, 16]);
  const leaders = await wordsOf(`${halves} elect.sync %r0|%p1, %r2;`);
  expect([leaders[3], leaders[20]]).toEqual([0, 16]);
  const next = await wordsOf(`${halves} shfl.sync.down.b32 %r0, %tid, 1, 0x100f, %r2;`);
  expect([next[3], next[15], next[16], next[31]]).toEqual([4, 15, 17, 31]);
});
