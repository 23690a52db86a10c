// The order in which `warpsmith tune` tries things, with a family and workers that need no device.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Progress } from "../../../../src/base/progress.ts";
import { keptChoice } from "../../../../src/base/tuned-choices.ts";
import { searchPlans } from "../../../../src/kernels/tune/index.ts";
import type { Candidate, Family } from "../../../../src/kernels/tune/types.ts";
import { drawTimes } from "../../../../src/tools/cli/tune-table.ts";
import { rotating } from "../../../support/amount.ts";

const place = {
  spec: { family: "double", problem: "", device: "" },
  patience: 1,
  module: join(import.meta.dirname, "worker-double.mjs"),
};
const right = (name: string, us: number): Candidate => ({ name, does: "right", us });

const family: Family<unknown> = {
  name: "double",
  problem: () => undefined,
  classOf: () => "",
  usual: () => right("usual", 5),
  candidates: () => [right("usual", 5), right("good", 3), { name: "bad", does: "wrong", us: 1 }, right("slow", 9)],
  variations: (_, __, { name }) => (name === "good" ? [right("better", 2), { name: "stuck", does: "hangs", us: 1 }] : []),
  open: () => Promise.reject(new Error("it has none")),
};

const how = (emulated: boolean) => ({
  ...{ family, problem: "", device: { device: "a double", multiprocessors: 4, emulated } },
  ...{ budget: 30, jobs: 2, progress: new Progress(), dry: true },
});

it(
  "varies the fastest, and the fastest of the last run comes first, which is between it and what is usual",
  rotating,
  async () => {
    const { trials, usual } = await searchPlans(place, how(false));
    expect(usual).toEqual(right("usual", 5));
    expect(trials.map(({ candidate, outcome, us }) => [candidate.name, outcome, us])).toEqual([
      ["better", "right", 2],
      ["usual", "right", 5],
      ["good", "right", 3],
      ["slow", "right", 9],
      ["bad", "wrong", undefined],
      ["stuck", "hangs", undefined],
    ]);
    expect(drawTimes(trials).split("\n")).toEqual([
      expect.stringMatching(/^ {6}2\.00 us {2}█████▎ +name better, does right, us 2$/),
      expect.stringMatching(/^ {6}5\.00 us/),
      expect.stringMatching(/^ {6}3\.00 us {2}████████ +name good/),
      expect.stringMatching(/^ {6}9\.00 us {2}█{24} {2}name slow/),
      "        wrong  name bad, does wrong, us 1: because",
      "        hangs  name stuck, does hangs, us 1: it had not ended after 1 s",
    ]);
  },
);

it("times nothing on the emulator", rotating, async () => {
  const { trials } = await searchPlans(place, how(true));
  expect(trials.map(({ us }) => us)).toEqual([undefined, undefined, undefined, undefined]);
});

it("keeps the fastest where products take it from, and nothing where it is dry", rotating, async () => {
  const folder = mkdtempSync(join(tmpdir(), "plans-"));
  vi.stubEnv("WARPSMITH_CACHE", folder);
  try {
    const searched = { device: "a double", by: "double", of: [""] };
    const small = { ...family, variations: () => [] };
    await searchPlans(place, { ...how(false), family: small });
    expect(keptChoice(searched)).toBeUndefined();
    await searchPlans(place, { ...how(false), family: small, dry: false });
    expect(keptChoice(searched)).toEqual({ candidate: right("good", 3), time: 3 });
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
