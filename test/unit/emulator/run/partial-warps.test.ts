import { describe, expect, it } from "vitest";
import { runPtx } from "../run-ptx.ts";

/** One lane goes three times round a loop, and then all meet. */
const meeting = `
  mov.u32 %r1, 0;
  setp.ne.u32 %p1, %tid, 0;
  @%p1 bra $meet;
$again:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 3;
  @%p2 bra $again;
$meet:
  bar.sync 0;
  add.u32 %r2, %tid, 7;
  mul.wide.u32 %d1, %tid, 4;
  add.u64 %d1, %out, %d1;
  st.global.u32 [%d1], %r2;`;

describe("a last warp of so many lanes", () => {
  it.each([1, 2, 30, 31, 32, 33, 63, 64, 95, 127])("%i threads part and meet again", async (threads) => {
    const output = await runPtx({ block: [threads, 1, 1], outputBytes: 4 * threads, body: meeting });
    const found = Array.from({ length: threads }, (_, i) => output.getInt32(4 * i, true));
    expect(found).toEqual(Array.from({ length: threads }, (_, i) => i + 7));
  });
});
