/** Copies of `cp.async`, and what may go wrong between them and others. Hand-written; async-copies.ts has those of the language. */
import { type Hazard, ptxHazard } from "./hazard.ts";
import { count } from "./parts.ts";

const words = count(32).map((i) => 100 + i);
const input = new Uint8Array(Int32Array.from([...words, ...words, ...words, ...words]).buffer);

/** Thread t brings 4 bytes from `%in + 4 t` to `smem + at + 4 t`. `%r1`: its place there; `%d1`: its place in the output. */
const copy = (at = 0): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %tid, 4, %r1;
  mul.wide.u32 %d1, %tid, 4;
  add.u64 %d2, %in, %d1;
  add.u64 %d1, %out, %d1;
  cp.async.ca.shared.global [%r1+${at}], [%d2], 4; // the other side`;

/** ConSan: async_copy. */
const notWaited = (broken: boolean): string => `${copy()}
  cp.async.commit_group;
  ${broken ? "" : "cp.async.wait_group 0;"}
  ld.shared.u32 %r2, [%r1]; // reported: W9204
  cp.async.wait_group 0;
  st.global.u32 [%d1], %r2;`;

/** ConSan: ws_async_copy_commits. The wait leaves the group that is read. */
const waitTooShallow = (broken: boolean): string => `${copy()}
  cp.async.commit_group;
  cp.async.wait_group ${broken ? 1 : 0};
  ld.shared.u32 %r2, [%r1]; // reported: W9204
  cp.async.wait_all;
  st.global.u32 [%d1], %r2;`;

/** Each thread waits for its own copies alone: what others brought takes a barrier. */
const noBarrier = (broken: boolean): string => `${copy()}
  cp.async.wait_all;
  ${broken ? "" : "bar.sync 0;"}
  xor.b32 %r3, %tid, 63;
  mov.u32 %r4, smem;
  mad.lo.u32 %r4, %r3, 4, %r4;
  ld.shared.u32 %r2, [%r4]; // reported: W9201 or W9204
  st.global.u32 [%d1], %r2;`;

/** ConSan: async_copy_mbarrier_arrive_requires_init. */
const arrivesAtNothing = (broken: boolean): string => `
  mov.u32 %r5, smem;
  setp.eq.u32 %p1, %tid, 0;
  ${broken ? "" : "@%p1 mbarrier.init.shared::cta.b64 [%r5+1024], 32;"}
  bar.sync 0;${copy().replace(" // the other side", "")}
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r5+1024]; // reported: W9102
$again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5+1024], 0;
  @!%p2 bra $again;
  ld.shared.u32 %r2, [%r1];
  st.global.u32 [%d1], %r2;`;

/** ConSan: mma_read_async_copy_write. Copies of `cp.async` are of the generic proxy, bulk copies and wgmma of the asynchronous one. */
const noProxyFence = (broken: boolean): string => `${copy()}
  cp.async.wait_all;
  ${broken ? "" : "fence.proxy.async.shared::cta;"}
  bar.sync 0;
  setp.eq.u32 %p1, %tid, 0;
  @!%p1 bra $end;
  mov.u32 %r5, smem;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r5], 128; // reported: W9202
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
$end:`;

const block = [32, 1, 1] as const;

export const cpAsync: readonly Hazard[] = [
  ptxHazard({
    name: "cp-async/not-waited-for",
    classes: [15],
    body: notWaited,
    expected: words,
    block,
    input,
    sharedBytes: 2048,
  }),
  ptxHazard({
    name: "cp-async/wait-too-shallow",
    classes: [15],
    body: waitTooShallow,
    expected: words,
    block,
    input,
    sharedBytes: 2048,
  }),
  ptxHazard({
    name: "cp-async/no-barrier",
    eitherSide: true,
    classes: [15],
    body: noBarrier,
    expected: [...words.toReversed(), ...words.toReversed()],
    block: [64, 1, 1],
    input,
    sharedBytes: 2048,
  }),
  ptxHazard({
    name: "cp-async/arrives-at-nothing",
    classes: [1, 15],
    body: arrivesAtNothing,
    expected: words,
    block,
    input,
    sharedBytes: 2048,
  }),
  ptxHazard({
    name: "cp-async/no-proxy-fence",
    classes: [30],
    body: noProxyFence,
    expected: words,
    block,
    input,
    sharedBytes: 2048,
  }),
];
