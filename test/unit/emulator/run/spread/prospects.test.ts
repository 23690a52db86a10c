import { describe, expect, it } from "vitest";
import type { GridRun } from "../../../../../src/emulator/run/grid-run.ts";
import { Prospects, usualPatience } from "../../../../../src/emulator/run/spread/prospects.ts";
import type { Team } from "../../../../../src/emulator/run/spread/team.ts";

/** Milliseconds after which workers take over clusters that take so long each, or undefined where they never do. */
function takenOverAfter(clusters: readonly number[]): number | undefined {
  const grid = { begun: 0, total: clusters.length };
  const team = { missed: 0, started: false, able: true, start: () => true };
  const prospects = new Prospects(grid as GridRun, team as unknown as Team, usualPatience, () => true);
  let spent = 0;
  for (const cluster of clusters) {
    grid.begun++;
    spent += cluster;
    if (prospects.pay(cluster)) return spent;
  }
  return undefined;
}

describe("workers that have yet to be started", () => {
  it("take over what is long", () => {
    expect(takenOverAfter(Array.from({ length: 100 }, () => 100))).toBe(600);
    expect(takenOverAfter(Array.from({ length: 8 }, () => 1000))).toBe(2000);
  });

  it("are not started for what is only slow until its code is compiled: chapter 4 in a fresh process", () => {
    expect(takenOverAfter([69, 239, 196, 124, 61, 55, 50, 45])).toBeUndefined();
    expect(takenOverAfter([75, 281, 204, 117, 95, 75, 60, 60])).toBeUndefined();
  });

  it("are not started for what is short", () => {
    expect(takenOverAfter(Array.from({ length: 12 }, () => 100))).toBeUndefined();
  });
});
