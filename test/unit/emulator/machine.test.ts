import { describe, expect, it } from "vitest";
import { runPtx, wordsOf } from "./run-ptx.ts";

const lanes = (f: (lane: number) => number, count = 32): number[] => Array.from({ length: count }, (_, i) => f(i) | 0);

/** A barrier of `count` arrivals at the beginning of shared memory. */
const barrier = (count: number): string => `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], ${count};
  bar.sync 0;`;

describe("control flow", () => {
  it("lanes part and meet", async () => {
    const found = await wordsOf(`
  mov.u32 %r0, 0;
  and.b32 %r1, %tid, 1;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 bra $even;
  setp.gt.u32 %p1, %tid, 15;
  @%p1 bra $far;
  add.u32 %r0, %r0, 100;
  bra $join;
$far:
  add.u32 %r0, %r0, 200;
  bra $join;
$even:
  add.u32 %r0, %r0, 300;
$join:
  shfl.sync.idx.b32 %r2, %r0, 1, 31, -1;
  add.u32 %r0, %r0, %r2;`);
    expect([...found]).toEqual(lanes((i) => 100 + (i % 2 === 0 ? 300 : i > 15 ? 200 : 100)));
  });

  it("loops of different lengths", async () => {
    const found = await wordsOf(`
  mov.u32 %r0, 0;
  mov.u32 %r1, 0;
$loop:
  setp.ge.u32 %p0, %r1, %tid;
  @%p0 bra $done;
  add.u32 %r0, %r0, %r1;
  add.u32 %r1, %r1, 1;
  bra $loop;
$done:
  bar.warp.sync -1;`);
    expect([...found]).toEqual(lanes((i) => (i * (i - 1)) / 2));
  });

  it("a lock in one warp: lanes that spin let the one that holds it go on", async () => {
    const found = await wordsOf(
      `
  mov.u32 %r20, smem;
  setp.eq.u32 %p0, %tid, 0;
  @%p0 st.shared.u32 [%r20], 0;
  @%p0 st.shared.u32 [%r20+4], 0;
  bar.sync 0;
$spin:
  atom.shared.cas.b32 %r1, [%r20], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $spin;
  ld.shared.u32 %r2, [%r20+4];
  add.u32 %r2, %r2, 1;
  st.shared.u32 [%r20+4], %r2;
  atom.shared.exch.b32 %r3, [%r20], 0;
  bar.sync 0;
  ld.shared.u32 %r0, [%r20+4];`,
      64,
      { sharedBytes: 16 },
    );
    expect([...found]).toEqual(lanes(() => 64, 64));
  });

  it("threads that exit are not waited for", async () => {
    const view = await runPtx({
      block: [128, 1, 1],
      outputBytes: 4,
      body: `
  setp.lt.u32 %p0, %tid, 40;
  @%p0 exit;
  bar.sync 0;
  atom.global.add.u32 %r0, [%out], 1;`,
    });
    expect(view.getUint32(0, true)).toBe(88);
  });

  it("blocks wait for each other's flags", async () => {
    const found = await wordsOf(
      `
  mov.u32 %r1, %ctaid.x;
  atom.global.add.u32 %r2, [%in], 1;
$wait:
  ld.acquire.gpu.global.u32 %r0, [%in];
  setp.lt.u32 %p0, %r0, 96;
  @%p0 bra $wait;`,
      32,
      { grid: [3, 1, 1] },
    );
    expect([...found]).toEqual(lanes(() => 96, 96));
  });
});

describe("barriers", () => {
  it("named ones hand over between warps", async () => {
    const found = await wordsOf(
      `
  mov.u32 %r20, smem;
  setp.ge.u32 %p0, %tid, 32;
  @%p0 bra $consumer;
  shl.b32 %r1, %tid, 2;
  add.u32 %r1, %r1, %r20;
  st.shared.u32 [%r1], %tid;
  bar.arrive 3, 64;
  mov.u32 %r0, 7;
  bra $end;
$consumer:
  bar.sync 3, 64;
  sub.u32 %r1, 63, %tid;
  shl.b32 %r1, %r1, 2;
  add.u32 %r1, %r1, %r20;
  ld.shared.u32 %r0, [%r1];
$end:`,
      64,
      { sharedBytes: 128 },
    );
    expect([...found]).toEqual([...lanes(() => 7), ...lanes((i) => 31 - i)]);
  });

  it("reductions", async () => {
    const found = await wordsOf(
      `
  and.b32 %r1, %tid, 3;
  setp.eq.u32 %p0, %r1, 0;
  bar.red.popc.u32 %r0, 0, %p0;
  bar.red.or.pred %p1, 0, %p0;
  bar.red.and.pred %p2, 0, %p0;
  @%p1 add.u32 %r0, %r0, 1000;
  @%p2 add.u32 %r0, %r0, 10000;`,
      64,
    );
    expect([...found]).toEqual(lanes(() => 1016, 64));
  });

  it("mbarriers: a wait goes on when the phase is over, in turn of parities", async () => {
    const found = await wordsOf(
      `${barrier(32)}
  mov.u32 %r0, 0;
  mov.u32 %r1, 0;
$round:
  setp.lt.u32 %p0, %tid, 32;
  @%p0 mbarrier.arrive.shared::cta.b64 _, [%r20];
  and.b32 %r2, %r1, 1;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20], %r2;
  @!%p1 bra $wait;
  add.u32 %r0, %r0, 1;
  bar.sync 0;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 5;
  @%p2 bra $round;`,
      96,
      { sharedBytes: 16 },
    );
    expect([...found]).toEqual(lanes(() => 5, 96));
  });

  it("threads that only look see a copy land, however late it lands", async () => {
    const found = await wordsOf(
      `${barrier(1)}
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 16;
  @%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+16], [%in], 16, [%r20];
$look:
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r20], 0;
  @!%p1 bra $look;
  ld.shared.u32 %r0, [%r20+20];`,
      32,
      { sharedBytes: 32, input: new Uint8Array(new Uint32Array([1, 23, 4, 5]).buffer), options: { schedule: "lazy" } },
    );
    expect([...found]).toEqual(lanes(() => 23));
  });

  it("clusters: blocks read each other's shared memory", async () => {
    const found = await wordsOf(
      `
  mov.u32 %r20, smem;
  mov.u32 %r1, %cluster_ctarank;
  shl.b32 %r2, %tid, 2;
  add.u32 %r2, %r2, %r20;
  mad.lo.u32 %r3, %r1, 1000, %tid;
  st.shared.u32 [%r2], %r3;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  xor.b32 %r4, %r1, 1;
  mapa.shared::cluster.u32 %r5, %r2, %r4;
  ld.shared::cluster.u32 %r0, [%r5];
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;`,
      32,
      { grid: [4, 1, 1], cluster: [2, 1, 1], sharedBytes: 128 },
    );
    expect([...found]).toEqual(lanes((i) => ((i >> 5) % 2 === 0 ? 1000 : 0) + (i % 32), 128));
  });

  it("clusters: a warp that has arrived and exited does not stand for one that is still to come", async () => {
    // The second warp of block 0 arrives and leaves; the one of block 1 writes late, and is waited for.
    const found = await wordsOf(
      `
  mov.u32 %r20, smem;
  mov.u32 %r1, %cluster_ctarank;
  setp.lt.u32 %p0, %tid, 32;
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r0, 0;
  @%p0 bra $arrive;
  @%p1 bra $leave;
  mov.u32 %r4, 0;
$later:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, 2000;
  @%p2 bra $later;
  st.shared.u32 [%r20], 77;
$arrive:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mapa.shared::cluster.u32 %r5, %r20, 1;
  ld.shared::cluster.u32 %r0, [%r5];
  bra $end;
$leave:
  barrier.cluster.arrive.aligned;
  ret;
$end:`,
      64,
      { grid: [2, 1, 1], cluster: [2, 1, 1], sharedBytes: 128 },
    );
    expect([...found.slice(0, 32)]).toEqual(lanes(() => 77));
  });
});

describe("warps", () => {
  it("shfl, vote, elect, match, redux", async () => {
    const shuffle = (mode: string, by: number, bounds: number) =>
      wordsOf(`  shfl.sync.${mode}.b32 %r0, %tid, ${by}, ${bounds}, -1;`);
    expect([...(await shuffle("up", 3, 0))]).toEqual(lanes((i) => (i < 3 ? i : i - 3)));
    expect([...(await shuffle("down", 3, 31))]).toEqual(lanes((i) => (i > 28 ? i : i + 3)));
    expect([...(await shuffle("bfly", 5, 31))]).toEqual(lanes((i) => i ^ 5));
    // In segments of 8 lanes.
    expect([...(await shuffle("idx", 2, 0x181f))]).toEqual(lanes((i) => (i & 24) | 2));
    expect([...(await wordsOf("  setp.lt.u32 %p0, %tid, 5;\n  vote.sync.ballot.b32 %r0, %p0, -1;"))]).toEqual(lanes(() => 31));
    expect([...(await wordsOf("  mov.u32 %r0, 0;\n  elect.sync %r1|%p0, -16;\n  @%p0 mov.u32 %r0, 1;"))]).toEqual(
      lanes((i) => Number(i === 4)),
    );
    expect([...(await wordsOf("  and.b32 %r1, %tid, 3;\n  match.any.sync.b32 %r0, %r1, -1;"))]).toEqual(
      lanes((i) => 0x11111111 << (i % 4)),
    );
    expect([...(await wordsOf("  redux.sync.add.u32 %r0, %tid, -1;"))]).toEqual(lanes(() => 496));
  });

  it("atomics: every thread counts, each gets its own number", async () => {
    const found = await wordsOf("  atom.global.add.u32 %r0, [%in], 1;", 96);
    expect([...found].sort((a, b) => a - b)).toEqual(lanes((i) => i, 96));
  });

  it("variables: static, constant, global and local memory, generic addresses", async () => {
    const found = await wordsOf(
      `  .shared .align 4 .b32 mine[32];
  .local .align 4 .b32 own[2];
  shl.b32 %r1, %tid, 2;
  mov.u32 %r2, mine;
  add.u32 %r2, %r2, %r1;
  cvt.u64.u32 %d1, %r2;
  cvta.shared.u64 %d1, %d1;
  st.u32 [%d1], %tid;
  mov.u64 %d2, own;
  st.local.u32 [%d2+4], %tid;
  ld.shared.u32 %r3, [%r2];
  cvta.local.u64 %d3, %d2;
  ld.u32 %r4, [%d3+4];
  ld.const.u32 %r5, [table+4];
  ld.global.u32 %r6, [counter];
  add.u32 %r0, %r3, %r4;
  add.u32 %r0, %r0, %r5;
  add.u32 %r0, %r0, %r6;`,
      32,
      { module: ".const .align 4 .b32 table[2] = {1, 1000};\n.global .attribute(.managed) .align 4 .u32 counter = 70000;" },
    );
    expect([...found]).toEqual(lanes((i) => 2 * i + 71000));
  });
});

describe("what goes wrong is told", () => {
  const failure = (body: string, sharedBytes = 16): Promise<unknown> =>
    wordsOf(body, 32, { sharedBytes }).then(
      () => undefined,
      (e: unknown) => e,
    );
  it("memory that is nobody's, misaligned addresses, traps", async () => {
    expect(await failure("  ld.global.u32 %r0, [%in+16];")).toMatchObject({
      code: "W9003",
      message: expect.stringMatching(/4 bytes of global memory .* belong to nothing/),
    });
    expect(await failure("  ld.global.u32 %r0, [%in+2];")).toMatchObject({
      message: expect.stringMatching(/not a multiple of 4/),
    });
    expect(await failure("  mov.u64 %d0, 0;\n  st.global.u32 [%d0], 1;")).toMatchObject({
      message: expect.stringMatching(/null pointer/),
    });
    expect(await failure("  mov.u32 %r1, smem;\n  st.shared.u32 [%r1+16], 1;")).toMatchObject({
      message: expect.stringMatching(/shared memory/),
    });
    expect(await failure("  trap;")).toMatchObject({
      message: expect.stringMatching(/it trapped, in warp 0 of block \(0, 0, 0\)/),
    });
  });
  it("deadlocks name who waits where", async () => {
    const never = `${barrier(2)}
  mbarrier.arrive.shared::cta.b64 _, [%r20], 1;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r20], 0;
  @!%p0 bra $wait;`;
    expect(await failure(never.replace("  mbarrier.arrive", "  @%p9 mbarrier.arrive"))).toMatchObject({
      code: "W9001",
      message: expect.stringMatching(/warp 0 of block \(0, 0, 0\) at mbarrier\.try_wait.*lacks 1 of 2 arrivals and 0 bytes/),
    });
    expect(await failure("  bar.sync 1, 64;")).toMatchObject({
      code: "W9001",
      message: expect.stringMatching(/barrier 1, which has 32 of 64 threads/),
    });
  });
  it("a warp comes to one barrier", async () => {
    expect(await failure("  and.b32 %r1, %tid, 3;\n  bar.sync %r1, 32;")).toMatchObject({
      message: expect.stringMatching(/lanes 0 and 1 of one warp came to the barriers 0 and 1 together/),
    });
  });
  it("a peek at a barrier that is refused goes on", async () => {
    const found = await wordsOf(
      `${barrier(1)}
  mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r20], 0;
  @%p9 mbarrier.arrive.shared::cta.b64 _, [%r20];
  bar.warp.sync -1;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r20], 0;
  selp.u32 %r0, 1, 0, %p0;
  selp.u32 %r1, 2, 0, %p1;
  add.u32 %r0, %r0, %r1;`,
      32,
      { sharedBytes: 16 },
    );
    expect([...found]).toEqual(lanes(() => 2));
  });
  it("an instruction that it does not know is refused when the kernel is loaded", async () => {
    expect(await failure("  cvta.global.u32 %r1, %r2;\n  mov.u32 %r0, 0;")).toMatchObject({
      code: "W9002",
      message: expect.stringMatching(/cvta\.global\.u32/),
    });
  });
});
