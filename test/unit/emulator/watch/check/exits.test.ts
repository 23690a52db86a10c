import { describe, it } from "vitest";
import type { Kernel } from "../../run-ptx.ts";
import { expectMarked } from "./finds.ts";

const schedules = (["eager", "lazy", 1] as const).map((schedule) => [schedule] as const);

/** One warp; its leader has filled 64 bytes of shared memory. */
const kernel = (body: string, rest: Partial<Kernel> = {}): Kernel => ({
  body: `
  mov.u32 %r20, smem;
  setp.ne.u32 %p0, %tid, 0;
  @%p0 exit;
  st.shared.u64 [%r20], %in;
  st.shared.u64 [%r20+8], %in;
  fence.proxy.async.shared::cta;
${body}`,
  outputBytes: 256,
  sharedBytes: 4096,
  ...rest,
});

describe("bulk stores", () => {
  const store = (mark = "") => `  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r20], 16; ${mark}\n`;
  const commit = "  cp.async.bulk.commit_group;\n";
  const wait = (n: number, read = "") => `  cp.async.bulk.wait_group${read} ${n};`;
  it.each(schedules)("are committed and waited for, at least until they have read: %s", async (schedule) => {
    const options = { schedule };
    await expectMarked(kernel(`${store("// W9216")}`, { options }));
    // Practice: a block's shared memory stays until the hardware has read it.
    await expectMarked(kernel(`${store("// W9216")}${commit}`, { options }), "strict");
    await expectMarked(kernel(`${store()}${commit}`, { options }), "normal");
    await expectMarked(kernel(`${store("// W9216")}${commit}${store()}`, { options }), "normal", ["W9208"]);
    await expectMarked(kernel(`${store()}${commit}${store("// W9216")}${commit}${wait(1)}`, { options }), "strict", ["W9208"]);
    await expectMarked(kernel(`${store()}${commit}${wait(0, ".read")}`, { options }));
    await expectMarked(kernel(`${store()}${commit}${wait(0)}`, { options }));
  });
  it("are not covered by a wait before their commit", async () => {
    await expectMarked(kernel(`${store()}${wait(0)} // W9220`));
    await expectMarked(kernel(`${store()}${wait(0)} // W9220\n${store()}${wait(0)}\n${commit}${wait(0)}`), "normal", ["W9208"]);
  });
  it("may be started, then older ones waited for, then committed", async () => {
    const round = `${store()}${wait(0)}\n${commit}`;
    await expectMarked(kernel(`${round}${round}${round}${wait(0)}`), "normal", ["W9208"]);
    await expectMarked(kernel(`${store()}${commit}${store()}${wait(0)}\n${wait(0)}\n${commit}${wait(0)}`), "normal", ["W9208"]);
  });
  it("are the thread's own: another thread cannot wait for them", async () => {
    const body = (same: boolean, mark: string): Kernel => ({
      body: `
  mov.u32 %r20, smem;
  setp.eq.u32 %p0, %tid, 0;
  setp.eq.u32 %p1, %tid, ${same ? 0 : 1};
  @%p0 st.shared.u64 [%r20], %in;
  @%p0 st.shared.u64 [%r20+8], %in;
  fence.proxy.async.shared::cta;
  bar.warp.sync -1;
  @%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r20], 16; ${mark}
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;`,
      outputBytes: 256,
      sharedBytes: 4096,
    });
    await expectMarked(body(false, "// W9216"));
    await expectMarked(body(true, ""));
  });
});

describe("cp.async", () => {
  const copy = (mark = "") => `  cp.async.ca.shared.global [%r20+64], [%in], 16; ${mark}\n`;
  it("is waited for", async () => {
    await expectMarked(kernel(copy("// W9216")));
    await expectMarked(kernel(`${copy("// W9216")}  cp.async.commit_group;`));
    await expectMarked(kernel(`${copy()}  cp.async.commit_group;\n  cp.async.wait_group 0;`));
    await expectMarked(kernel(`${copy()}  cp.async.wait_all;`));
    await expectMarked(kernel(`${copy()}  cp.async.wait_group 0; // W9220`));
  });
  it("or told of by an mbarrier that somebody waits for", async () => {
    const body = (wait: string, mark: string) =>
      kernel(`
  mbarrier.init.shared::cta.b64 [%r20+128], 1;
${copy(mark)}
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r20+128];
${wait}`);
    await expectMarked(body("", "// W9216"));
    await expectMarked(body("$w:\n  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20+128], 0;\n  @!%p1 bra $w;", ""));
  });
});

describe("loads into the shared memory of a block", () => {
  it.each(schedules)("have been seen to come before it ends: %s", async (schedule) => {
    const body = (wait: string, mark: string) =>
      kernel(
        `
  mbarrier.init.shared::cta.b64 [%r20+128], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20+128], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+64], [%in], 16, [%r20+128]; ${mark}
${wait}`,
        { options: { schedule } },
      );
    await expectMarked(body("", "// W9216"));
    await expectMarked(body("$w:\n  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20+128], 0;\n  @!%p1 bra $w;", ""));
  });
});

describe("wgmma", () => {
  it("is waited for by its warps", async () => {
    const body = (end: string, mark: string): Kernel => ({
      body: `
  mov.u32 %r20, smem;
  shl.b32 %r1, %tid, 5;
  add.u32 %r2, %r20, %r1;
  mov.b32 %r3, 0;
  st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
  st.shared.v4.b32 [%r2+16], {%r3, %r3, %r3, %r3};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.b64 %d1, ${(0x400n >> 4n) | (8n << 16n) | (16n << 32n)};
  mov.b64 %d2, ${(0xc00n >> 4n) | (8n << 16n) | (16n << 32n)};
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 0, 1, 1, 0, 0; ${mark}
  ${end}`,
      outputBytes: 16,
      sharedBytes: 8192,
      block: [128, 1, 1],
    });
    await expectMarked(body("", "// W9216"));
    await expectMarked(body("wgmma.commit_group.sync.aligned;", "// W9216"));
    await expectMarked(body("wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;", ""));
  });
});
