import { describe, expect, it } from "vitest";
import { type Kernel, runPtx } from "../run-ptx.ts";

/** Each block writes a word, all wait for all, and each reads its neighbour's: `arrive` is the atomic that the barrier consists of. */
const kernel = (
  blocks: number,
  { arrive = "atom.add.release.gpu.u32", ...rest }: Partial<Kernel> & { arrive?: string } = {},
): Kernel => ({
  body: `
  mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;
  cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2; shl.b64 %d1, %d1, 32; or.b64 %d1, %d1, %d2;
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d3, %r3, 4; add.u64 %d4, %in, %d3; add.u64 %d5, %out, %d3;
  setp.ne.u32 %p1, %thread, 0;
  add.u32 %r5, %r3, 100;
  @!%p1 st.global.u32 [%d4], %r5;
  barrier.sync 0;
  @%p1 bra meet;
  // The first block adds what takes the sum of all to 0x80000000: the upper bit changes with the last to arrive.
  sub.u32 %r6, 0x80000001, %r4;
  setp.eq.u32 %p2, %r3, 0;
  selp.u32 %r6, %r6, 1, %p2;
  ${arrive} %r7, [%d1+4], %r6;
again:
  ld.acquire.gpu.u32 %r8, [%d1+4];
  xor.b32 %r8, %r8, %r7;
  setp.ge.s32 %p3, %r8, 0;
  @%p3 bra again;
meet:
  barrier.sync 0;
  add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r4;
  mul.wide.u32 %d6, %r9, 4; add.u64 %d6, %in, %d6;
  setp.ne.u32 %p4, %thread, 33;
  @!%p4 ld.global.u32 %r10, [%d6];
  @!%p4 st.global.u32 [%d5], %r10;`,
  grid: [blocks, 1, 1],
  block: [64, 1, 1],
  input: new Uint8Array(4 * blocks),
  outputBytes: 4 * blocks,
  cooperative: true,
  ...rest,
});

const run = async (k: Kernel): Promise<number[]> => {
  const view = await runPtx(k);
  return Array.from({ length: k.outputBytes / 4 }, (_, i) => view.getUint32(4 * i, true));
};
const neighbours = (blocks: number): number[] => Array.from({ length: blocks }, (_, i) => 100 + ((i + 1) % blocks));

describe("the barrier of a grid", () => {
  it.each(["off", "normal", "strict"] as const)("orders blocks: checks %s", async (check) => {
    expect(await run(kernel(9, { options: { check } }))).toEqual(neighbours(9));
  });

  it.each(["lazy", 1, 2, 3, 4] as const)("under the schedule %s", async (schedule) => {
    expect(await run(kernel(4, { options: { schedule } }))).toEqual(neighbours(4));
  });

  it("is a race where the arrival does not release", async () => {
    await expect(run(kernel(4, { arrive: "atom.add.relaxed.gpu.u32", options: { check: "normal" } }))).rejects.toThrow(/W9201/);
  });

  it("needs a cooperative launch: the workspace is nowhere else", async () => {
    await expect(run(kernel(2, { cooperative: false }))).rejects.toThrow(/null pointer|0x4/);
  });

  it("is refused where not all blocks are on the machine at the same time", async () => {
    const most = 132 * 32;
    await expect(run(kernel(most + 1))).rejects.toThrow(/W8007.*at most 4224 of these, not 4225/s);
  });
});
