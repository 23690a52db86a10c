/** A converged warp runs in step: what lanes share changes as on a GPU, instruction by instruction. */
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../layouts/random.ts";
import { randomOnes } from "../../../support/amount.ts";
import { runPtx } from "../run-ptx.ts";
import { findings } from "../watch/check/finds.ts";

const give = (register: string): string =>
  `mul.wide.u32 %d1, %tid, 4;\n  add.u64 %d1, %out, %d1;\n  st.global.u32 [%d1], ${register};`;
const wordsOf = (left: DataView): readonly number[] => Array.from({ length: 32 }, (_, i) => left.getInt32(4 * i, true));
const warp = { block: [32, 1, 1] as const, outputBytes: 128, sharedBytes: 2048 };

/** The sum of all lanes before one and itself, as NVIDIA's samples had it before `__syncwarp`. */
const scan = (between: string): string => `
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %tid, 4, %r1;
  st.volatile.shared.u32 [%r1], 0;
  st.volatile.shared.u32 [%r1+128], 1;
  ${[1, 2, 4, 8, 16]
    .map(
      (n) => `${between}
  ld.volatile.shared.u32 %r2, [%r1+128];
  ld.volatile.shared.u32 %r3, [%r1+${128 - 4 * n}];
  ${between}
  add.u32 %r2, %r2, %r3;
  st.volatile.shared.u32 [%r1+128], %r2;`,
    )
    .join("\n")}
  ${give("%r2")}`;

/** Lanes store, load, and copy words at places that differ from lane to lane, with a JavaScript model of the same. */
function program(seed: number): { readonly body: string; readonly expected: readonly number[] } {
  const { below } = randomFrom(seed);
  const memory = new Int32Array(64);
  const values = Array.from({ length: 32 }, (_, lane) => lane + 1);
  const lines = ["mov.u32 %r20, smem;", "add.u32 %r1, %tid, 1;"];
  lines.push("mad.lo.u32 %r2, %tid, 4, %r20;", "st.shared.u32 [%r2], 0;", "st.shared.u32 [%r2+128], 0;", "bar.warp.sync -1;");
  for (let n = 2 + below(7); n > 0; n--) {
    const [factor, offset] = [2 * below(16) + 1, below(64)];
    const place = (lane: number): number => (lane * factor + offset) & 63;
    lines.push(`mad.lo.u32 %r3, %tid, ${factor}, ${offset};`, "and.b32 %r3, %r3, 63;", "mad.lo.u32 %r3, %r3, 4, %r20;");
    if (below(2) === 0) {
      lines.push("st.shared.u32 [%r3], %r1;");
      values.forEach((value, lane) => {
        memory[place(lane)] = value;
      });
    } else {
      lines.push("ld.shared.u32 %r4, [%r3];", "mad.lo.u32 %r1, %r1, 3, %r4;");
      const read = values.map((_, lane) => memory[place(lane)] ?? 0);
      values.forEach((value, lane) => {
        values[lane] = (Math.imul(value, 3) + (read[lane] ?? 0)) | 0;
      });
    }
  }
  return { body: `${lines.join("\n  ")}\n  ${give("%r1")}`, expected: values };
}

describe("a warp whose lanes are together", () => {
  it.each(["eager", "lazy", "torn"] as const)("scans by volatile shared memory: %s", async (schedule) => {
    const left = await runPtx({ ...warp, body: scan(""), options: { schedule } });
    expect(wordsOf(left)).toEqual(Array.from({ length: 32 }, (_, lane) => lane + 1));
  });
  it("is taken to be in step: a race by the manual, which strict reports", async () => {
    expect(await findings({ ...warp, body: scan("") })).toEqual([]);
    const [found] = await findings({ ...warp, body: scan("") }, "strict");
    expect([found?.code, found?.message]).toEqual(["W9201", expect.stringContaining("working code does this")]);
    expect(await findings({ ...warp, body: scan("bar.warp.sync -1;") }, "strict")).toEqual([]);
  });
  it("does what a model does in step", { timeout: 120_000 }, async () => {
    const { places, seed } = randomOnes(2000, 20);
    for (const place of places) {
      const { body, expected } = program(seed * 65_536 + place);
      expect([place, ...wordsOf(await runPtx({ ...warp, body }))]).toEqual([place, ...expected]);
    }
  });
});
