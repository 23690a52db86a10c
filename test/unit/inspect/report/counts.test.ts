import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Device, openDevice } from "warpsmith";
import { registerEmulator } from "../../../../src/emulator/index.ts";
import { allCases } from "../../../cases/index.ts";
import { some } from "../../../support/amount.ts";
import { countingWatch, type Executed } from "./emulated.ts";

const launches: Executed[] = [];
const launched = new Set<string>();

/** `CASES=tma/ npx vitest run test/unit/inspect/report/counts.test.ts` takes all of those. */
const { CASES: wanted } = process.env;

/** What they do beside their own work is not the kernel's: records of `console.log` and of what fails. */
const recording = /^(log|assert|debug|trap)\//;
/** Boxes that hang over the end of a tensor: reports count them whole, and the hardware writes what is inside. */
const overhanging = /^(tma\/box-outside-store|schedules\/wgmma-padded)/;

const cases = allCases.filter(({ name }) => !recording.test(name) && !overhanging.test(name) && name !== "memory/beyond4GiB");
const chosen =
  wanted === undefined
    ? some(
        cases.filter((_, i) => i % 48 === 0),
        6,
      )
    : cases.filter(({ name }) => name.startsWith(wanted));

describe("counts are what the emulator executes", () => {
  let device: Device;
  let takeBack: () => void;
  beforeAll(async () => {
    // Registers are not what this is about.
    vi.stubEnv("WARPSMITH_PTXAS", "/nowhere/ptxas");
    takeBack = registerEmulator({ check: "normal", watch: countingWatch((executed) => launches.push(executed)) });
    device = await openDevice("emulator");
  });
  afterAll(async () => {
    await device.dispose();
    takeBack();
    vi.unstubAllEnvs();
  });

  it.each(chosen.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    launches.length = 0;
    await c.run(device);
    const [first] = launches;
    if (first) launched.add(c.name);
    if (!first) return expect(c.compile().ptx).toContain(".entry");
    const compiled = c.compile();
    const { title, work } = compiled.report({ grid: first.grid });
    expect(title.split("(")[0]).toBe(first.kernel);
    if (!work) throw new Error("counts nothing");
    const { read, written, wgmma, barriers } = work;
    // A barrier of the grid is made of others, and atomics.
    if (barriers.grid > 0) return expect(read.threads).toBeLessThan(first.read.threads);
    const counted = { read, written, wgmma, block: barriers.block, arrivals: barriers.arrivals };
    const { kernel: _kernel, grid: _grid, ...executed } = first;
    // One box is read for all the blocks that it goes to.
    const tma = compiled.ptx.includes(".multicast::cluster") ? read.tma : executed.read.tma;
    if (work.exact) return expect(counted).toEqual({ ...executed, read: { ...executed.read, tma } });
    if (work.notes.every(({ kind }) => kind === "branch" || kind === "predicate" || kind === "blocks")) {
      expect(counted.read.threads).toBeGreaterThanOrEqual(executed.read.threads);
      expect(counted.written.threads).toBeGreaterThanOrEqual(executed.written.threads);
      expect(counted.wgmma).toBeGreaterThanOrEqual(executed.wgmma);
    } else expect(work.notes.length).toBeGreaterThan(0);
  });

  // Where another watch looks at the launches, nothing is counted.
  it.skipIf(wanted !== undefined)("of nearly all cases", () => {
    const none = chosen.flatMap(({ name }) => (launched.has(name) ? [] : [name]));
    expect(none.length, none.join(", ")).toBeLessThan(chosen.length / 4);
  });
});
