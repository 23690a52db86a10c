import { describe, it } from "vitest";
import type { Kernel } from "../../run-ptx.ts";
import { expectMarked } from "./finds.ts";

const kernel = (body: string, rest: Partial<Kernel> = {}): Kernel => ({ body, outputBytes: 256, sharedBytes: 4096, ...rest });

describe("instructions that the whole warp runs", () => {
  it("a guard that lets some lanes through", async () => {
    const body = (bound: number, mark: string) => kernel(`  setp.lt.u32 %p0, %tid, ${bound};\n  @%p0 bar.sync 0; ${mark}`);
    await expectMarked(body(16, "// W9224"));
    await expectMarked(body(32, ""));
    await expectMarked(body(0, ""));
  });

  it("lanes that have exited: not at ldmatrix, but barriers do without them", async () => {
    const body = (bound: number, what: string, mark: string) =>
      kernel(`
  mov.u32 %r20, smem;
  and.b32 %r1, %tid, 7;
  shl.b32 %r1, %r1, 4;
  add.u32 %r2, %r20, %r1;
  st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};
  bar.warp.sync -1;
  setp.ge.u32 %p0, %tid, ${bound};
  @%p0 exit;
  ${what} ${mark}`);
    const matrix = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];";
    await expectMarked(body(24, matrix, "// W9224"), "normal", ["W9201"]);
    await expectMarked(body(32, matrix, ""), "normal", ["W9201"]);
    await expectMarked(body(24, "bar.sync 0;", ""), "normal", ["W9201"]);
    await expectMarked(body(24, "bar.sync 0;", ""), "strict", ["W9201"]);
  });

  it("a block that is no whole number of warps", async () => {
    await expectMarked(kernel("  bar.sync 0;", { block: [40, 1, 1] }), "strict");
  });

  /** The lower half waits for what the upper half does; each passes a barrier of the block. */
  const halves = (lower: string, upper: string, join: string, mark: [string, string] = ["", ""]) =>
    kernel(`
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], 1;
  bar.sync 0;
  setp.lt.u32 %p0, %tid, 16;
  @%p0 bra $lower;
  ${upper} ${mark[1]}
  bra $join;
$lower:
  ${lower} ${mark[0]}
$join:
  ${join}`);
  const wait = `$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r20], 0;
  @!%p1 bra $wait;`;

  it("in both branches of an if: a deadlock, which says why", async () => {
    await expectMarked(halves("bar.sync 0;", "bar.sync 0;", "", ["// W9224", "// W9224"]));
    await expectMarked(halves("", "", "bar.sync 0;"));
  });

  it("in one branch, while the others wait elsewhere", async () => {
    await expectMarked(halves("bar.sync 0;", wait, "", ["// W9224", ""]));
    await expectMarked(halves("", "mbarrier.arrive.shared::cta.b64 _, [%r20], 1;", "bar.sync 0;"), "normal", ["W9105"]);
  });

  it("strictly, even where the others come in the end", async () => {
    // Thread 40 lets the lower half of warp 0 go on, which then meets the upper half in the loop.
    const body = (mark: string) =>
      kernel(
        `
  mov.u32 %r20, smem;
  setp.eq.u32 %p9, %tid, 0;
  @%p9 mbarrier.init.shared::cta.b64 [%r20], 1;
  bar.sync 0;
  setp.eq.u32 %p2, %tid, 40;
  setp.ge.u32 %p3, %tid, 32;
  @%p3 bra $helper;
  setp.ge.u32 %p0, %tid, 16;
  @%p0 bra $sync;
  ${wait}
  setp.eq.u32 %p4, %tid, 99;
  @%p4 bra $end;
$sync:
  bar.sync 1, 32; ${mark}
  bra $end;
$helper:
  mov.u32 %r5, 0;
$spin:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p5, %r5, 3000;
  @%p5 bra $spin;
  @%p2 mbarrier.arrive.shared::cta.b64 _, [%r20];
$end:`,
        { block: [64, 1, 1] },
      );
    await expectMarked(body(""), "normal");
    await expectMarked(body("// W9224"), "strict");
  });

  it("lanes that meet again are no matter, strictly or not", async () => {
    const body = halves(`@%p9 ${"mbarrier.arrive.shared::cta.b64 _, [%r20];"}`, wait, "bar.sync 0;");
    await expectMarked(body, "normal");
    await expectMarked(body, "strict");
  });
});
