import { describe, it } from "vitest";
import { EmulatorDevice, type Schedule } from "../../../../../src/emulator/index.ts";
import { encodeTensorMap } from "../../../../../src/emulator/machine/units/index.ts";
import { expectMarked } from "./finds.ts";

const one = { outputBytes: 256, sharedBytes: 1024 };

describe("reads of memory that nothing has written", () => {
  it("shared memory", async () => {
    const body = (init: string, mark: string) => `
  mov.u32 %r20, smem;
  shl.b32 %r1, %tid, 2;
  add.u32 %r2, %r20, %r1;
  ${init}
  bar.sync 0;
  ld.shared.u32 %r0, [%r2]; ${mark}
  cvt.u64.u32 %d1, %r1;
  add.u64 %d0, %out, %d1;
  st.global.u32 [%d0], %r0;`;
    await expectMarked({ ...one, body: body("", "// W9209") });
    await expectMarked({ ...one, body: body("setp.lt.u32 %p0, %tid, 31;\n  @%p0 st.shared.u32 [%r2], 1;", "// W9209") });
    await expectMarked({ ...one, body: body("st.shared.u32 [%r2], 1;", "") });
  });

  it("each byte by itself, and all of what a vector load takes", async () => {
    const body = (init: string, mark: string) => `
  mov.u32 %r20, smem;
  setp.ne.u32 %p0, %tid, 0;
  @%p0 exit;
  st.shared.u64 [%r20], %in;
  st.shared.u32 [%r20+8], %tid;
  ${init}
  ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r20]; ${mark}
  st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};`;
    await expectMarked({ ...one, body: body("st.shared.u16 [%r20+12], 1;\n  st.shared.u8 [%r20+14], 1;", "// W9209") });
    await expectMarked({ ...one, body: body("st.shared.u16 [%r20+12], 1;\n  st.shared.u16 [%r20+14], 1;", "") });
  });

  it("local memory", async () => {
    const body = (init: string, mark: string) => `
  .local .align 8 .b8 stack[16];
  ${init}
  ld.local.u32 %r0, [stack+8]; ${mark}
  st.global.u32 [%out], %r0;`;
    await expectMarked({ ...one, block: [1, 1, 1], body: body("st.local.u32 [stack], 1;", "// W9209") });
    await expectMarked({ ...one, block: [1, 1, 1], body: body("st.local.u64 [stack+8], %in;", "") });
  });

  it("device memory: what the host uploaded counts, what it only allocated does not", async () => {
    const body = (source: string, mark: string) => `
  ld.global.u32 %r0, [${source}]; ${mark}
  st.global.u32 [%out+4], %r0;`;
    await expectMarked({ ...one, block: [1, 1, 1], body: body("%out", "// W9209") });
    await expectMarked({ ...one, block: [1, 1, 1], body: body("%in", "") });
  });

  it("atomics read", async () => {
    const body = (init: string, mark: string) => `
  mov.u32 %r20, smem;
  ${init}
  atom.shared.add.u32 %r0, [%r20], 1; ${mark}`;
    await expectMarked({ ...one, block: [1, 1, 1], body: body("", "// W9209") });
    await expectMarked({ ...one, block: [1, 1, 1], body: body("st.shared.u32 [%r20], 0;", "") });
  });

  it("what ldmatrix and stmatrix read and write", async () => {
    const body = (init: string, mark: string) => `
  mov.u32 %r20, smem;
  and.b32 %r1, %tid, 7;
  shl.b32 %r1, %r1, 4;
  add.u32 %r2, %r20, %r1;
  mov.b32 %r3, 0;
  ${init}
  bar.warp.sync -1;
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2]; ${mark}`;
    await expectMarked({ ...one, body: body("", "// W9209") });
    await expectMarked({ ...one, body: body("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r3};", "") });
  });
});

/** 128 threads; the leader has initialised what a store or product of 64 rows of 128 bytes reads. */
const fill = (bytes: number) => `
  mov.u32 %r20, smem;
  shl.b32 %r1, %tid, 4;
  add.u32 %r2, %r20, %r1;
  mov.b32 %r3, 0;
  mov.u32 %r4, 0;
$fill:
  st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};
  add.u32 %r2, %r2, 2048;
  add.u32 %r4, %r4, 2048;
  setp.lt.u32 %p0, %r4, ${bytes};
  @%p0 bra $fill;
  fence.proxy.async.shared::cta;
  bar.sync 0;`;

describe("what asynchronous operations read and write", () => {
  it("the source of a bulk store", async () => {
    const body = (bytes: number, mark: string) => `${fill(2048)}
  setp.ne.u32 %p1, %tid, 0;
  @%p1 exit;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%r20], ${bytes}; ${mark}
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;`;
    const rest = { outputBytes: 4096, sharedBytes: 8192, block: [128, 1, 1] as const };
    await expectMarked({ ...rest, body: body(2064, "// W9209") });
    await expectMarked({ ...rest, body: body(2048, "") });
  });

  it("the operands of wgmma, chunk by chunk", async () => {
    // K-major without a swizzle: A of 64 rows of 32 bytes, cores of 128 bytes; B of 8 rows behind it.
    const descriptor = (at: number) => (((BigInt(at + 0x400) >> 4n) | (8n << 16n) | (16n << 32n)) + 0n).toString();
    const body = (bytes: number, mark: string) => `${fill(bytes)}
  mov.b64 %d1, ${descriptor(0)};
  mov.b64 %d2, ${descriptor(2048)};
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 0, 1, 1, 0, 0; ${mark}
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;`;
    const rest = { outputBytes: 16, sharedBytes: 8192, block: [128, 1, 1] as const };
    await expectMarked({ ...rest, body: body(2048, "// W9209") });
    await expectMarked({ ...rest, body: body(4096, "") });
  });

  it("of a box that a store clips, what lies inside the tensor", async () => {
    // Rows of 32 bytes from 0x480 on, of which the tensor has the first half: the swizzle puts it into the second.
    const outputBytes = 64;
    const twin = new EmulatorDevice();
    twin.allocate(128);
    const map = encodeTensorMap(Number(twin.allocate(outputBytes)), {
      mode: "tiled",
      dtype: "f32",
      swizzle: "32B",
      interleave: "none",
      l2Promotion: "none",
      oobFill: "zero",
      dims: [4, 4],
      strides: [16],
      elementStrides: [1, 1],
      box: [8, 4],
    });
    const body = (half: number, mark: string) => `
  mov.u32 %r20, smem;
  setp.ge.u32 %p0, %tid, 4;
  @%p0 exit;
  shl.b32 %r1, %tid, 5;
  add.u32 %r2, %r20, %r1;
  mov.b32 %r3, 1;
  st.shared.v4.b32 [%r2+${128 + half}], {%r3, %r3, %r3, %r3};
  fence.proxy.async.shared::cta;
  bar.warp.sync 15;
  setp.ne.u32 %p1, %tid, 0;
  @%p1 exit;
  mov.u32 %r4, 0;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%in, {%r4, %r4}], [%r20+128]; ${mark}
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;`;
    const rest = { outputBytes, sharedBytes: 1024, input: map };
    await expectMarked({ ...rest, body: body(0, "// W9209") });
    await expectMarked({ ...rest, body: body(16, "") });
  });

  const schedules: readonly Schedule[] = ["eager", "lazy", "torn", 1];
  it.each(schedules.map((s) => [s] as const))("a bulk load writes when it lands (%s)", async (schedule) => {
    const body = (wait: string, mark: string) => `
  mov.u32 %r20, smem;
  setp.ne.u32 %p0, %tid, 0;
  @%p0 exit;
  mbarrier.init.shared::cta.b64 [%r20], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20+16], [%in], 16, [%r20];
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20], 0;
  @!%p1 bra $wait;
  ld.shared.u32 %r0, [%r20+${wait}]; ${mark}
  st.global.u32 [%out], %r0;`;
    await expectMarked({ ...one, options: { schedule }, body: body("32", "// W9209") });
    await expectMarked({ ...one, options: { schedule }, body: body("28", "") });
  });
});
