/**
 * What kernels in use do although the manual does not promise it, or where it is easily read otherwise, and what an H200 makes of it. The
 * checks are silent about all of them in `normal`: test/unit/emulator/watch/check/practice.test.ts.
 */
import { bytesOf, count, defineFact, type Fact, script } from "./fact.ts";

const lanes = count(32);

/** The word of a thread in the output. */
const give = (register: string): string =>
  `mul.wide.u32 %d50, %thread, 4; add.u64 %d50, %out, %d50; st.global.u32 [%d50], ${register};`;

/** `%r1`: its place in shared memory. `%r2`: the mask of its half of the warp. */
const halves = `shl.b32 %r1, %thread, 2; add.u32 %r1, %smem, %r1;
  and.b32 %r3, %thread, 16; mov.u32 %r2, 0xffff; shl.b32 %r2, %r2, %r3;`;

/** What the lane with another bit of the number has written. */
const readOther = (bit: number): string =>
  `xor.b32 %r4, %thread, ${bit}; shl.b32 %r4, %r4, 2; add.u32 %r4, %smem, %r4; ld.shared.u32 %r5, [%r4];`;

const syncHalves = defineFact({
  name: "warp/sync-halves",
  question: "Is bar.warp.sync with one mask for each half of a warp two barriers? (Lane i reads what lane i ^ 8 has written.)",
  block: 32,
  words: 32,
  body: `${halves}
  st.shared.u32 [%r1], %thread;
  bar.warp.sync %r2;
  ${readOther(8)} ${give("%r5")}`,
  expected: lanes.map((lane) => lane ^ 8),
});

const syncLateHalves = defineFact({
  name: "warp/sync-late-half",
  question: "Does the barrier of a half wait for lanes of that half that come late, to another place?",
  block: 32,
  words: 32,
  body: `${halves}
  setp.lt.u32 %p1, %thread, 24; mov.u32 %r6, 0;
  @%p1 bra early;
late:
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 1000;
  @%p2 bra late;
  st.shared.u32 [%r1], %thread;
  bar.warp.sync %r2;
  bra met;
early:
  st.shared.u32 [%r1], %thread;
  bar.warp.sync %r2;
met:
  ${readOther(8)} ${give("%r5")}`,
  expected: lanes.map((lane) => lane ^ 8),
});

const syncTwoPlaces = defineFact({
  name: "warp/sync-two-places",
  question: "Do halves of a warp meet that come to bar.warp.sync with the mask of the whole warp at two places?",
  block: 32,
  words: 32,
  body: `${halves}
  st.shared.u32 [%r1], %thread;
  setp.ge.u32 %p1, %thread, 16; mov.u32 %r5, 1;
  @%p1 bra upper;
  bar.warp.sync 0xffffffff;
  ${readOther(16)}
  bra both;
upper:
  bar.warp.sync 0xffffffff;
both:
  ${give("%r5")}`,
  expected: lanes.map((lane) => (lane < 16 ? lane + 16 : 1)),
});

const awaitPhase = (label: string, barrier: string): string => `${label}:
  mbarrier.try_wait.parity.shared::cta.b64 %p15, [${barrier}], 0;
  @!%p15 bra ${label};`;

const initByWarp = defineFact({
  name: "mbarrier/initialised-by-a-warp",
  question: "Is an mbarrier that all lanes of a warp initialise with one count initialised once?",
  block: 32,
  words: 32,
  body: `mbarrier.init.shared::cta.b64 [%smem], 32;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 _, [%smem];
${awaitPhase("wait", "%smem")}
  ${give("%thread")}`,
  expected: lanes,
});

const electedArrives = defineFact({
  name: "warp/elected-arrives",
  question: "Is the lane that elect.sync elects thread 0, so that only a lane that is both need arrive?",
  block: 32,
  words: 32,
  body: `setp.ne.u32 %p1, %thread, 0;
  @%p1 bra initialised;
  mbarrier.init.shared::cta.b64 [%smem], 1;
initialised:
  bar.sync 0;
  elect.sync _|%p2, -1;
  @!%p2 bra wait;
  @%p1 bra wait;
  mbarrier.arrive.shared::cta.b64 _, [%smem];
${awaitPhase("wait", "%smem")}
  ${give("%thread")}`,
  expected: lanes,
});

const arriveThenSync = defineFact({
  name: "block/arrive-then-sync",
  question: "Do warps count twice that arrive at a barrier of the block and then wait there?",
  block: 128,
  words: 128,
  body: `bar.arrive 1, 256;
  bar.sync 1, 256;
  ${give("%thread")}`,
  expected: count(128),
});

const storeLeft = defineFact({
  name: "bulk/store-left-by-its-block",
  question: "Is a bulk store done whose block ends after it has committed it?",
  block: 32,
  words: 32,
  body: `shl.b32 %r1, %thread, 2; add.u32 %r1, %smem, %r1; st.shared.u32 [%r1], %thread;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  setp.eq.u32 %p1, %thread, 0;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%smem], 128;
  @%p1 cp.async.bulk.commit_group;`,
  expected: lanes,
});

const sameValue = defineFact({
  name: "shared/same-value",
  question: "Is a flag right that all threads of a block set to one value?",
  block: 128,
  words: 128,
  body: `mov.u32 %r1, 1; st.shared.u32 [%smem], %r1;
  bar.sync 0;
  ld.shared.u32 %r2, [%smem]; ${give("%r2")}`,
  expected: count(128).map(() => 1),
});

const storeByWarp = defineFact({
  name: "bulk/store-by-warp",
  question: "Is a bulk store right that all lanes of a warp issue, each the same?",
  block: 32,
  words: 32,
  body: `shl.b32 %r1, %thread, 2; add.u32 %r1, %smem, %r1; st.shared.u32 [%r1], %thread;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%smem], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;`,
  expected: lanes,
});

const bitField = defineFact({
  name: "local/bit-field",
  question: "Is a bit field right that is set in a word of local memory that nothing has written?",
  ...script((keep) => [
    ".local .align 4 .b8 fields[4];",
    "ld.local.u32 %r1, [fields]; and.b32 %r1, %r1, -255; or.b32 %r1, %r1, 2; st.local.u32 [fields], %r1;",
    "ld.local.u8 %r2, [fields]; shr.u32 %r2, %r2, 1;",
    keep("%r2"),
    "ld.local.u32 %r3, [fields]; bfe.u32 %r3, %r3, 1, 7;",
    keep("%r3"),
  ]),
  expected: [1, 1],
});

/** A: 64 x 16 of f16 in core matrices of 8 x 8, one after the other along K; B: its first 8 rows. */
const element = (row: number, k: number): number => ((row * 5 + k * 3) % 7) - 3;
const place = (row: number, k: number): number => ((row >> 3) * 2 + (k >> 3)) * 64 + (row & 7) * 8 + (k & 7);
function halfWords(): Uint16Array {
  const words = new Uint16Array(64 * 16);
  // Whole numbers from -3 to 3 as f16.
  const bits = [0x0000, 0x3c00, 0x4000, 0x4200];
  for (const row of count(64))
    for (const k of count(16)) {
      const x = element(row, k);
      words[place(row, k)] = (bits[Math.abs(x)] ?? 0) | (x < 0 ? 0x8000 : 0);
    }
  return words;
}
const product = (row: number, column: number): number =>
  count(16).reduce((sum, k) => sum + element(row, k) * element(column, k), 0);
const fragments = count(128).flatMap((thread) => {
  const [row, column] = [16 * (thread >> 5) + ((thread & 31) >> 2), 2 * (thread & 3)];
  const at = (r: number, c: number): number => product(row + r, column + c);
  return [at(0, 0), at(0, 1), at(8, 0), at(8, 1)];
});

const copiedOperands = defineFact({
  name: "wgmma/copied-operands",
  question:
    "Does wgmma see operands that cp.async has brought, after a wait and a barrier, without a fence of the asynchronous proxy?",
  block: 128,
  words: 512,
  input: bytesOf(halfWords()),
  body: `shl.b32 %r1, %thread, 4; add.u32 %r2, %smem, %r1; cvt.u64.u32 %d1, %r1; add.u64 %d2, %in, %d1;
  cp.async.cg.shared.global [%r2], [%d2], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  cvt.u64.u32 %d3, %smem; shr.u64 %d3, %d3, 4; or.b64 %d3, %d3, 0x1000080000;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d3, %d3, 0, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u64 %d4, %out, %d1;
  st.global.v4.f32 [%d4], {%f0, %f1, %f2, %f3};`,
  expected: [...new Uint32Array(Float32Array.from(fragments).buffer)],
});

export const practiceFacts: readonly Fact[] = [
  syncHalves,
  syncLateHalves,
  syncTwoPlaces,
  initByWarp,
  electedArrives,
  arriveThenSync,
  sameValue,
  storeByWarp,
  storeLeft,
  bitField,
  copiedOperands,
];
