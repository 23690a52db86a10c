import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeProfile } from "../../../../src/inspect/profile/profile.ts";
import { readTimeline } from "../../../../src/inspect/profile/timeline/read-timeline.ts";
import type { RecordedLaunch } from "../../../../src/inspect/profile/timeline/types.ts";

/** What `test/tools/timelines.ts --small --records --only ring` has saved: a ring of 4 stages, 8 tiles of 4 KB, two blocks. */
interface Saved
  extends Pick<RecordedLaunch, "kernel" | "device" | "grid" | "block" | "cluster" | "sites" | "buffers" | "sliceWords"> {
  /** Words of each warp's slice, without the zeros at its end. */
  readonly slices: readonly (readonly number[])[];
}

describe("records that a GPU has left", () => {
  const { slices, ...saved } = JSON.parse(readFileSync(new URL("recorded/ring-h200.json", import.meta.url), "utf8")) as Saved;
  const words = new Uint32Array(slices.length * saved.sliceWords);
  for (const [i, own] of slices.entries()) words.set(own, i * saved.sliceWords);
  const found = makeProfile(
    readTimeline({ ...saved, words, slicedBlocks: 2, boxBytes: new Map([["x", 4096]]), limit: 100_000, atOnce: 64 }),
  );
  const of = (kind: string) => found.spans.filter((span) => span.kind === kind);

  it("tell when loads were issued and landed, and who waited for them", () => {
    expect(found.lanes.map(({ kind, warp, role }) => [kind, warp, role])).toEqual(
      [0, 1].flatMap(() => [
        ["warp", 0, "loads"],
        ["warp", 1, "other work"],
        ["landings", -1, ""],
      ]),
    );
    const loads = of("load");
    expect(loads).toHaveLength(16);
    for (const { begin, end, bytes, details } of loads) {
      expect(bytes).toBe(4096);
      expect(details?.landed).toBeUndefined();
      // So long take 4 KB from memory, or from a cache.
      expect(end - begin).toBeGreaterThan(100);
      expect(end - begin).toBeLessThan(5000);
    }
    expect(of("mark").map(({ name }) => name)).toEqual(new Array(16).fill("add"));
    // A tile is added up when it has landed: the observer may be a little later than who waits for it.
    for (const lane of [0, 3]) {
      const landed = loads.filter((load) => load.lane === lane).map(({ end }) => end);
      const added = of("mark").filter((mark) => mark.lane === lane + 1);
      for (const [i, { begin }] of added.entries()) expect(begin).toBeGreaterThan((landed[i] ?? 0) - 100);
    }
    expect(found.dropped + found.unpaired).toBe(0);
    expect(found.notes?.at(-1)).toMatch(/^clocks agree within \d+ ns$/);
  });

  it("make a page, a drawing and sums", () => {
    const page = found.toPage();
    for (const text of ["ringSum", "ring.full", "TMA load"]) expect(page).toContain(text);
    expect(found.toPicture()).toMatch(/^<svg/);
    const [load] = found.summary().work;
    expect(load).toMatchObject({ name: "TMA load", count: 16, bytes: 65536 });
  });
});
