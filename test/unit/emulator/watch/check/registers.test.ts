import { describe, expect, it } from "vitest";
import type { Kernel } from "../../run-ptx.ts";
import { expectMarked, findings } from "./finds.ts";

describe("registers that nothing defines", () => {
  const kernel = (body: string): Kernel => ({ body, outputBytes: 256, block: [32, 1, 1] });

  it("read where they stand", async () => {
    await expectMarked(kernel("  add.u32 %r0, %r1, 1; // W9218"));
    await expectMarked(kernel("  mov.u32 %r1, 2;\n  add.u32 %r0, %r1, 1;"));
  });

  it("a definition on one path is enough, a definition that comes later is not", async () => {
    const body = (define: string, after: string, mark: string) => `
  setp.lt.u32 %p0, %tid, 16;
  @%p0 bra $skip;
  ${define}
$skip:
  st.global.u32 [%out], %r1; ${mark}
  ${after}`;
    await expectMarked(kernel(body("", "mov.u32 %r1, 5;", "// W9218")), "normal", ["W9201"]);
    await expectMarked(kernel(body("mov.u32 %r1, 5;", "", "")), "normal", ["W9201"]);
  });

  it("a loop brings its own definitions back", async () => {
    const body = (before: string, mark: string) => `
  mov.u32 %r2, 0;
$loop:
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra $first;
  add.u32 %r3, %r1, 1; ${mark}
$first:
  ${before}
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 3;
  @%p1 bra $loop;`;
    await expectMarked(kernel(body("", "// W9218")));
    await expectMarked(kernel(body("mov.u32 %r1, 4;", "")));
  });

  it("copies of what nobody will look at are let through, what is made of them is not", async () => {
    await expectMarked(kernel("  mov.u32 %r1, %r2;\n  mov.b64 %d0, {%r1, %r2};"));
    await expectMarked(kernel("  mov.u32 %r1, %r2;\n  st.global.u32 [%out], %r1; // W9218"), "normal", ["W9201"]);
    await expectMarked(kernel("  xor.b32 %r1, %r1, %r1;\n  st.global.u32 [%out], %r1;"), "normal", ["W9201"]);
  });

  it("only where it runs", async () => {
    await expectMarked(kernel("  setp.gt.u32 %p0, %tid, 99;\n  @!%p0 bra $end;\n  add.u32 %r0, %r1, 1;\n$end:"));
  });
});

/** A and B without a swizzle, zeros. */
const tiles = `
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
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;`;
const shape = "m64n8k16.f32.f16.f16";
const mma = (scale: 0 | 1 = 1, d = "%f0, %f1, %f2, %f3") =>
  `wgmma.mma_async.sync.aligned.${shape} {${d}}, %d1, %d2, ${scale}, 1, 1, 0, 0;`;
const fence = "wgmma.fence.sync.aligned;";
const commit = "wgmma.commit_group.sync.aligned;";
const wait = (n = 0) => `wgmma.wait_group.sync.aligned ${n};`;
const group = (body: string): Kernel => ({ body: `${tiles}\n${body}`, outputBytes: 16, sharedBytes: 8192, block: [128, 1, 1] });

describe("registers of a wgmma that is under way", () => {
  const around = (before: string, after: string, last = "") =>
    group(`  ${fence}\n  ${mma()}\n  ${commit}\n  ${before}\n  add.f32 %f5, %f0, %f0; ${after}\n  ${last}\n  ${wait()}`);

  it("the accumulator is read before the wait", async () => {
    await expectMarked(around("", "// W9210"));
    await expectMarked(around(wait(), ""));
  });

  it("the report names the wgmma, too", async () => {
    const [found] = await findings(around("", ""));
    expect(found?.message).toMatch(/warp [0-3] of block \(0, 0, 0\) reads a register \(%f0\)/i);
    expect(found?.message).toMatch(/the wgmma is at/);
  });

  it("the wait leaves the group that matters", async () => {
    const kernel = (n: number, mark: string) =>
      group(`  mov.f32 %f8, 0f00000000;
  mov.f32 %f9, %f8;
  mov.f32 %f10, %f8;
  mov.f32 %f11, %f8;
  ${fence}
  ${mma()}
  ${commit}
  ${mma(1, "%f8, %f9, %f10, %f11")}
  ${commit}
  ${wait(1)}
  add.f32 %f5, %f${n}, %f${n}; ${mark}
  ${wait()}`);
    await expectMarked(kernel(8, "// W9210"));
    await expectMarked(kernel(0, ""));
  });

  it("written, and used by another wgmma of another shape", async () => {
    await expectMarked(group(`  ${fence}\n  ${mma()}\n  ${commit}\n  mov.f32 %f1, 0f3f800000; // W9210\n  ${wait()}`));
    const two = (between: string, mark: string) =>
      group(`  ${fence}\n  ${mma()}\n  ${commit}\n  ${between}
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f3, %f1, %f2, %f0}, %d1, %d2, 1, 1, 1, 0, 0; ${mark}
  ${commit}
  ${wait()}`);
    await expectMarked(two("", "// W9210"));
    await expectMarked(two(wait(), "// W9211"));
    await expectMarked(two(`${wait()}\n  ${fence}`, ""));
  });

  it("one accumulator may be used again and again", async () => {
    await expectMarked(group(`  ${fence}\n  ${mma()}\n  ${mma()}\n  ${commit}\n  ${mma()}\n  ${commit}\n  ${wait()}`));
  });

  const fragments = (between: string, mark: string) =>
    group(`  mov.b32 %r8, 0;
  mov.b32 %r9, 0;
  mov.b32 %r10, 0;
  mov.b32 %r11, 0;
  ${fence}
  wgmma.mma_async.sync.aligned.${shape} {%f0, %f1, %f2, %f3}, {%r8, %r9, %r10, %r11}, %d2, 1, 1, 1, 0;
  ${commit}
  ${between} ${mark}
  ${wait()}`);
  it("A in registers is written before the wait; reading it is a matter of strictness", async () => {
    await expectMarked(fragments("mov.b32 %r9, 7;", "// W9210"));
    await expectMarked(fragments("add.u32 %r12, %r9, 7;", ""));
    await expectMarked(fragments("add.u32 %r12, %r9, 7;", "// W9210"), "strict");
  });
});

describe("wgmma.fence", () => {
  it("before the first wgmma", async () => {
    await expectMarked(group(`  ${mma()} // W9211\n  ${commit}\n  ${wait()}`));
    await expectMarked(group(`  ${fence}\n  ${mma()}\n  ${commit}\n  ${wait()}`));
  });

  const again = (touch: string, mark: string, fenced = "", scale: 0 | 1 = 1) =>
    group(
      `  ${fence}\n  ${mma()}\n  ${commit}\n  ${wait()}\n  ${touch}\n  ${fenced}\n  ${mma(scale)} ${mark}\n  ${commit}\n  ${wait()}`,
    );
  it("after the accumulator was written", async () => {
    const write = "mul.f32 %f0, %f0, 0f40000000;";
    await expectMarked(again(write, "// W9211"));
    await expectMarked(again(write, "", fence));
    await expectMarked(again(write, "", "", 0));
    await expectMarked(again(write, "// W9211", "", 0), "strict");
  });

  it("after it was read: strictly", async () => {
    await expectMarked(again("add.f32 %f5, %f0, %f0;", ""));
    await expectMarked(again("add.f32 %f5, %f0, %f0;", "// W9211"), "strict");
  });
});
