/** Copies of `cp.async` that nobody has waited for, or not everybody. */
import { count } from "../cases/numbers.ts";
import { type CourtCase, ownWords, ptxCase } from "./court-case.ts";

const unless = (broken: boolean, text: string): string => (broken ? "" : text);

/** Each thread copies its word; `%r3` is the word of the thread on the other side. */
const copy = (at: number, mark = ""): string => `cp.async.ca.shared.global [%r1+${at}], [%d1], 4;${mark}`;
const other = `
  xor.b32 %r2, %tid, 63;
  mad.lo.u32 %r3, %r2, 4, %r0;`;

const waitBehindTheBarrier = (broken: boolean): string => `${ownWords}${other}
  ${copy(0, " // the other side")}
  ${unless(broken, "cp.async.wait_all;")}
  bar.sync 0;
  ${copy(512)}
  cp.async.wait_all;
  ld.shared.u32 %r4, [%r3]; // reported: W9201 or W9204
  ld.shared.u32 %r5, [%r1+512];
  add.u32 %r4, %r4, %r5;
  st.global.u32 [%d2], %r4;`;

const commitBehindTheWait = (broken: boolean): string => `${ownWords}${other}
  mov.u32 %r20, 0;
  mov.u32 %r5, 0;
$round:
  ${copy(0, " // the other side")}
  ${unless(broken, "cp.async.commit_group;")}
  cp.async.wait_group 0;
  ${broken ? "cp.async.commit_group;" : ""}
  bar.sync 0;
  ld.shared.u32 %r4, [%r3]; // reported: W9201 or W9204
  add.u32 %r20, %r20, %r4;
  bar.sync 0;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 2;
  @%p1 bra $round;
  cp.async.wait_all;
  st.global.u32 [%d2], %r20;`;

const warpForTheBlock = (broken: boolean): string => `${ownWords}${other}
  ${copy(0, " // the other side")}
  cp.async.commit_group;
  cp.async.wait_group 0;
  ${broken ? "bar.warp.sync 0xffffffff;" : "bar.sync 0;"}
  ld.shared.u32 %r4, [%r3]; // reported: W9201 or W9204
  st.global.u32 [%d2], %r4;`;

const copiedOverWhatIsRead = (broken: boolean): string => `${ownWords}${other}
  st.shared.u32 [%r1], %tid;
  bar.sync 0;
  ${broken ? "" : "ld.shared.u32 %r4, [%r3]; bar.sync 0;"}
  ${copy(0, " // the other side")}
  ${broken ? "ld.shared.u32 %r4, [%r3]; // reported: W9201 or W9204" : ""}
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.u32 %r5, [%r3];
  add.u32 %r4, %r4, %r5;
  st.global.u32 [%d2], %r4;`;

const block = [64, 1, 1] as const;
const smem = 1024;
const input = count(64).map((t) => 1000 + 3 * t);
const word = (t: number): number => 1000 + 3 * t;

export const cpAsyncCases: readonly CourtCase[] = [
  ptxCase({
    name: "cp-async/wait-behind-the-barrier",
    what: "Each thread waits for its copies only behind the barrier: another thread's word need not have come when it is read.",
    mended: "The wait comes before the barrier.",
    links: ["https://github.com/NVIDIA/Fuser/pull/3438"],
    body: waitBehindTheBarrier,
    input,
    expected: count(64).map((t) => word(t ^ 63) + word(t)),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "cp-async/commit-behind-the-wait",
    what: "`wait_group` comes before `commit_group`: it waits for the groups before, and the copy is not among them.",
    mended: "The commit comes before the wait.",
    links: ["https://github.com/csarofeen/pytorch/issues/2463"],
    body: commitBehindTheWait,
    input,
    expected: count(64).map((t) => 2 * word(t ^ 63)),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "cp-async/warp-for-the-block",
    what: "Each warp waits for its copies and meets at `__syncwarp()`; then every warp reads the rows of all.",
    mended: "A barrier of the block.",
    links: ["https://github.com/flashinfer-ai/flashinfer/pull/3439"],
    body: warpForTheBlock,
    input,
    expected: count(64).map((t) => word(t ^ 63)),
    block,
    smem,
    eitherSide: true,
  }),
  ptxCase({
    name: "cp-async/copied-over-what-is-read",
    what: "A pipeline moves the copy of the next tile before the last read of this one, and both are in one buffer.",
    mended: "The copy begins when all have read.",
    links: ["https://github.com/tile-ai/tilelang/issues/2668"],
    body: copiedOverWhatIsRead,
    input,
    expected: count(64).map((t) => (t ^ 63) + word(t ^ 63)),
    block,
    smem,
    eitherSide: true,
  }),
];
