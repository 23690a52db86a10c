/**
 * A warp of block 0 stores, its block meets, and its first thread sets a flag by a relaxed write; in block 1 the first thread reads the flag, the block
 * meets, and a warp loads. Fences in all places: the manual asks for one of the thread that writes or reads the flag, between that and the barrier's side
 * of the data; the hardware is as content with one of the thread that stores or loads.
 */
import { describe, expect, it } from "vitest";
import { WarpsmithError, warningOf } from "../../../../../../src/diag/index.ts";
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

async function said(text: string, check: "normal" | "strict"): Promise<{ readonly error: boolean; readonly warnings: number }> {
  const warnings: string[] = [];
  const options = {
    check,
    warned: (warning: Parameters<typeof warningOf>[0]) => void warnings.push(warningOf(warning).code),
    warnsOfForeign: true,
  };
  try {
    await runPtx({ body: text, grid: [2, 1, 1], block: [64, 1, 1], input: new Uint8Array(1024), outputBytes: 256, options });
    return { error: false, warnings: warnings.length };
  } catch (error) {
    if (!(error instanceof WarpsmithError) || error.code !== "W9201") throw error;
    return { error: true, warnings: warnings.length };
  }
}

describe("fences beside a barrier of the block", () => {
  it.each(cases)("of the writer: %s; of the reader: %s: %s", async (w, r, verdict) => {
    const text = body(w, r);
    expect(await said(text, "normal")).toEqual({ error: verdict === "wrong", warnings: verdict === "in practice" ? 1 : 0 });
    expect((await said(text, "strict")).error).toBe(verdict !== "right");
  });
});
