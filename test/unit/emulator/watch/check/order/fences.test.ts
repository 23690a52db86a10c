/**
 * A warp of block 0 stores, its block meets, and its first thread sets a flag by a relaxed write; in block 1 the first thread reads the flag, the block
 * meets, and a warp loads. Fences in all places: the manual asks for one of the thread that writes or reads the flag, between that and the barrier's side
 * of the data; the hardware is as content with one of the thread that stores or loads.
 */
import { describe, expect, it } from "vitest";
import { WarpsmithError, warningOf } from "../../../../../../src/base/diag/index.ts";
import { runPtx } from "../../../run-ptx.ts";

const fence = "fence.acq_rel.gpu;";

/** Where a fence stands. */
const writers = {
  none: ["", ""],
  storing: [fence, ""],
  flagging: ["", `@%p1 ${fence}`],
  otherWarp: [`@%p1 ${fence}`, ""],
} as const;
const readers = {
  none: ["", ""],
  loading: ["", fence],
  flagging: [`@%p1 ${fence}`, ""],
  otherWarp: ["", `@%p1 ${fence}`],
} as const;

type Verdict = "right" | "in practice" | "wrong";
const verdicts: Readonly<Record<keyof typeof writers | keyof typeof readers, Verdict>> = {
  none: "wrong",
  storing: "in practice",
  loading: "in practice",
  flagging: "right",
  // The first warp has stored nothing that is looked at.
  otherWarp: "wrong",
};
const order: readonly Verdict[] = ["right", "in practice", "wrong"];
const worse = (a: Verdict, b: Verdict): Verdict => order[Math.max(order.indexOf(a), order.indexOf(b))] as Verdict;

const cases = (Object.keys(writers) as (keyof typeof writers)[]).flatMap((w) =>
  (Object.keys(readers) as (keyof typeof readers)[]).map((r) => [w, r, worse(verdicts[w], verdicts[r])] as const),
);

const body = (w: keyof typeof writers, r: keyof typeof readers): string => `
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %tid, 0;
  setp.ge.u32 %p2, %tid, 32;
  setp.ne.u32 %p3, %r1, 0;
  mul.wide.u32 %d1, %tid, 4;
  add.u64 %d2, %out, %d1;
  add.u64 %d1, %in, %d1;
  @%p3 bra $reads;
  @%p2 st.global.u32 [%d1], %tid;
  ${writers[w][0]}
  bar.sync 0;
  ${writers[w][1]}
  @%p1 st.relaxed.gpu.global.u32 [%in+512], 1;
  bra $end;
$reads:
  @!%p1 bra $read;
$again:
  ld.relaxed.gpu.global.u32 %r2, [%in+512];
  setp.eq.u32 %p4, %r2, 0;
  @%p4 bra $again;
$read:
  ${readers[r][0]}
  bar.sync 0;
  ${readers[r][1]}
  @%p2 ld.global.u32 %r3, [%d1];
  @%p2 st.global.u32 [%d2], %r3;
$end:`;

async function said(
  kernel: Parameters<typeof runPtx>[0],
  check: "normal" | "strict",
): Promise<{ readonly error: boolean; readonly warnings: number }> {
  const warnings: string[] = [];
  const options = {
    check,
    warned: (warning: Parameters<typeof warningOf>[0]) => void warnings.push(warningOf(warning).code),
    warnsOfForeign: true,
  };
  try {
    await runPtx({ ...kernel, options });
    return { error: false, warnings: warnings.length };
  } catch (error) {
    if (!(error instanceof WarpsmithError) || error.code !== "W9201") throw error;
    return { error: true, warnings: warnings.length };
  }
}

describe("fences beside a barrier of the block", () => {
  it.each(cases)("of the writer: %s; of the reader: %s: %s", async (w, r, verdict) => {
    const two = { grid: [2, 1, 1], block: [64, 1, 1], input: new Uint8Array(1024), outputBytes: 256 } as const;
    const kernel = { ...two, body: body(w, r) };
    expect(await said(kernel, "normal")).toEqual({ error: verdict === "wrong", warnings: verdict === "in practice" ? 1 : 0 });
    expect((await said(kernel, "strict")).error).toBe(verdict !== "right");
  });
});

/** Where both sides meet: a relaxed flag of the GPU between two blocks of one cluster or of none, or between warps of one block. */
const handOver = (writes: string, reads: string, apart: "block" | "cluster" | "grid"): Parameters<typeof runPtx>[0] => ({
  body: `
  mov.u32 %r1, %ctaid.x;
  shr.u32 %r2, %tid, 5;
  setp.ne.u32 %p3, ${apart === "block" ? "%r2" : "%r1"}, 0;
  and.b32 %r4, %tid, 31;
  setp.eq.u32 %p1, %r4, 0;
  mul.wide.u32 %d1, %r4, 4;
  add.u64 %d2, %out, %d1;
  add.u64 %d1, %in, %d1;
  @%p3 bra $reads;
  st.global.u32 [%d1], %tid;
  ${writes}
  bra $end;
$reads:
  ${reads}
  ld.global.u32 %r3, [%d1];
  st.global.u32 [%d2], %r3;
$end:${apart === "cluster" ? "\n  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" : ""}`,
  grid: apart === "block" ? [1, 1, 1] : [2, 1, 1],
  block: apart === "block" ? [64, 1, 1] : [32, 1, 1],
  cluster: apart === "cluster" ? [2, 1, 1] : [1, 1, 1],
  input: new Uint8Array(1024),
  outputBytes: 256,
});
const set = "st.relaxed.gpu.global.u32 [%in+512], 1;";
const poll = (guard = "") =>
  `$again: ${guard} ld.relaxed.gpu.global.u32 %r2, [%in+512]; setp.eq.u32 %p4, %r2, 0; ${guard} @%p4 bra $again;`;
const meet = "bar.warp.sync 0xffffffff;";

describe("fences of a scope", () => {
  const scopes = ["cta", "cluster", "gpu", "sys"] as const;
  const ranks = { block: 0, cluster: 1, grid: 2 } as const;
  const rows = scopes.flatMap((writer) =>
    scopes.flatMap((reader) => (["block", "cluster", "grid"] as const).map((apart) => [writer, reader, apart] as const)),
  );
  it.each(rows)("%s of the writer, %s of the reader, who are apart by the %s", async (writer, reader, apart) => {
    const reaches = Math.min(scopes.indexOf(writer), scopes.indexOf(reader)) >= ranks[apart];
    const kernel = handOver(
      `${meet} @%p1 fence.acq_rel.${writer}; @%p1 ${set}`,
      `${poll()} fence.acq_rel.${reader}; ${meet}`,
      apart,
    );
    expect((await said(kernel, "strict")).error).toBe(!reaches);
    expect((await said(kernel, "normal")).error).toBe(!reaches);
  });
});

describe("fences of the lanes of a warp", () => {
  const cases = [
    ["each fences, one sets the flag", `fence.acq_rel.gpu; @%p1 ${set}`, `${poll()} fence.acq_rel.gpu;`, 1],
    ["each fences, they meet, one sets the flag", `fence.acq_rel.gpu; ${meet} @%p1 ${set}`, `${poll()} fence.acq_rel.gpu;`, 1],
    ["they meet, one fences and sets the flag", `${meet} @%p1 fence.acq_rel.gpu; @%p1 ${set}`, `${poll()} fence.acq_rel.gpu;`, 0],
    [
      "one reads the flag, they meet, each fences",
      `${meet} fence.acq_rel.gpu; @%p1 ${set}`,
      `@!%p1 bra $read; ${poll()} $read: ${meet} fence.acq_rel.gpu;`,
      1,
    ],
  ] as const;
  it.each(cases)("%s", async (_, writes, reads, warnings) => {
    const kernel = handOver(writes, reads, "grid");
    expect(await said(kernel, "normal")).toEqual({ error: false, warnings });
    expect((await said(kernel, "strict")).error).toBe(warnings > 0);
  });
});

describe("where threads meet before one of them sets the flag", () => {
  const barrier = "mbarrier.init.shared::cta.b64 [%r9], 32;";
  const arriveAndWait = `mbarrier.arrive.shared::cta.b64 _, [%r9]; $phase: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r9], 0; @!%p5 bra $phase;`;
  it("at an mbarrier", async () => {
    const writes = `mov.u32 %r9, smem; @%p1 ${barrier} ${meet} st.global.u32 [%d1], %tid; fence.acq_rel.gpu; ${arriveAndWait} @%p1 ${set}`;
    const kernel = { ...handOver(writes, `${poll()} fence.acq_rel.gpu;`, "grid"), sharedBytes: 64 };
    expect(await said(kernel, "normal")).toEqual({ error: false, warnings: 1 });
  });
});
