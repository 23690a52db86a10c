import { afterEach, describe, expect, it, vi } from "vitest";
import type { Choice, Schedule } from "../../../../src/emulator/index.ts";
import { minimise } from "../../../../src/tools/cli/find-failure.ts";
import { rotating, some } from "../../../support/amount.ts";
import { hunt, schedulesUpTo } from "../../../support/hunt.ts";
import { type Kernel, wordsOf } from "../run-ptx.ts";

afterEach(() => void vi.restoreAllMocks());

const seeds = some(
  Array.from({ length: 30 }, (_, i) => i + 1),
  8,
);

/** A block's threads, each with one word of the output, under a schedule. */
const run = (body: string, threads: number, schedule: Schedule, rest: Partial<Kernel> = {}, note?: (choice: Choice) => void) =>
  wordsOf(body, threads, { sharedBytes: 2048, ...rest, options: { schedule, ...(note && { chose: note }) } });

async function traced(body: string, threads: number, schedule: Schedule): Promise<{ words: number[]; trace: Choice[] }> {
  const trace: Choice[] = [];
  const words = await run(body, threads, schedule, {}, (choice) => void trace.push(choice));
  return { words: [...words], trace };
}

/** Each thread adds 1 to a word, four times; not in one piece. */
const counting = `
  mov.u32 %r20, smem;
  mov.u32 %r1, 0;
$again:
  ld.volatile.shared.u32 %r2, [%r20];
  add.u32 %r2, %r2, 1;
  st.volatile.shared.u32 [%r20], %r2;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 4;
  @%p0 bra $again;
  bar.sync 0;
  ld.volatile.shared.u32 %r0, [%r20];`;

/** Warp 0 writes what warp 1 reads; `between` stands between. */
const handOver = (between: string) => `
  mov.u32 %r20, smem;
  and.b32 %r1, %tid, 31;
  shl.b32 %r1, %r1, 2;
  add.u32 %r1, %r1, %r20;
  mov.u32 %r0, 7;
  setp.lt.u32 %p0, %tid, 32;
  @%p0 st.shared.u32 [%r1], 7;
  ${between}
  @!%p0 ld.shared.u32 %r0, [%r1];`;

/** Eight copies of 16 bytes on barriers of their own; all but the one of number `unwaited` are waited for, then all are read. */
const copies = (unwaited: number) => {
  const each = (write: (i: number) => string) => Array.from({ length: 8 }, (_, i) => write(i)).join("\n");
  return `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
${each((i) => `  @%p9 mbarrier.init.shared::cta.b64 [%r20+${8 * i}], 1;`)}
  bar.sync 0;
${each(
  (i) => `  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20+${8 * i}], 16;
  @%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+${128 + 16 * i}], [%in], 16, [%r20+${8 * i}];`,
)}
${each((i) =>
  i === unwaited
    ? ""
    : `$wait${i}:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20+${8 * i}], 0;
  @!%p1 bra $wait${i};`,
)}
  mov.u32 %r0, 0;
${each((i) => `  ld.shared.u32 %r1, [%r20+${128 + 16 * i}];\n  add.u32 %r0, %r0, %r1;`)}`;
};
const ones = new Uint8Array(new Uint32Array([1, 1, 1, 1]).buffer);

describe("a schedule", () => {
  it("repeats itself: the same choices, the same outcome, however the work is cut into slices", async () => {
    const outcomes = new Set<string>();
    for (const seed of seeds) {
      const first = await traced(counting, 96, seed);
      // Each look at the clock is 100 ms after the last: every slice ends after one round.
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
      const second = await traced(counting, 96, seed);
      clock.mockRestore();
      expect(second).toEqual(first);
      outcomes.add(String(first.words[0]));
    }
    expect(outcomes.size).toBeGreaterThan(2);
  });

  it("is its trace", async () => {
    for (const seed of some(seeds, 3)) {
      const { words, trace } = await traced(counting, 96, seed);
      expect(await traced(counting, 96, trace)).toEqual({ words, trace });
    }
    const eager = await traced(counting, 96, "eager");
    expect(eager.trace).toEqual([]);
  });

  it("lets everyone go on in the end: locks, and warps that wait for each other's flags", async () => {
    const lock = `
  mov.u32 %r20, smem;
$try:
  atom.shared.cas.b32 %r1, [%r20], 0, 1;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 bra $try;
  ld.volatile.shared.u32 %r2, [%r20+4];
  add.u32 %r2, %r2, 1;
  st.volatile.shared.u32 [%r20+4], %r2;
  atom.shared.exch.b32 %r1, [%r20], 0;
  bar.sync 0;
  ld.volatile.shared.u32 %r0, [%r20+4];`;
    const turns = `
  mov.u32 %r20, smem;
  shr.u32 %r1, %tid, 5;
  mov.u32 %r3, 0;
$round:
  mad.lo.u32 %r4, %r3, 3, %r1;
$look:
  ld.volatile.shared.u32 %r2, [%r20];
  setp.ne.u32 %p0, %r2, %r4;
  @%p0 nanosleep.u32 20;
  @%p0 bra $look;
  bar.warp.sync -1;
  elect.sync _|%p1, -1;
  add.u32 %r2, %r2, 1;
  @%p1 st.volatile.shared.u32 [%r20], %r2;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 4;
  @%p2 bra $round;
  mov.u32 %r0, %r4;`;
    const holds = async (schedule: Schedule) => {
      const [locked, taken] = [await run(lock, 96, schedule), await run(turns, 96, schedule)];
      return locked.every((x) => x === 96) && taken.every((x, i) => x === 9 + (i >> 5));
    };
    expect(await hunt(holds, 12)).toEqual([]);
  }, 60_000);

  it("lets a lane go on that its warp looks for again and again", async () => {
    const body = `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 5;
  @!%p9 bra $look;
  st.volatile.shared.u32 [%r20], 1;
$look:
  ld.volatile.shared.u32 %r0, [%r20];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra $look;`;
    expect(await hunt(async (s) => (await run(body, 64, s)).every((x) => x === 1), 100)).toEqual([]);
  });

  it("finds a missing barrier that neither eager nor lazy shows", async () => {
    const broken = await hunt(async (s) => (await run(handOver(""), 64, s)).every((x) => x === 7), 12);
    expect(broken.filter((s) => typeof s !== "number")).toEqual([]);
    expect(broken.length).toBeGreaterThan(2);
    expect(await hunt(async (s) => (await run(handOver("bar.sync 0;"), 64, s)).every((x) => x === 7), 12)).toEqual([]);
  });

  it("shows updates that get lost", async () => {
    const lost = await hunt(async (s) => (await run(counting, 64, s))[0] === 4 * 64, 12);
    expect(lost.length).toBeGreaterThan(2);
    // Lanes of a warp read in step, as on a GPU: all of them add to one number.
    expect(lost).toContain("eager");
  });

  it("fails for the one choice that the failure needs", rotating, async () => {
    const body = copies(5);
    const holds = async (s: Schedule) => (await run(body, 32, s, { input: ones })).every((x) => x === 8);
    expect(await hunt(async (s) => (await run(copies(-1), 32, s, { input: ones })).every((x) => x === 8), 12)).toEqual([]);
    expect(await holds("eager")).toBe(true);
    // What nobody waits for lands last.
    expect(await holds("lazy")).toBe(false);
    const failing = await hunt(holds, 40);
    let least = 0;
    for (const seed of failing.filter((s) => typeof s === "number").slice(0, 3)) {
      const trace: Choice[] = [];
      await run(body, 32, seed, { input: ones }, (choice) => void trace.push(choice));
      const left = await minimise(trace, async (some) => !(await holds(some)), 500);
      expect(await holds(left)).toBe(false);
      expect(left).toEqual([{ launch: 0, what: "land", nth: 5, picked: expect.any(Number) }]);
      least += 1;
    }
    expect(least).toBe(3);
  });
});

describe("what a schedule chooses", () => {
  const outcomes = async (body: string, threads: number, rest: Partial<Kernel> = {}, few = 20) => {
    const found = new Map<string, Int32Array>();
    for (const schedule of some(schedulesUpTo(100), few)) {
      const words = await run(body, threads, schedule, rest);
      found.set(words.join(), words);
    }
    return [...found.values()];
  };

  const elections = `
  elect.sync %r1|%p0, -1;
  elect.sync %r2|%p1, -1;
  selp.u32 %r0, 100, 0, %p0;
  @%p1 add.u32 %r0, %r0, 100;
  setp.ne.u32 %p2, %r1, %r2;
  @%p2 mov.u32 %r0, -1;`;

  it("in strict, the leader of elect.sync: one, the same each time", async () => {
    const found = new Map<string, Int32Array>();
    for (const schedule of some(schedulesUpTo(100), 20)) {
      const words = await wordsOf(elections, 32, { options: { schedule, check: "strict" } });
      found.set(words.join(), words);
    }
    expect(found.size).toBeGreaterThan(3);
    for (const words of found.values()) {
      expect([...words].sort((a, b) => b - a)).toEqual([200, ...new Array<number>(31).fill(0)]);
    }
  });

  it.each(["off", "normal"] as const)(
    "not the leader of elect.sync where checks are %s: it is the lowest lane",
    async (check) => {
      for (const schedule of some(schedulesUpTo(30), 8)) {
        const words = await wordsOf(elections, 32, { options: { schedule, check } });
        expect([...words]).toEqual([200, ...new Array<number>(31).fill(0)]);
      }
    },
  );

  it("a deadlock for which another lane than the lowest was elected says so", async () => {
    const body = `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], 1;
  bar.sync 0;
  elect.sync _|%p0, -1;
  and.pred %p1, %p0, %p9;
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r20];
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r20], 0;
  @!%p2 bra $wait;
  mov.u32 %r0, 1;`;
    const reports: string[] = [];
    for (const schedule of some(schedulesUpTo(30), 8)) {
      const options = { schedule, check: "strict" } as const;
      await wordsOf(body, 32, { sharedBytes: 64, options }).catch((error: Error) => void reports.push(error.message));
    }
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports) {
      expect(report).toMatch(/^W9001/);
      expect(report).toMatch(
        /elect\.sync elected lane \d+ of warp 0 of block \(0, 0, 0\), which the manual allows; the hardware elects the lowest, lane 0/,
      );
    }
  });

  it("that a wait gives up, at most three times before it passes", async () => {
    const found = await outcomes(
      `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], 1;
  @%p9 mbarrier.arrive.shared::cta.b64 _, [%r20];
  bar.warp.sync -1;
  mov.u32 %r0, 0;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20], 0;
  @!%p1 add.u32 %r0, %r0, 1;
  @!%p1 bra $wait;`,
      32,
      {},
      100,
    );
    const most = found.map((words) => Math.max(...words));
    expect(Math.min(...most)).toBe(0);
    expect(Math.max(...most)).toBe(3);
  });

  it("the order of lanes at an atomic, and of blocks", async () => {
    const ticket = await outcomes("  atom.global.add.u32 %r0, [%in], 1;", 32);
    expect(ticket.length).toBeGreaterThan(3);
    for (const words of ticket) expect([...words].sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, i) => i));
    const blocks = await outcomes(
      "  mov.u32 %r0, 0;\n  setp.eq.u32 %p0, %tid, 0;\n  @%p0 atom.global.add.u32 %r0, [%in], 1;",
      32,
      {
        grid: [12, 1, 1],
      },
    );
    expect(blocks.length).toBeGreaterThan(3);
  });

  it("which lanes part, yet what is aligned meets again", async () => {
    const body = `
  mov.u32 %r1, 0;
  mov.u32 %r2, %tid;
$again:
  and.b32 %r3, %r2, 1;
  setp.eq.u32 %p0, %r3, 0;
  @%p0 add.u32 %r2, %r2, 3;
  @!%p0 xor.b32 %r2, %r2, 5;
  shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;
  add.u32 %r2, %r2, %r4;
  bar.sync 0;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 20;
  @%p1 bra $again;
  mov.u32 %r0, %r2;`;
    expect(await outcomes(body, 64)).toHaveLength(1);
  });

  it("when a store reads and when it writes: a wait for the source alone does not make it visible", async () => {
    const body = (wait: string) => `
  mov.u32 %r20, smem;
  st.shared.u32 [%r20], 9;
  fence.proxy.async.shared::cta;
  bar.warp.sync -1;
  setp.eq.u32 %p9, %tid, 0;
  mov.u32 %r0, 9;
  @!%p9 bra $end;
  cp.async.bulk.global.shared::cta.bulk_group [%in], [%r20], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group${wait} 0;
  ld.global.u32 %r0, [%in];
  cp.async.bulk.wait_group 0;
$end:`;
    const right = async (wait: string, s: Schedule) => (await run(body(wait), 32, s))[0] === 9;
    expect(await hunt((s) => right("", s), 12)).toEqual([]);
    const failing = await hunt((s) => right(".read", s), 12);
    expect(failing).toContain("lazy");
    expect(failing).not.toContain("eager");
  });
});
