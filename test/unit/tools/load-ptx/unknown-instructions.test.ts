import { afterAll, describe, expect, it } from "vitest";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { parsePtx, printPtxTree } from "../../../../src/ptx/parse/index.ts";

const gpu = await openDevice("emulator");
afterAll(() => gpu.dispose());

/** `plain` comes to no instruction that is not known; the others do, one through two calls, one through a pointer. */
const text = `.version 8.0
.target sm_90a
.address_size 64
.func inner()
{
  .reg .b32 %r<4>;
  .reg .pred %p;
  setp.eq.s32 %p, %r1, 0;
  @%p vset2.u32.u32.eq %r1, %r2, {what.ever, [may]} (stand | here), %r3;
  ret;
}
.func outer() { call inner; ret; }
.global .u64 table[1] = { inner };
.visible .entry plain(.param .u64 out)
{
  .reg .b64 %d<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, 7;
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry itself(.param .u64 out) { .reg .b32 %r<4>; bmsk.wrapped.b32 %r1, %r2, %r3; ret; }
.visible .entry calls(.param .u64 out) { call outer; ret; }
.visible .entry pointer(.param .u64 out)
{
  .reg .b64 %f;
  proto: .callprototype _ ();
  ld.global.u64 %f, [table];
  call %f, (), proto;
  ret;
}
`;

describe("an instruction that is not known", () => {
  const module = loadPtx(text);
  const launch = async (name: string): Promise<readonly number[]> => {
    const out = gpu.zeros("u32", [1]);
    module.entry(name).launch({ grid: 1, block: 1 }, out);
    return Array.from(await out.read());
  };

  it("is none of those who never come to it", async () => expect(await launch("plain")).toEqual([7]));

  it.each([
    ["itself", "`bmsk.wrapped.b32` is not known", 23],
    ["calls", "`vset2.u32.u32.eq` is not known", 9],
    ["pointer", "`vset2.u32.u32.eq` is not known", 9],
  ])("refuses %s at its launch", async (name, sentence, line) => {
    const error = await launch(name).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "W9801", sentence: expect.stringContaining(sentence) });
    expect((error as Error).message).toContain(`module.ptx:${line}:`);
  });

  it("is printed as it was read", () => {
    const printed = printPtxTree(parsePtx(text));
    expect(printed).toContain("@%p vset2.u32.u32.eq %r1, %r2, {what.ever, [may]} (stand | here), %r3;");
    expect(printPtxTree(parsePtx(printed))).toBe(printed);
  });

  it("has a semicolon: a module whose syntax is broken is refused whole", () => {
    expect(() => loadPtx(text.replace("%r2, %r3; ret", "%r2, %r3 }"))).toThrow("W9800");
    expect(() => loadPtx(text.replace("{what.ever", "{.what.ever"))).toThrow("W9800");
  });
});
