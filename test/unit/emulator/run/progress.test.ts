import { afterEach, describe, expect, it, vi } from "vitest";
import type { EmulatorOptions, LaunchProgress } from "../../../../src/emulator/index.ts";
import { rotating } from "../../../support/amount.ts";
import { hasten } from "../../../support/hasten.ts";
import { type Kernel, runPtx } from "../run-ptx.ts";

/** Blocks that add up for a while, one after the other. `adds`: instructions of one iteration that those who watch are told of. */
const slow = (blocks: number, adds = 1): Kernel => ({
  grid: [blocks, 1, 1],
  input: new Uint8Array(128),
  outputBytes: 16,
  body: `
  mul.wide.u32 %d3, %tid, 4;
  add.u64 %d3, %in, %d3;
  mov.u32 %r2, 0;
$again:
  add.u32 %r2, %r2, 1;
${"  red.global.add.u32 [%d3], 1;\n".repeat(adds)}
  setp.lt.u32 %p1, %r2, 400;
  @%p1 bra $again;`,
});

async function told(kernel: Kernel, options: EmulatorOptions = {}): Promise<(LaunchProgress | undefined)[]> {
  const words: (LaunchProgress | undefined)[] = [];
  await runPtx({ ...kernel, options: { ...options, progress: (word) => void words.push(word) } });
  return words;
}

describe("the progress of a launch", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("is told from two seconds on, until it is over", async () => {
    hasten(1000);
    const words = await told(slow(40));
    expect(words.at(-1)).toBeUndefined();
    const known = words.slice(0, -1).map((word) => word as LaunchProgress);
    expect(known.length).toBeGreaterThan(2);
    for (const [i, { kernel, total, over, seconds, watching }] of known.entries()) {
      expect({ kernel, total, watching }).toEqual({ kernel: "k", total: 40, watching: undefined });
      expect(seconds).toBeGreaterThanOrEqual(i === 0 ? 2 : (known[i - 1]?.seconds ?? 0) + 0.25);
      expect(over).toBeGreaterThanOrEqual(known[i - 1]?.over ?? 0);
      expect(over).toBeLessThanOrEqual(40);
    }
    expect(known.at(-1)?.over).toBeGreaterThan(known[0]?.over ?? 40);
    expect(known.find(({ at }) => at)?.at?.file).toBe("k.ptx");
  });

  it("is nobody's business before", async () => {
    expect(await told({ ...slow(1), body: "  st.global.u32 [%out], 1;" })).toEqual([]);
  });

  it("says how much of it those who watch take, who watch the same meanwhile", rotating, async () => {
    hasten(1000);
    const words = await told(slow(2, 16), { check: "normal" });
    const [first] = words;
    expect(first?.watching).toBeGreaterThan(0.02);
    expect(first?.watching).toBeLessThanOrEqual(1);
  });

  it("ends with a launch that fails", async () => {
    hasten(1000);
    const words: (LaunchProgress | undefined)[] = [];
    const kernel = { ...slow(4), body: `${slow(4).body}\n  trap;` };
    const options: EmulatorOptions = { progress: (word) => void words.push(word) };
    await expect(runPtx({ ...kernel, options })).rejects.toMatchObject({ code: "W9003" });
    expect(words.length).toBeGreaterThan(1);
    expect(words.at(-1)).toBeUndefined();
  });
});
