import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../../src/base/diag/index.ts";
import type { CheckMode } from "../../../../../src/emulator/watch/check/index.ts";
import { rotating } from "../../../../support/amount.ts";
import { type Kernel, runPtx } from "../../run-ptx.ts";

type Setup = Omit<Kernel, "outputBytes" | "options"> & { readonly outputBytes?: number };

/** The code of what is reported, and the text of the instruction that it stands at; "silent" where nothing is. */
async function reportOf(setup: Setup, check: CheckMode): Promise<string> {
  try {
    await runPtx({ outputBytes: 4096, sharedBytes: 4096, ...setup, options: { check } });
    return "silent";
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    return `${error.code} ${error.sentence}`;
  }
}

interface Pair {
  readonly broken: Setup;
  readonly mended: Setup;
  readonly code: string;
  /** What the report says, in part. */
  readonly says?: string;
  readonly only?: "strict";
}

function pair(name: string, { broken, mended, code, says = "", only }: Pair): void {
  describe(name, () => {
    it("is reported", async () => {
      const strict = await reportOf(broken, "strict");
      expect(strict).toContain(code);
      expect(strict).toContain(says);
      if (only === "strict") expect(await reportOf(broken, "normal")).toBe("silent");
      else expect(await reportOf(broken, "normal")).toContain(code);
    });
    it("is silent when mended", async () => {
      expect(await reportOf(mended, "strict")).toBe("silent");
      expect(await reportOf(mended, "normal")).toBe("silent");
    });
  });
}

const own = `mov.u32 %r1, smem; shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r2, 128; add.u32 %r4, %r1, %r4;`;
const handOver = (between: string): Setup => ({
  block: [64, 1, 1],
  body: `${own} st.shared.u32 [%r3], %tid; ${between} ld.shared.u32 %r5, [%r4];`,
});
pair("another warp's value", {
  broken: handOver(""),
  mended: handOver("bar.sync 0;"),
  code: "W9201",
  says: "4 bytes of shared memory",
});
for (const [space, at] of [
  ["shared", "[%r1]"],
  ["global", "[%out]"],
] as const)
  for (const after of [
    `atom.${space}.add.u32 %r3, ${at}, 1;`,
    `red.${space}.add.u32 ${at}, 1;`,
    `st.volatile.${space}.u32 ${at}, 6;`,
  ]) {
    const hidden = (between: string): Setup => ({
      block: [64, 1, 1],
      body: `mov.u32 %r1, smem; setp.eq.u32 %p1, %tid, 0; setp.eq.u32 %p2, %tid, 32;
  @%p1 st.${space}.u32 ${at}, 5; @%p1 ${after} ${between} @%p2 atom.${space}.add.u32 %r2, ${at}, 1;`,
    });
    pair(`a store to ${space} memory that its own thread's ${after.split(" ")[0]} comes behind`, {
      broken: hidden(""),
      mended: hidden("bar.sync 0;"),
      code: "W9201",
    });
  }
const volatileWord = (between: string): Setup => ({
  block: [64, 1, 1],
  body: `mov.u32 %r1, smem; setp.eq.u32 %p1, %tid, 0;
  @%p1 st.volatile.shared.u32 [%r1], 7; ${between} ld.volatile.shared.u32 %r5, [%r1];`,
});
pair("a volatile word of another warp", {
  broken: volatileWord(""),
  mended: volatileWord("bar.sync 0;"),
  code: "W9201",
  says: "working code does this",
  only: "strict",
});
/** All lanes of a warp store, all but one exit, and that one releases; another warp acquires, and reads what the others have stored. */
const left = (before: string): Setup => ({
  block: [64, 1, 1],
  body: `mov.u32 %r1, smem; and.b32 %r2, %tid, 31; shl.b32 %r3, %r2, 2; add.u32 %r3, %r1, %r3; setp.ge.u32 %p1, %tid, 32; setp.ne.u32 %p2, %r2, 0;
  setp.eq.u32 %p3, %tid, 0; @%p3 st.shared.u32 [%r1+512], 0; bar.sync 0;
  @%p1 bra $reads;
  st.shared.u32 [%r3], 7; ${before}
  @%p2 exit;
  st.release.cta.shared.u32 [%r1+512], 1;
  exit;
$reads:
  ld.acquire.cta.shared.u32 %r4, [%r1+512];
  setp.ne.u32 %p3, %r4, 1;
  @%p3 bra $reads;
  ld.shared.u32 %r5, [%r3];`,
});
pair("what lanes have stored that exit before another one releases", {
  broken: left(""),
  mended: left("bar.warp.sync -1;"),
  code: "W9201",
});
/** A flag of cluster scope, from block 0 to block 1. */
const passedOn = (scope: string, blocks: number): Setup => ({
  grid: [2, 1, 1],
  cluster: [blocks, 1, 1],
  block: [1, 1, 1],
  body: `mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $reads;
  st.global.u32 [%out], 42;
  st.release.${scope}.global.u32 [%out+128], 1;
  exit;
$reads:
  ld.acquire.${scope}.global.u32 %r2, [%out+128];
  setp.ne.u32 %p2, %r2, 1;
  @%p2 bra $reads;
  ld.global.u32 %r3, [%out];`,
});
/** Two warps come to barrier 1, each by its own instruction. */
const meetBy = (one: string, other: string): Setup => ({
  block: [64, 1, 1],
  body: `setp.lt.u32 %p1, %tid, 32;
  @%p1 bra $one;
  ${other}
  exit;
$one:
  ${one}`,
});
const [count, every, meet] = ["bar.red.popc.u32 %r1, 1, 64, %p1;", "bar.red.and.pred %p2, 1, 64, %p1;", "bar.sync 1, 64;"];
pair("a reduction at a barrier where another warp only waits", {
  broken: meetBy(count, meet),
  mended: meetBy(count, count),
  code: "W9249",
});
pair("a reduction at a barrier where another warp only arrives", {
  broken: meetBy(every, "bar.arrive 1, 64;"),
  mended: meetBy(meet, "bar.arrive 1, 64;"),
  code: "W9249",
});
pair("two reductions at a barrier", { broken: meetBy(count, every), mended: meetBy(every, every), code: "W9249" });
/** A word of block 0 that block 1 reads behind a relaxed barrier of the cluster. */
const behindRelaxed = (fence: string): Setup => ({
  grid: [2, 1, 1],
  cluster: [2, 1, 1],
  block: [1, 1, 1],
  body: `mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, smem;
  @%p1 st.shared.u32 [%r2], 42;
  ${fence}
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.aligned;
  mapa.shared::cluster.u32 %r3, %r2, 0;
  @!%p1 ld.shared::cluster.u32 %r4, [%r3];
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;`,
});
pair("a relaxed barrier of the cluster without a fence before it", {
  broken: behindRelaxed(""),
  mended: behindRelaxed("fence.acq_rel.cluster;"),
  code: "W9201",
});
pair("a flag of cluster scope between two clusters", {
  broken: passedOn("cluster", 1),
  mended: passedOn("gpu", 1),
  code: "W9201",
});
pair("a flag of block scope between blocks of a cluster", {
  broken: passedOn("cta", 2),
  mended: passedOn("cluster", 2),
  code: "W9201",
});
/** Lanes 0 to `last` bring 4 bytes each to their places, the lanes behind once more those of the last. */
const filledUp = (last: number, source: string): Setup => ({
  input: new Uint8Array(256),
  body: `mov.u32 %r1, smem; min.u32 %r2, %tid, ${last}; shl.b32 %r3, %r2, 2; add.u32 %r4, %r1, %r3; mul.wide.u32 %d1, ${source}, 4;
  add.u64 %d1, %in, %d1; cp.async.ca.shared.global [%r4], [%d1], 4; cp.async.wait_all; bar.warp.sync -1; ld.shared.u32 %r5, [%r4];`,
});
pair("lanes of one cp.async that bring the same bytes once more", {
  broken: filledUp(20, "%r2"),
  mended: filledUp(31, "%r2"),
  code: "W9204",
  only: "strict",
});
pair("lanes of one cp.async that bring other bytes to one place", {
  broken: filledUp(20, "%tid"),
  mended: filledUp(31, "%tid"),
  code: "W9204",
});
pair("a barrier before the write", {
  broken: { block: [64, 1, 1], body: `${own} bar.sync 0; st.shared.u32 [%r3], %tid; ld.shared.u32 %r5, [%r4];` },
  mended: handOver("barrier.sync 1, 64;"),
  code: "W9201",
});

const neighbour = (between: string): Setup => ({
  body: `${own} xor.b32 %r4, %r2, 4; add.u32 %r4, %r1, %r4; st.shared.u32 [%r3], %tid; ${between} ld.shared.u32 %r5, [%r4];`,
});
pair("another lane's value", { broken: neighbour(""), mended: neighbour("bar.warp.sync -1;"), code: "W9201" });
pair("another lane's value after a vote", {
  broken: neighbour("vote.sync.ballot.b32 %r9, 1, -1;"),
  mended: neighbour("bar.warp.sync 0xffffffff;"),
  code: "W9201",
  only: "strict",
});

/** Warp 0 initialises an mbarrier at 1024 for 32 arrivals, and all meet. */
const initialise = (count: number, rest = "") => `mov.u32 %r1, smem;
  setp.eq.u32 %p1, %tid, 0;
  @%p1 mbarrier.init.shared.b64 [%r1+1024], ${count};
  @%p1 fence.mbarrier_init.release.cluster;
  ${rest} bar.sync 0;`;
const wait = (parity: number, name = "w") =>
  `${name}: mbarrier.try_wait.parity.shared.b64 %p2, [%r1+1024], ${parity}; @!%p2 bra ${name};`;

const throughMbarrier = (arrive: string): Setup => ({
  block: [64, 1, 1],
  body: `${initialise(32)}
  shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2;
  setp.lt.u32 %p3, %tid, 32;
  @!%p3 bra reader;
  st.shared.u32 [%r3], %tid;
  ${arrive}
  bra end;
reader:
  ${wait(0)}
  ld.shared.u32 %r5, [%r3+-128];
end:`,
});
pair("a value passed through an mbarrier", {
  broken: throughMbarrier("mbarrier.arrive.relaxed.cta.shared::cta.b64 %d1, [%r1+1024];"),
  mended: throughMbarrier("mbarrier.arrive.shared.b64 %d1, [%r1+1024];"),
  code: "W9201",
});
pair("an arrival before the write", {
  broken: {
    block: [64, 1, 1],
    body: `${initialise(32)}
  shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2;
  setp.lt.u32 %p3, %tid, 32;
  @!%p3 bra reader;
  mbarrier.arrive.shared.b64 %d1, [%r1+1024];
  st.shared.u32 [%r3], %tid;
  bra end;
reader:
  ${wait(0)}
  ld.shared.u32 %r5, [%r3+-128];
end:`,
  },
  mended: throughMbarrier("mbarrier.arrive.shared.b64 %d1, [%r1+1024];"),
  code: "W9201",
});

const initOrder = (between: string): Setup => ({
  block: [64, 1, 1],
  body: `mov.u32 %r1, smem; setp.eq.u32 %p1, %tid, 0;
  @%p1 mbarrier.init.shared.b64 [%r1+1024], 64; ${between}
  mbarrier.arrive.shared.b64 %d1, [%r1+1024]; ${wait(0)}`,
});
pair("an initialisation that others may not see", {
  broken: initOrder("bar.arrive 1, 96; bar.warp.sync -1;"),
  mended: initOrder("bar.sync 0;"),
  code: "W9212",
});

const load = (init: string, then: string): Setup => ({
  block: [64, 1, 1],
  input: new Uint8Array(4096),
  body: `${init}
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r1+1024], 512;
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 512, [%r1+1024];
  shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2;
  ${then}`,
});
pair("a tile that is still loading", {
  broken: load(initialise(1), "ld.shared.u32 %r5, [%r3];"),
  mended: load(initialise(1), `${wait(0)} ld.shared.u32 %r5, [%r3];`),
  code: "W9204",
});
pair("an mbarrier that copies may not see", {
  broken: load(`mov.u32 %r1, smem; setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.init.shared.b64 [%r1+1024], 1; bar.sync 0;`, wait(0)),
  mended: load(initialise(1), wait(0)),
  code: "W9212",
  says: "asynchronous",
  only: "strict",
});

const store = (between: string, after: string): Setup => ({
  block: [64, 1, 1],
  body: `${own} setp.eq.u32 %p1, %tid, 0;
  st.shared.u32 [%r3], %tid;
  ${between}
  @!%p1 bra end;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 256;
  cp.async.bulk.commit_group;
  ${after}
end: bar.sync 1; st.shared.u32 [%r3], 7; fence.proxy.async; bar.sync 2;
  @%p1 cp.async.bulk.wait_group 0;`,
});
pair("a store without a fence", {
  broken: store("bar.sync 0;", "cp.async.bulk.wait_group.read 0;"),
  mended: store("fence.proxy.async.shared::cta; bar.sync 0;", "cp.async.bulk.wait_group.read 0;"),
  code: "W9202",
});
pair("a fence by the thread that stores alone", {
  broken: store("bar.sync 0; fence.proxy.async.shared::cta;", "cp.async.bulk.wait_group.read 0;"),
  mended: store("fence.proxy.async.shared::cta; bar.sync 0;", "cp.async.bulk.wait_group.read 0;"),
  code: "W9202",
  only: "strict",
});
pair("a tile that a store still reads", {
  broken: store("fence.proxy.async.shared::cta; bar.sync 0;", ""),
  mended: store("fence.proxy.async.shared::cta; bar.sync 0;", "cp.async.bulk.wait_group.read 0;"),
  code: "W9205",
  says: "no wait of its thread covers its group",
});
const result = (wait: string): Setup => ({
  body: `${own} setp.eq.u32 %p1, %tid, 0;
  st.shared.u32 [%r3], %tid; fence.proxy.async; bar.sync 0;
  @!%p1 bra end;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128;
  cp.async.bulk.commit_group;
  ${wait}
  ld.global.u32 %r5, [%out];
end:`,
});
pair("the result of a store", {
  broken: result("cp.async.bulk.wait_group.read 0;"),
  mended: result("cp.async.bulk.wait_group 0;"),
  code: "W9206",
});

const copy = (between: string): Setup => ({
  input: new Uint8Array(4096),
  body: `${own} xor.b32 %r4, %r2, 4; add.u32 %r4, %r1, %r4; cvt.u64.u32 %d1, %r2; add.u64 %d2, %in, %d1;
  cp.async.ca.shared.global [%r3], [%d2], 4; cp.async.commit_group;
  ${between} ld.shared.u32 %r5, [%r4]; cp.async.wait_all;`,
});
pair("cp.async of another lane", {
  broken: copy("cp.async.wait_group 0;"),
  mended: copy("cp.async.wait_group 0; bar.warp.sync -1;"),
  code: "W9204",
});
pair("cp.async that has not been waited for", {
  broken: copy("bar.sync 0;"),
  mended: copy("cp.async.wait_group 0; bar.sync 0;"),
  code: "W9204",
});

const copyThenStore = (between: string): Setup => ({
  input: new Uint8Array(4096),
  body: `${own} cvt.u64.u32 %d1, %r2; add.u64 %d2, %in, %d1; setp.eq.u32 %p1, %tid, 0;
  cp.async.ca.shared.global [%r3], [%d2], 4; cp.async.wait_all; ${between} bar.sync 0;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 128;
  @%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;`,
});
pair("what cp.async has brought, stored in bulk", {
  broken: copyThenStore(""),
  mended: copyThenStore("fence.proxy.async;"),
  code: "W9202",
});

const flags = (write: string, read: string): Setup => ({
  grid: [2, 1, 1],
  block: [1, 1, 1],
  input: new Uint8Array(4096),
  body: `mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r5, 0;
  @!%p1 bra reader;
  st.global.u32 [%in+64], 5; ${write} bra end;
reader: ${read} ld.global.u32 %r3, [%in+64]; st.global.u32 [%in+128], %r3;
end:`,
});
const spin = (load: string) => `r: ${load} %r2, [%in]; setp.eq.u32 %p2, %r2, 1; @!%p2 bra r;`;
const cleared: Setup = {
  ...flags("st.release.gpu.global.u32 [%in], 1;", spin("ld.acquire.gpu.global.u32")),
};
pair("a flag between blocks", {
  broken: flags("st.relaxed.gpu.global.u32 [%in], 1;", spin("ld.acquire.gpu.global.u32")),
  mended: cleared,
  code: "W9201",
});
pair("a flag between blocks that is read without order", {
  broken: flags("st.release.gpu.global.u32 [%in], 1;", spin("ld.relaxed.gpu.global.u32")),
  mended: flags(
    "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%in], 1;",
    `${spin("ld.relaxed.gpu.global.u32")} fence.acq_rel.gpu;`,
  ),
  code: "W9201",
});
pair("a flag within the block's scope", {
  broken: flags("st.release.cta.global.u32 [%in], 1;", spin("ld.acquire.gpu.global.u32")),
  mended: cleared,
  code: "W9201",
});
/** Block 0 adds within the GPU's scope, block 1 as it is told. */
const added = (scope: string): Setup => ({
  grid: [2, 1, 1],
  block: [1, 1, 1],
  input: new Uint8Array(64),
  body: `mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0;
  @%p1 atom.relaxed.gpu.global.add.u32 %r2, [%in], 1;
  @!%p1 atom.relaxed.${scope}.global.add.u32 %r2, [%in], 1;`,
});
pair("an atomic that another block adds by within its own scope", { broken: added("cta"), mended: added("gpu"), code: "W9201" });
const counter = (fence: string): Setup => ({
  grid: [4, 1, 1],
  block: [1, 1, 1],
  input: new Uint8Array(4096),
  body: `mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 4; add.u64 %d2, %in, %d1;
  st.global.u32 [%d2+64], %r1; ${fence}
  atom.global.add.u32 %r2, [%in], 1; setp.eq.u32 %p1, %r2, 3; @!%p1 bra end; ${fence}
  ld.global.u32 %r3, [%in+64]; ld.global.u32 %r4, [%in+68]; ld.global.u32 %r5, [%in+72];
end:`,
});
/** 100 blocks of 256 threads, and 400: minutes and gigabytes, if every thread kept a copy of its own of what it knows of the others' blocks. */
describe.each(["relaxed", "acq_rel"])("%s atomics on one address", (order) => {
  it.each([100, 400])("of %i blocks are done in time", rotating, async (blocks) => {
    const body = `atom.${order}.gpu.global.add.u32 %r1, [%in], 1;`;
    expect(await reportOf({ grid: [blocks, 1, 1], block: [256, 1, 1], body, outputBytes: 4 }, "strict")).toBe("silent");
  });
});

pair("the last block sums up", { broken: counter(""), mended: counter("membar.gl;"), code: "W9201" });

/** All arrive twice, and one warp waits for all between. */
const again = (told: string): Setup => ({
  grid: [2, 1, 1],
  cluster: [2, 1, 1],
  block: [64, 1, 1],
  body: `setp.lt.u32 %p1, %tid, 32;
  barrier.cluster.arrive.relaxed;
  @%p1 barrier.cluster.wait;
  ${told}
  barrier.cluster.arrive.relaxed; barrier.cluster.wait;`,
});
pair("arrivals at the barrier of a cluster, of which one warp knows that the first are over", {
  broken: again(""),
  mended: again("bar.sync 0;"),
  code: "W9226",
});

const peer = (before: string, after: string): Setup => ({
  grid: [2, 1, 1],
  cluster: [2, 1, 1],
  block: [32, 1, 1],
  body: `${own} mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, %r3, %r6;
  ${before} st.shared::cluster.u32 [%r7], %tid; ${after}`,
});
const clusterSync = "barrier.cluster.arrive; barrier.cluster.wait;";
pair("a peer that may not have started", {
  broken: peer("", clusterSync),
  mended: peer(clusterSync, clusterSync),
  code: "W9217",
  says: "started",
});
pair("a peer that may have exited", {
  broken: peer(clusterSync, ""),
  mended: peer(clusterSync, clusterSync),
  code: "W9217",
  says: "exited",
});

/** Each block copies into its peer, on the peer's mbarrier. */
const copied = (copy: string, wait: string): Setup => ({
  grid: [2, 1, 1],
  cluster: [2, 1, 1],
  block: [32, 1, 1],
  body: `mov.u32 %r1, smem; setp.eq.u32 %p1, %tid, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r1], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  ${clusterSync}
  mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, %r1, %r6;
  mov.b64 %d1, 7;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;
  ${copy}
  ${wait}`,
});
const intoPeer = {
  "a copy": "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7+64], [%in], 16, [%r7];",
  "st.async": "@%p1 st.async.mbarrier::complete_tx::bytes.shared::cluster.v2.b64 [%r7+64], {%d1, %d1}, [%r7];",
};
const landed = "$w: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0; @!%p2 bra $w;";
for (const [name, copy] of Object.entries(intoPeer)) {
  pair(`a peer that does not wait for ${name} into it`, {
    broken: copied(copy, ""),
    mended: copied(copy, landed),
    code: "W9217",
    says: "exited",
  });
}
