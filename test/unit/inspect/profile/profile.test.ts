import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chromeTrace, markedLaunch, type ProfileSpan, summarize } from "../../../../src/inspect/profile/index.ts";
import { blockText, drawRow, kinds, layOut, spanAt, ticksOf, timeText } from "../../../../src/inspect/profile/page/lanes.js";
import { profilePage } from "../../../../src/inspect/profile/page.ts";
import { pageData } from "../../../../src/inspect/profile/page-data.ts";
import type { PageData } from "../../../../src/inspect/profile/page-types.ts";
import { ofProperty, rotating } from "../../../support/amount.ts";
import { faultsOf } from "../../emulator/trace-rules.ts";
import { hostile, large, mark, sample, span, textOf } from "./sample.ts";

describe("the summary", () => {
  const { roles, waits, work, longestWaits } = summarize(sample);

  it("says who is idle, by role", () => {
    expect(roles).toEqual([
      { role: "consumer", warps: 1, time: 1000, waiting: 500 },
      { role: "producer", warps: 1, time: 800, waiting: 100 },
    ]);
  });

  it("says what is waited for, and where, the longest first", () => {
    expect(waits).toEqual([
      { role: "consumer", on: "full[0]", stage: 0, place: 1, count: 2, time: 500, longest: 400 },
      { role: "producer", on: "empty[0]", stage: 0, place: 0, count: 1, time: 100, longest: 100 },
    ]);
    expect(longestWaits.map((i) => sample.spans[i]?.name)).toEqual(["full[0], phase 0", "empty[0], phase 0", "full[0], phase 1"]);
  });

  it("says how long copies take", () => {
    expect(work).toEqual([
      { kind: "load", name: "load", place: 0, count: 2, bytes: 2048, shortest: 200, mean: 250, longest: 300 },
    ]);
  });
});

describe("the trace of a GPU's profile", () => {
  const file = chromeTrace([sample, sample]);

  it("is one that Perfetto takes", () => {
    // The sample's arrow ends in a wait, and begins in the landing.
    expect(faultsOf(file)).toEqual([]);
    expect(file.otherData).toEqual({
      ...{ clock: expect.stringContaining("global timer"), launches: 2, dropped: 6 },
      notes: [1, 2].map((n) => `${n}. k${hostile}: 1 of 4 blocks were recorded: the first ones`).join("; "),
    });
  });

  it("has microseconds, roles in the names of threads, and launches one after the other", () => {
    const waits = file.traceEvents.filter(({ name }) => name === "waits: full[0], phase 0");
    expect(waits).toMatchObject([
      { ph: "X", ts: 0, dur: 0.4, args: { line: "k.ts:2" } },
      { ph: "X", ts: 11 },
    ]);
    expect(file.traceEvents.some((e) => e.ph === "M" && e.args.name === "warp 0: producer")).toBe(true);
  });
});

describe("what the marks of a launch alone say", () => {
  const launched = { kernel: "k", device: "NVIDIA H200", grid: [2, 1, 1], block: [64, 1, 1], cluster: [1, 1, 1] } as const;
  const other = { block: [1, 0, 0], warp: 1, multiprocessor: 9 } as const;
  const records = [
    mark("role", "producer", 0),
    mark("begin", "outer", 100),
    mark("begin", "inner", 150),
    mark("begin", "left", 160),
    mark("end", "inner", 300),
    mark("end", "outer", 400),
    mark("end", "never begun", 450),
    mark("tile", "tile", 200, { ...other, values: [1, 2, 0, 5] }),
    mark("tile", "tile", 500, { ...other, values: [3, 4, 0, 7] }),
    mark("begin", "open", 600, other),
    mark("end", "nothing", 700, other),
  ];
  const found = markedLaunch(records, launched, 2);

  it("is a profile in nanoseconds from the first mark on", () => {
    expect(found).toMatchObject({ ...launched, unit: "ns", duration: 700, dropped: 2, unpaired: 2 });
    expect(found.blocks).toEqual([
      { index: [0, 0, 0], multiprocessor: 3 },
      { index: [1, 0, 0], multiprocessor: 9 },
    ]);
    expect(found.lanes.map(({ block, warp, role, begin, end }) => [block, warp, role, begin, end])).toEqual([
      [0, 0, "producer", 0, 450],
      [1, 1, "", 200, 700],
    ]);
  });

  it("pairs begins and ends by name, the innermost first; an end ends what lies within", () => {
    const told = found.spans.map(({ kind, name, lane, begin, end, open }) => [kind, name, lane, begin, end, open ?? false]);
    expect(told).toEqual([
      ["mark", "outer", 0, 100, 400, false],
      ["mark", "inner", 0, 150, 300, false],
      ["mark", "left", 0, 160, 300, true],
      ["tile", "tile (1, 2)", 1, 200, 500, false],
      ["tile", "tile (3, 4)", 1, 500, 700, false],
      ["mark", "open", 1, 600, 700, true],
    ]);
    expect(found.spans.find(({ kind }) => kind === "tile")?.details).toEqual({ m: 1, n: 2, k: 0, index: 5 });
  });

  it("is written by every writer", () => {
    expect(faultsOf(chromeTrace([found]))).toEqual([]);
    expect(profilePage([found], textOf)).toContain("outer");
    expect(markedLaunch([], launched, 0)).toMatchObject({ duration: 0, lanes: [], spans: [] });
  });
});

describe("the page", () => {
  const page = profilePage([sample, sample], textOf);
  const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "") as PageData;

  it("asks nobody for anything, and is whole, whatever texts it holds", () => {
    const own = page.replace(/<script type="application\/json".*?<\/script>/s, "");
    expect(own).not.toMatch(/https?:|\b(?:src|href)=|@import|url\(|\bfetch\b|\bimport\b|\bexport\b|XMLHttpRequest/);
    expect(own).toContain("default-src 'none'");
    expect(page.match(/<script\b/g)?.length).toBe(2);
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<!--");
  });

  it("has names, places and lines once, and only lines that something comes from", () => {
    const [launch] = data.launches;
    expect(launch?.kernel).toBe(`k${hostile}`);
    expect(new Set(data.names).size).toBe(data.names.length);
    expect(data.files).toEqual([{ name: "/home/a/k.ts", lines: { 1: `one ${hostile}`, 2: "two(x);" } }]);
    expect(launch?.summary.waits[0]?.place).toBe(1);
    expect(launch?.spans.kind.map((kind) => kinds[kind])).toEqual(sample.spans.map(({ kind }) => kind));
    expect(data.known[launch?.spans.known[7] ?? -1]).toEqual({ ended: "never" });
  });
});

describe("rows", () => {
  const launchOf = (spans: readonly ProfileSpan[]) => {
    const [launch] = pageData([{ ...sample, spans }], textOf).launches;
    if (!launch) throw new Error("no launch");
    return launch;
  };

  it("are the lines and waits of a warp, then what overlaps, side by side", () => {
    const launch = launchOf(sample.spans);
    const { rows, groups, height } = layOut(launch);
    expect(rows.map(({ lane, indices }) => [lane, [...indices]])).toEqual([
      [0, [0, 4]],
      [0, [2]],
      [0, [3]],
      [1, [1, 6, 7]],
    ]);
    expect(groups.map(({ block, lanes }) => [block, lanes.map(({ lane }) => lane)])).toEqual([[0, [0, 1]]]);
    expect(rows.every((row, i) => row.y >= (rows[i - 1] ? (rows[i - 1]?.y ?? 0) + (rows[i - 1]?.height ?? 0) : 0))).toBe(true);
    expect(height).toBeGreaterThan(Math.max(...rows.map(({ y }) => y)));
    const hidden = layOut(
      launch,
      kinds.map((kind) => kind !== "load"),
    );
    expect(hidden.rows.length).toBe(2);
  });

  it("draw each span that is a pixel wide, and no pixel twice, however many spans there are", () => {
    const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 9 }), fc.boolean()), {
      minLength: 1,
      maxLength: 80,
      size: "max",
    });
    fc.assert(
      fc.property(lengths, fc.double({ min: 0.02, max: 3, noNaN: true }), (parts, scale) => {
        let time = 0;
        const spans = parts.map(([length, gap, waits]) => {
          time += gap + length;
          return span(waits ? "wait" : "code", 0, time - length, time);
        });
        const launch = launchOf(spans);
        const [row] = layOut(launch).rows;
        if (!row) throw new Error("no row");
        const seen: number[] = [];
        const pixels: number[] = [];
        drawRow(row, launch.spans, { from: 0, to: time + 1, scale }, (x, width, _, index) => {
          if (width > 1 || index !== undefined) seen.push(index ?? -1);
          if (width === 1) pixels.push(x);
        });
        const wide = spans.flatMap((s, i) => ((s.end - s.begin) * scale >= 1 ? [i] : []));
        expect(wide.filter((i) => !seen.includes(i))).toEqual([]);
        expect(new Set(pixels).size).toBe(pixels.length);
      }),
      ofProperty(100, 100),
    );
  });

  it("draw no more than the pixels of a row, of a hundred thousand spans", rotating, () => {
    const [launch] = pageData([large(100_000)], textOf).launches;
    if (!launch) throw new Error("no launch");
    const { rows } = layOut(launch);
    const width = 1200;
    for (const row of rows.slice(0, 50)) {
      let drawn = 0;
      drawRow(row, launch.spans, { from: 0, to: launch.duration, scale: width / launch.duration }, () => {
        drawn += 1;
      });
      expect(drawn).toBeLessThanOrEqual(width + 1);
      expect(drawn).toBeGreaterThan(0);
    }
  });

  it("find the span at a time", () => {
    const launch = launchOf(sample.spans);
    const row = layOut(launch).rows.at(-1);
    if (!row) throw new Error("no row");
    expect(spanAt(row, launch.spans, 200)).toBe(1);
    expect(spanAt(row, launch.spans, 950)).toBe(7);
    expect(spanAt(row, launch.spans, 5000)).toBeUndefined();
  });

  it("have round times above them", () => {
    expect(ticksOf({ from: 95, to: 420, scale: 1 }, 90)).toEqual([100, 200, 300, 400]);
    expect(ticksOf({ from: 0, to: 3, scale: 100 })).toEqual([0, 1, 2, 3]);
    expect([timeText(1234, "ticks"), timeText(999, "ns"), timeText(1500, "ns"), timeText(2.5e6, "ns")]).toEqual([
      "1234 ticks",
      "999 ns",
      "1.5 µs",
      "2.5 ms",
    ]);
    expect(blockText({ index: [1, 2, 0], multiprocessor: undefined })).toBe("block (1, 2, 0)");
  });
});
