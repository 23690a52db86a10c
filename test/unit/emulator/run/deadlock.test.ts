import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { type Kernel, runPtx } from "../run-ptx.ts";

async function stuck(kernel: Kernel): Promise<string> {
  try {
    await runPtx({ ...kernel, outputBytes: 16, sharedBytes: 1024 });
  } catch (error) {
    if (error instanceof WarpsmithError && error.code === "W9001") return error.message;
    throw error;
  }
  return "it ended";
}

const barrier = (count: number): string => `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], ${count};
  @%p9 mbarrier.init.shared::cta.b64 [%r20+8], 7;
  bar.sync 0;`;
const wait = `$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r20], 0;
  @!%p0 bra $wait;`;

describe("the report of a deadlock", () => {
  it("what the phase of an mbarrier lacks, who has come, and who has gone", async () => {
    const text = await stuck({
      block: [96, 1, 1],
      outputBytes: 16,
      body: `${barrier(3)}
  setp.ge.u32 %p1, %tid, 64;
  @%p1 exit;
  @%p9 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 4096;
  ${wait}`,
    });
    expect(text).toMatch(/warp 0 of block \(0, 0, 0\), warp 1 of block \(0, 0, 0\) at mbarrier\.try_wait/);
    expect(text).toMatch(/the phase of parity 0 of the mbarrier at 0x400, whose phase 0 lacks 2 of 3 arrivals and 4096 bytes/);
    expect(text).toMatch(/there were arrivals from k\.ptx:27:1/);
    expect(text).toMatch(/warp 2 of block \(0, 0, 0\) at their end/);
    expect(text).not.toMatch(/0x408/);
  });

  it("nobody has ever arrived", async () => {
    expect(await stuck({ outputBytes: 16, body: `${barrier(1)}\n${wait}` })).toMatch(/nobody has ever arrived there/);
  });

  it("threads at a named barrier", async () => {
    const text = await stuck({
      block: [64, 1, 1],
      outputBytes: 16,
      body: "  setp.ge.u32 %p1, %tid, 32;\n  @%p1 bra $end;\n  bar.sync 3, 64;\n$end:",
    });
    expect(text).toMatch(/barrier 3, which has 32 of 64 threads/);
  });

  it("lanes that are alone at what the whole warp runs", async () => {
    const text = await stuck({
      outputBytes: 16,
      body: `${barrier(1)}
  setp.ge.u32 %p1, %tid, 20;
  @%p1 bra $other;
  ${wait}
$other:
  bar.sync 1;`,
    });
    expect(text).toMatch(/bar\.sync \(k\.ptx:31:1\), lanes 20-31 alone; it waits for lanes 0-19 at mbarrier\.try_wait/);
  });

  it("lanes that a mask names", async () => {
    const text = await stuck({
      outputBytes: 16,
      body: `${barrier(1)}
  setp.ge.u32 %p1, %tid, 20;
  @%p1 bra $other;
  ${wait}
$other:
  bar.warp.sync -1;`,
    });
    expect(text).toMatch(/bar\.warp\.sync .*waits for lanes 0-19 of the warp/);
  });

  it("the barrier of a cluster", async () => {
    const text = await stuck({
      outputBytes: 16,
      grid: [2, 1, 1],
      cluster: [2, 1, 1],
      body: `${barrier(1)}
  mov.u32 %r1, %cluster_ctarank;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $other;
  ${wait}
$other:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.acquire.aligned;`,
    });
    expect(text).toMatch(/the barrier of the cluster, which has 1 of 2 warps/);
  });
});
