import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import type { EmulatorOptions } from "../../../../src/emulator/index.ts";
import { rotating, some } from "../../../support/amount.ts";
import { type Kernel, runPtx } from "../run-ptx.ts";

/** How threads may wait for a word of global memory at `%in` to reach `%r9`. */
const loops = {
  "ld.acquire": `$again:
  ld.acquire.gpu.global.u32 %r1, [%in];
  setp.lt.u32 %p1, %r1, %r9;
  @%p1 bra $again;`,
  "ld.volatile": `$again:
  ld.volatile.global.u32 %r1, [%in];
  setp.lt.u32 %p1, %r1, %r9;
  @%p1 bra $again;`,
  "an atomic": `$again:
  atom.global.add.u32 %r1, [%in], 0;
  setp.lt.u32 %p1, %r1, %r9;
  @%p1 bra $again;`,
  "nanosleep, longer each time": `  mov.u32 %r2, 8;
$again:
  ld.acquire.gpu.global.u32 %r1, [%in];
  setp.ge.u32 %p1, %r1, %r9;
  @%p1 bra $there;
  nanosleep.u32 %r2;
  shl.b32 %r2, %r2, 1;
  min.u32 %r2, %r2, 256;
  bra $again;
$there:`,
  "one that counts": `  mov.u32 %r2, 0;
$again:
  add.u32 %r2, %r2, 1;
  ld.acquire.gpu.global.u32 %r1, [%in];
  setp.lt.u32 %p1, %r1, %r9;
  @%p1 bra $again;`,
  "one that looks at the clock": `  mov.u64 %d1, %clock64;
$again:
  mov.u64 %d2, %clock64;
  sub.u64 %d2, %d2, %d1;
  setp.gt.u64 %p2, %d2, 1000000000;
  @%p2 trap;
  ld.acquire.gpu.global.u32 %r1, [%in];
  setp.lt.u32 %p1, %r1, %r9;
  @%p1 bra $again;`,
} as const;

/** Each block arrives, waits for all others, and gives how many it has seen; so often. */
const gridBarrier = (loop: string, blocks: number, rounds: number): Kernel => ({
  grid: [blocks, 1, 1],
  block: [64, 1, 1],
  outputBytes: 4 * blocks,
  body: `
  mov.u32 %r10, 0;
$next:
  bar.sync 0;
  setp.ne.u32 %p3, %tid, 0;
  @%p3 bra $meet;
  add.u32 %r10, %r10, 1;
  mul.lo.u32 %r9, %r10, ${blocks};
  fence.acq_rel.gpu;
  red.relaxed.gpu.global.add.u32 [%in], 1;
${loop}
  fence.acq_rel.gpu;
$meet:
  bar.sync 0;
  setp.ne.u32 %p3, %tid, 0;
  setp.lt.and.u32 %p4, %r10, ${rounds}, !%p3;
  selp.u32 %r11, 1, 0, %p4;
  shfl.sync.idx.b32 %r11, %r11, 0, 31, -1;
  bar.red.or.pred %p5, 0, %p4;
  @%p5 bra $next;
  mov.u32 %r12, %ctaid.x;
  mul.wide.u32 %d3, %r12, 4;
  add.u64 %d3, %out, %d3;
  @!%p3 st.global.u32 [%d3], %r1;`,
});

const counts = async (kernel: Kernel, options: EmulatorOptions): Promise<readonly number[]> => {
  const view = await runPtx({ ...kernel, options });
  return Array.from({ length: kernel.outputBytes / 4 }, (_, i) => view.getUint32(4 * i, true));
};

async function errorOf(kernel: Kernel, options: EmulatorOptions = {}): Promise<WarpsmithError> {
  const error = await runPtx({ ...kernel, options }).catch((e: unknown) => e);
  if (error instanceof WarpsmithError) return error;
  throw error instanceof Error ? error : new Error("it ended");
}

describe("blocks that wait for all others", () => {
  for (const [name, loop] of Object.entries(loops)) {
    // Loops that never stand still take longer.
    const restless = /counts|clock/.test(name);
    const meets = async (blocks: number, rounds: number, options: EmulatorOptions) =>
      expect(await counts(gridBarrier(loop, blocks, rounds), options)).toEqual(new Array(blocks).fill(rounds * blocks));
    for (const check of ["off", "normal"] as const) {
      const few = restless ? 8 : 20;
      it(`${few}, by ${name}, with checks ${check}`, () => meets(few, 2, { check }));
      const many = restless ? 16 : 132;
      it(`${many}, by ${name}, with checks ${check}`, rotating, () => meets(many, 3, { check }));
    }
    it.each(some([1, "lazy", 2, 3, "torn", 4, 5, 6, 7, 8] as const, 1))(`12, by ${name}, under the schedule %s`, (schedule) =>
      meets(12, 2, { schedule, check: "normal" }),
    );
  }

  it.each(some([20, 132], 1))("every thread for itself, of %i blocks", async (blocks) => {
    const body = `
  mov.u32 %r9, ${64 * blocks};
  red.relaxed.gpu.global.add.u32 [%in], 1;
${loops["an atomic"]}
  mov.u32 %r12, %ctaid.x;
  mul.wide.u32 %d3, %r12, 4;
  add.u64 %d3, %out, %d3;
  setp.eq.u32 %p3, %tid, 0;
  @%p3 st.global.u32 [%d3], %r1;`;
    const kernel = { grid: [blocks, 1, 1], block: [64, 1, 1], outputBytes: 4 * blocks, body } as const;
    expect(await counts(kernel, { check: "normal" })).toEqual(Array.from({ length: blocks }, () => 64 * blocks));
  });

  it("a lock that each takes by turns", async () => {
    const blocks = 64;
    // The sum is no atomic's: whoever has the lock is alone with it.
    const body = `
  setp.ne.u32 %p3, %tid, 0;
  @%p3 exit;
$take:
  atom.acquire.gpu.global.cas.b32 %r1, [%in], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $take;
  ld.global.u32 %r2, [%in+4];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%in+4], %r2;
  st.global.u32 [%out], %r2;
  st.release.gpu.global.u32 [%in], 0;`;
    expect(await counts({ grid: [blocks, 1, 1], outputBytes: 4, body }, { check: "normal" })).toEqual([blocks]);
    for (const schedule of some([1, 2, 3, 4, 5], 1))
      expect(await counts({ grid: [blocks, 1, 1], outputBytes: 4, body }, { check: "normal", schedule })).toEqual([blocks]);
  });

  it("what lanes of one warp wait for comes from its other lanes", async () => {
    const body = `
  setp.eq.u32 %p1, %tid, 7;
  @%p1 bra $writes;
$again:
  ld.volatile.global.u32 %r1, [%in];
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra $again;
  bra $done;
$writes:
  st.volatile.global.u32 [%in], 5;
$done:
  ld.volatile.global.u32 %r1, [%in];
  st.global.u32 [%out], %r1;`;
    for (const schedule of some(["eager", 1, 2, 3, 4] as const, 2))
      expect(await counts({ outputBytes: 4, body }, { schedule })).toEqual([5]);
  });
});

describe("loops whose end cannot come", () => {
  const forEver = (loop: string, threads = 64): Kernel => ({
    block: [threads, 1, 1],
    outputBytes: 1024,
    body: `  mov.u32 %r9, 1;\n  mul.wide.u32 %d3, %tid, 4;\n  add.u64 %d3, %out, %d3;\n${loop}`,
  });

  it("are found at once, and named with what they look at", async () => {
    const error = await errorOf(forEver(loops["ld.acquire"]));
    expect(error.code).toBe("W9004");
    expect(error.sentence).toMatch(
      /warp 0 of block \(0, 0, 0\), warp 1 of block \(0, 0, 0\) at ld\.acquire\.gpu\.global\.u32 \(k\.ptx:\d+:1\), which finds 0 at 0x7f00000000/,
    );
    expect(error.spans[0]?.line).toBe(23);
  });

  it("although they store the same again and again", rotating, async () => {
    for (const check of ["off", "normal"] as const) {
      const error = await errorOf(
        forEver(
          `$again:
  ld.global.u32 %r1, [%in];
  st.global.u32 [%d3], %r9;
  st.global.u8 [%d3+512], %r9;
  red.global.max.u32 [%in+8], 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $again;`,
          4,
        ),
        { check, stepBudget: 2 ** 16 },
      );
      expect(error.code).toBe("W9004");
    }
  });

  it("by the budget, where they count", async () => {
    const error = await errorOf(forEver(loops["one that counts"]), { stepBudget: 2 ** 16 });
    expect(error.code).toBe("W9004");
  });

  it("a loop that stores something new goes on", async () => {
    const kernel = forEver(`  mov.u32 %r2, 0;
$again:
  add.u32 %r2, %r2, 1;
  shr.u32 %r3, %r2, 10;
  st.global.u32 [%d3], %r3;
  setp.lt.u32 %p1, %r2, 200000;
  @%p1 bra $again;`);
    expect((await counts(kernel, { stepBudget: 2 ** 16 }))[0]).toBe(195);
  });
});
