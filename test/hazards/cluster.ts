/** Blocks of one cluster and each other's shared memory, as hand-written PTX. */
import { type Hazard, ptxHazard } from "./hazard.ts";

const grid = [2, 1, 1] as const;

/** `%r1`: the block's number; `%r2`: its shared memory; `%r3`: the other block's; `%p1`: block 0, `%p2`: block 1; `%p3`: thread 0. */
const begin = `
  mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r2, smem;
  xor.b32 %r4, %r1, 1;
  mapa.shared::cluster.u32 %r3, %r2, %r4;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 1;
  setp.eq.u32 %p3, %tid, 0;`;
const meet = `
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;`;
/** Every thread of block 1 gives `%r5`. */
const give = `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %out, %d3;
  @%p2 st.global.u32 [%d3], %r5;`;

/** ConSan: cluster_barrier. A barrier whose arrivals are relaxed publishes nothing. */
const relaxedArrival = (broken: boolean): string => `${begin}${meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  add.u32 %r7, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r6], %r7; // the other side
  barrier.cluster.arrive.${broken ? "relaxed" : "release"}.aligned;
  barrier.cluster.wait.acquire.aligned;
  mad.lo.u32 %r6, %tid, 4, %r2;
  mov.u32 %r5, 0;
  @%p2 ld.shared.u32 %r5, [%r6]; // reported: W9201${give}`;

/** No barrier at all. */
const noBarrier = (broken: boolean): string => `${begin}${meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  add.u32 %r7, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r6], %r7; // reported: W9201
  ${broken ? "" : meet}
  mad.lo.u32 %r6, %tid, 4, %r2;
  mov.u32 %r5, 0;
  @%p2 ld.shared.u32 %r5, [%r6]; // the other side${give}${broken ? meet : ""}`;

/** The peer may not have begun. */
const peerNotThere = (broken: boolean): string => `${begin}
  ${broken ? "" : meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  add.u32 %r7, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r6], %r7; // reported: W9217${meet}
  mad.lo.u32 %r6, %tid, 4, %r2;
  mov.u32 %r5, 0;
  @%p2 ld.shared.u32 %r5, [%r6];${give}`;

/** The peer may have ended. */
const peerGone = (broken: boolean): string => `${begin}
  mad.lo.u32 %r6, %tid, 4, %r2;
  add.u32 %r7, %tid, 7;
  st.shared.u32 [%r6], %r7;${meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  mov.u32 %r5, 0;
  @%p2 ld.shared::cluster.u32 %r5, [%r6]; // reported: W9217${give}
  ${broken ? "" : meet}`;

/** A peer arrives at a barrier whose initialisation it may not see. */
const initNotFenced = (broken: boolean): string => `${begin}
  @%p3 mbarrier.init.shared::cta.b64 [%r2], 32;
  ${broken ? "" : "@%p3 fence.mbarrier_init.release.cluster;"}
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.acquire.aligned;
  @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; // reported: W9212
  mov.u32 %r5, %tid;
  @%p1 bra $done;
$again:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r2], 0; // or: W9212
  @!%p4 bra $again;
$done:${give}${meet}`;

/** ConSan: deadlock_user_cluster_barrier_inside_warp_specialize. Only half of a block comes. */
const barrierOfOnePartition = (broken: boolean): string => `${begin}
  setp.lt.u32 %p5, %tid, 32;
  ${broken ? "@!%p5 bra $end;" : ""}
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned; // reported: W9001
$end:
  add.u32 %r5, %tid, 0;
  bar.sync 0; // or: W9001${give}`;

/** A fence for the block's own memory, where a peer has written. */
const fenceOfTheBlock = (broken: boolean): string => `${begin}${meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  add.u32 %r7, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r6], %r7; // the other side
  ${broken ? "" : "fence.proxy.async.shared::cluster;"}${meet}
  and.pred %p4, %p2, %p3;
  @!%p4 bra $end;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r2], 128; // reported: W9202
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
$end:`;

/** Nobody arrives: the barrier lets all through. */
const waitWithoutArrival = (broken: boolean): string => `${begin}${meet}
  mad.lo.u32 %r6, %tid, 4, %r3;
  add.u32 %r7, %tid, 7;
  @%p1 st.shared::cluster.u32 [%r6], %r7; // or: W9201
  ${broken ? "" : "barrier.cluster.arrive.aligned;"}
  barrier.cluster.wait.aligned; // reported: W9226
  mad.lo.u32 %r6, %tid, 4, %r2;
  mov.u32 %r5, 0;
  @%p2 ld.shared.u32 %r5, [%r6]; // or: W9201${give}${meet}`;

/** Two arrivals, of which the second may count for the barrier of the first. */
const arrivesTwice = (broken: boolean): string => `${begin}
  barrier.cluster.arrive.aligned; // the other side
  ${broken ? "" : "barrier.cluster.wait.aligned;"}
  barrier.cluster.arrive.aligned; // reported: W9226
  barrier.cluster.wait.aligned;
  add.u32 %r5, %tid, 7;${give}`;

const lanes = (n: number, by = 0): number[] => Array.from({ length: n }, (_, i) => i + by);
const of = (
  name: string,
  classes: readonly number[],
  body: (broken: boolean) => string,
  by: number,
  rest: { readonly threads?: number; readonly eitherSide?: true } = {},
): Hazard => {
  const { threads = 32, ...sides } = rest;
  return ptxHazard({
    name,
    classes,
    body,
    expected: lanes(threads, by),
    grid,
    cluster: grid,
    block: [threads, 1, 1],
    sharedBytes: 1024,
    ...sides,
  });
};

export const clusterHazards: readonly Hazard[] = [
  of("cluster/relaxed-arrival", [49], relaxedArrival, 7, { eitherSide: true }),
  of("cluster/no-barrier", [22], noBarrier, 7, { eitherSide: true }),
  of("cluster/peer-not-there", [22], peerNotThere, 7),
  of("cluster/peer-gone", [22], peerGone, 7),
  of("cluster/init-not-fenced", [2], initNotFenced, 0),
  of("cluster/barrier-of-one-partition", [49], barrierOfOnePartition, 0, { threads: 64 }),
  of("cluster/wait-without-arrival", [49], waitWithoutArrival, 7),
  of("cluster/arrives-twice", [49], arrivesTwice, 7),
  of("cluster/no-proxy-fence", [33], fenceOfTheBlock, 7),
];
