import type { MarkRecord, ProfileData, ProfileSpan } from "../../../../src/inspect/profile/index.ts";

export const hostile = '</script><img src=x onerror="1"><!--';

export const span = (
  kind: ProfileSpan["kind"],
  lane: number,
  begin: number,
  end: number,
  more: Partial<ProfileSpan> = {},
): ProfileSpan => ({
  kind,
  name: kind,
  lane,
  begin,
  end,
  ...more,
});

const place = (line: number) => ({ file: "/home/a/k.ts", line, column: 3, length: 4 });

/** Two warps of one block as a GPU would have them: in nanoseconds, on multiprocessor 17. */
export const sample: ProfileData = {
  kernel: `k${hostile}`,
  device: "NVIDIA H200",
  grid: [1, 1, 1],
  block: [64, 1, 1],
  cluster: [1, 1, 1],
  unit: "ns",
  duration: 1000,
  blocks: [{ index: [0, 0, 0], multiprocessor: 17 }],
  lanes: [
    { kind: "warp", block: 0, warp: 0, role: "producer", begin: 0, end: 800 },
    { kind: "warp", block: 0, warp: 1, role: "consumer", begin: 0, end: 1000 },
    { kind: "landings", block: 0, warp: -1, role: "", begin: 0, end: 0 },
  ],
  places: [place(1), place(2)],
  spans: [
    span("code", 0, 0, 100, { place: 0 }),
    span("wait", 1, 0, 400, { name: "full[0], phase 0", on: "full[0]", stage: 0, phase: 0, place: 1 }),
    span("load", 0, 50, 350, { bytes: 1024, place: 0, details: { from: "global" } }),
    span("load", 0, 60, 260, { bytes: 1024, place: 0 }),
    span("wait", 0, 100, 200, { name: "empty[0], phase 0", on: "empty[0]", stage: 0, phase: 0, place: 0 }),
    span("landing", 2, 349, 350),
    span("code", 1, 400, 900, { place: 1 }),
    span("wait", 1, 900, 1000, { name: "full[0], phase 1", on: "full[0]", stage: 0, phase: 1, place: 1, open: true }),
  ],
  arrows: [{ from: { lane: 2, at: 349 }, to: { lane: 1, at: 399.5 } }],
  instants: [],
  counts: [],
  dropped: 3,
  unpaired: 1,
  notes: ["1 of 4 blocks were recorded: the first ones"],
};

export const textOf = (file: string) => (file === "/home/a/k.ts" ? `one ${hostile}\ntwo(x);\n` : undefined);

export const mark = (kind: MarkRecord["kind"], name: string, time: number, more: Partial<MarkRecord> = {}): MarkRecord => ({
  kind,
  name,
  time: 5_000_000_000n + BigInt(time),
  multiprocessor: 3,
  block: [0, 0, 0],
  warp: 0,
  values: [],
  place: place(1),
  ...more,
});

/** A launch with so many spans, of code, waits and loads by turns. */
export function large(count: number): ProfileData {
  const [blocks, warps] = [132, 8];
  const lanes = Array.from({ length: blocks * warps }, (_, i) => ({
    kind: "warp" as const,
    block: Math.floor(i / warps),
    warp: i % warps,
    role: i % warps < 4 ? "producer" : "consumer",
    begin: 0,
    end: 0,
  }));
  const spans = Array.from({ length: count }, (_, i) => {
    const lane = i % lanes.length;
    const nth = Math.floor(i / lanes.length);
    const begin = nth * 20 + (lane % 7);
    if (nth % 3 === 2) return span("load", lane, begin, begin + 55, { bytes: 64, place: 0 });
    return nth % 3 === 1
      ? span("wait", lane, begin, begin + 19, { on: `full[${nth % 4}]`, place: 1 })
      : span("code", lane, begin, begin + 13);
  }).toSorted((a, b) => a.begin - b.begin);
  const duration = Math.max(...spans.slice(-5000).map(({ end }) => end));
  return {
    ...sample,
    kernel: "large",
    duration,
    blocks: Array.from({ length: blocks }, (_, i) => ({ index: [i, 0, 0] as const, multiprocessor: i })),
    lanes: lanes.map((lane) => ({ ...lane, end: duration })),
    spans,
    arrows: [],
  };
}
