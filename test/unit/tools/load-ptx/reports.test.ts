import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "warpsmith-reports-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = `__global__ void ns::turn(float* x) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}
`;
/** `ns::turn`: each thread reads what another has stored, without a barrier. */
const turn = (loc: boolean): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry _ZN2ns4turnEPf(.param .u64 x)
{
  .reg .b64 %d<4>;
  .reg .b32 %r<8>;
  .shared .align 4 .b8 s[256];
  ${loc ? ".loc 1 3 3" : ""}
  ld.param.u64 %d0, [x];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.b32 %r1, [%d2];
  mov.u32 %r2, s;
  mad.lo.u32 %r3, %r0, 4, %r2;
  st.shared.b32 [%r3], %r1;
  ${loc ? ".loc 1 4 20" : ""}
  sub.u32 %r4, 63, %r0;
  mad.lo.u32 %r5, %r4, 4, %r2;
  ld.shared.b32 %r6, [%r5];
  st.global.b32 [%d2], %r6;
  ret;
}
${loc ? '.file 1 "turn.cu"' : ""}
`;

async function report(ptx: string | { readonly file: string }): Promise<string> {
  await using gpu = await openDevice("emulator", { check: "normal" });
  const x = gpu.zeros("f32", [64]);
  loadPtx(ptx).entry("turn").launch({ grid: 1, block: 64 }, x);
  const error = await gpu.sync().catch((e: unknown) => e);
  return error instanceof Error ? error.message.replaceAll(`${folder}/`, "") : "none";
}

describe("a report of another compiler's kernel", () => {
  it("stands at the line of the source that .loc names, and at that of the PTX", async () => {
    const file = join(folder, "turn.ptx");
    writeFileSync(file, turn(true));
    writeFileSync(join(folder, "turn.cu"), source);
    const text = await report({ file });
    expect(text).toMatch(/^W9201 {2}A race in ns::turn: /);
    expect(text).toContain("turn.cu:4:20\n  4 |   x[threadIdx.x] = s[63 - threadIdx.x];\n");
    expect(text).toContain("in the PTX at turn.ptx:18:3\n  18 |   st.shared.b32 [%r3], %r1;\n");
    expect(text).toContain("turn.cu:3:3\n  3 |   s[threadIdx.x] = x[threadIdx.x];\n");
    expect(text).toContain("`__syncthreads()`");
    expect(text).not.toContain("syncThreads");
  });

  it("stands at the line of the PTX where there is no .loc", async () => {
    const text = await report(turn(false));
    expect(text).toContain("module.ptx:18:3\n  18 |   st.shared.b32 [%r3], %r1;\n");
    expect(text).toContain("the other access is at module.ptx:22:3\n");
  });

  it("is in these words without checks, too", async () => {
    await using gpu = await openDevice("emulator", { check: "off" });
    const far = turn(false).replace("st.global.b32 [%d2]", "st.global.b32 [%d2+1000000]");
    loadPtx(far)
      .entry()
      .launch({ grid: 1, block: 64 }, gpu.zeros("f32", [64]));
    const error = await gpu.sync().catch((e: unknown) => e);
    expect(String(error)).toContain("W9008");
    expect(String(error)).toContain("fix: compare the index before it is used, `if (i < n)`; see that buffers");
  });

  it("has a short name of the kernel", async () => {
    const deep = `N${"9namespace".repeat(20)}4turnE`;
    const text = await report(turn(false).replace("N2ns4turnE", deep));
    expect(text).toMatch(/A race in namespace::name[\w:]*…[\w:]*::turn: /);
    expect(text.split("\n")[0]?.length).toBeLessThan(400);
  });

  it("names no compiler of ours where the text is refused", async () => {
    await using gpu = await openDevice("emulator");
    const call = turn(false)
      .replace("  ret;", "  call somewhere, ();\n  ret;")
      .replace(".visible", ".extern .func somewhere();\n.visible");
    const launch = (): void =>
      loadPtx(call)
        .entry()
        .launch({ grid: 1, block: 64 }, gpu.zeros("f32", [64]));
    expect(launch).toThrow("W9005");
  });
});
