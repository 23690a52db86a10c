import { describe, expect, it } from "vitest";
import { wordsOf } from "./run-ptx.ts";

const words = async (body: string): Promise<number[]> => [
  ...(await wordsOf(body, 1, { cluster: [2, 1, 1], grid: [2, 1, 1], options: { check: "strict" } })),
];

describe("the reserved part of shared memory", () => {
  it("is there for kernels that ask where it lies, in each block, and holds zeros", async () => {
    const body = `
  mov.u32 %r1, %reserved_smem_offset_1; mov.u32 %r2, %ctaid.x; add.u32 %r2, %r2, 5;
  atom.shared.add.u32 %r3, [%r1+4], %r2; ld.shared.u32 %r0, [%r1+4]; ld.shared.u64 %d1, [%r1+0x118]; cvt.u32.u64 %r4, %d1;
  add.u32 %r0, %r0, %r3; add.u32 %r0, %r0, %r4;`;
    expect(await words(body)).toEqual([5, 6]);
  });

  it("does not move what the program has", async () => {
    expect(await words("mov.u32 %r1, %reserved_smem_offset_end; mov.u32 %r0, smem; and.b32 %r0, %r0, 0xffff;")).toEqual([
      0x400, 0x400,
    ]);
  });

  it("belongs to nobody in all others", async () => {
    await expect(words("mov.u32 %r1, 4; ld.shared.u32 %r0, [%r1];")).rejects.toThrow(/belong to nothing/);
  });
});
