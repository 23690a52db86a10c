import { describe, expect, it } from "vitest";
import { drawBanks, drawBuffer, drawTimeline, Schedule, tensorCorePipeline } from "warpsmith/schedule";
import { elementBytes } from "../../../src/base/element-types.ts";
import { served } from "../../../src/layout/index.ts";
import { int } from "../../../src/schedule/ir/build.ts";
import type { For, Program } from "../../../src/schedule/ir/types.ts";
import { addressesIn } from "../../../src/schedule/pictures/banks.ts";
import { boxesOf, Table } from "../../../src/schedule/pictures/cells.ts";
import { bufferOf, laidOut } from "../../../src/schedule/pictures/laid-out.ts";
import { timesOf } from "../../../src/schedule/pictures/times.ts";
import { eachTouch } from "../../../src/schedule/pictures/touches.ts";
import { rotating, some } from "../../support/amount.ts";
import { products } from "./pipeline/products.ts";

const pipelined = tensorCorePipeline(products.adding([128, 64, 160]), {
  tile: [64, 32, 32],
  workgroup: [64, 2, 1],
  depth: 3,
  storeStage: 1,
  padding: 16,
});

/** The number of those who touch each element, by element. */
function counted(program: Program, buffer: string, access: "read" | "write", inTurn: boolean): readonly string[] {
  const laid = laidOut(program, buffer, {});
  const who = new Map<string, Set<string>>();
  const asked = { buffer: bufferOf(laid.program, buffer), access, loops: () => false, only: (_: For) => undefined, inTurn };
  eachTouch(laid, asked, ({ block, thread, mins, extents }) => {
    const all = mins.reduce<number[][]>(
      (points, min, d) => points.flatMap((p) => Array.from({ length: extents[d] ?? 1 }, (_, i) => [...p, min + i])),
      [[]],
    );
    for (const point of all) who.set(point.join(), (who.get(point.join()) ?? new Set()).add(`${block}.${thread}`));
  });
  return [...who].map(([point, set]) => `${point}: ${[...set].toSorted().join(" ")}`).toSorted();
}

describe("who touches what", () => {
  const { program } = pipelined.schedule;

  it("each element of the result is written once, by the block whose tile it is in", () => {
    const all = counted(program, "C", "write", false);
    expect(all.length).toBe(128 * 64);
    for (const line of all) {
      const [, row, column, block] = /^(\d+),(\d+): (\d+)\.\d+$/.exec(line)?.map(Number) ?? [];
      expect(block).toBe(Math.floor((column ?? 0) / 32) + 2 * Math.floor((row ?? 0) / 64));
    }
  });

  const touched = [
    ["C", "write"],
    ["A", "read"],
    ["A_shared", "write"],
    ["A_shared", "read"],
  ] as const;
  it.each(some(touched, 1))("neighbours as one part are the same as one by one: %s, %s", (buffer, access) => {
    const whole = counted(program, buffer, access, false);
    expect(whole).toEqual(counted(program, buffer, access, true));
    expect(whole.length).toBeGreaterThan(1000);
  });

  it("parts of a step on the way, too: nothing is left out, whatever the loops", () => {
    const schedule = new Schedule(products.adding([24, 20, 8]));
    const [i, j] = schedule.getLoops(schedule.getBlock("matmul"));
    if (!i || !j) throw new Error("no loops");
    const [outer] = schedule.split(i, [null, 7]);
    if (outer) schedule.bind(outer, "blockIdx.x");
    schedule.split(j, [3, null]);
    const all = counted(schedule.program, "C", "write", false);
    expect(all).toEqual(counted(schedule.program, "C", "write", true));
    expect(all.length).toBe(24 * 20);
    expect(all.every((line) => Number(/: (\d+)/.exec(line)?.[1]) === Math.floor(Number(/^\d+/.exec(line)?.[0]) / 7))).toBe(true);
  });
});

describe("a timeline", () => {
  const { statements, entries } = timesOf(pipelined.schedule.program, "r_0");

  it("has each statement of each iteration once, in the order of the iterations", () => {
    expect(statements).toHaveLength(3);
    for (const s of statements.keys()) {
      const own = entries.filter((e) => e.statement === s);
      expect(own.map((e) => e.iteration)).toEqual([0, 1, 2, 3, 4]);
      expect(own.map((e) => e.version)).toEqual([0, 1, 2, 0, 1]);
      expect(own.every((e, i) => i === 0 || e.time > (own[i - 1]?.time ?? 0))).toBe(true);
    }
  });

  it("an asynchronous copy is awaited at the time of its product, and its place is taken after that", () => {
    const copies = entries.filter((e) => e.async);
    expect(copies).toHaveLength(10);
    for (const copy of copies) {
      const product = entries.find((e) => !e.async && e.iteration === copy.iteration);
      expect(copy.arrives).toBe(product?.time);
      const next = copies.find(
        (e) => e.statement === copy.statement && e.version === copy.version && e.iteration > copy.iteration,
      );
      if (next) expect(next.time).toBeGreaterThanOrEqual(product?.time ?? 0);
    }
  });

  it("a prologue and an epilogue of one statement have a time for each of its iterations", () => {
    const schedule = new Schedule(products.adding([16, 16, 16]));
    const [, , k] = schedule.getLoops(schedule.getBlock("matmul"));
    if (!k) throw new Error("no loop");
    const [outer] = schedule.split(k, [4, 4]);
    if (!outer) throw new Error("no loop");
    schedule.reorder(outer, ...schedule.getLoops(schedule.getBlock("matmul")).filter((l) => l.name === "i" || l.name === "j"));
    schedule.computeAt(schedule.cacheRead(schedule.getBlock("matmul"), "A", "shared"), outer);
    schedule.pipeline(outer, { stages: [0, 2] });
    const { entries: all, times } = timesOf(schedule.program, outer.name);
    expect(times).toBe(6);
    const told = (statement: number) =>
      all.filter((e) => e.statement === statement).map(({ iteration, time, phase }) => `${iteration}@${time} ${phase}`);
    expect(told(0)).toEqual(["0@0 prologue", "1@1 prologue", "2@2 loop", "3@3 loop"]);
    expect(told(1)).toEqual(["0@2 loop", "1@3 loop", "2@4 epilogue", "3@5 epilogue"]);
  });

  it("the loop of a program that overlaps nothing has one iteration at a time", () => {
    const { entries: plain } = timesOf(products.adding([16, 16, 4]), "r");
    expect(plain.map(({ iteration, time, phase }) => [iteration, time, phase])).toEqual([0, 1, 2, 3].map((n) => [n, n, "loop"]));
  });
});

describe("banks", () => {
  it("as many wavefronts as the lanes that are served together want words of one bank", () => {
    for (const bytes of [2, 4, 8, 16])
      for (const pitch of [2, 4, 32, 36, 64, 80, 96, 128, 132, 160]) {
        const addresses = Array.from({ length: 32 }, (_, lane) => Math.floor((lane * pitch) / bytes) * bytes);
        const { wavefront, wavefronts } = served(addresses, bytes);
        const groups = Math.max(1, bytes / 4);
        const wanted = Array.from({ length: groups }, (_, group) => {
          const lanes = addresses.slice((32 / groups) * group, (32 / groups) * (group + 1));
          const words = new Set(lanes.flatMap((a) => Array.from({ length: groups }, (_, word) => (a >> 2) + word)));
          return Math.max(...Array.from({ length: 32 }, (_, bank) => [...words].filter((w) => w % 32 === bank).length));
        });
        expect(wavefronts).toBe(wanted.reduce((sum, n) => sum + n));
        expect(Math.max(...wavefront.map((w) => w ?? -1))).toBe(wavefronts - 1);
      }
  });

  it("the same 16 bytes of eight rows are in different banks where rows are permuted, however short they are", () => {
    for (const dtype of ["f16", "f32", "u8"] as const)
      for (const rowBytes of [32, 64, 128, 256, 512]) {
        const size = elementBytes[dtype];
        const shape = [int(32), int(rowBytes / size)];
        const address = addressesIn({ name: "S", dtype, shape, scope: "shared", swizzle: "xor" });
        for (let column = 0; column < rowBytes; column += 16) {
          const rows = Array.from({ length: 8 }, (_, row) => address([row, column / size]));
          expect(served(rows, 16).wavefronts, `${dtype}, rows of ${rowBytes} bytes`).toBe(1);
        }
        const all = Array.from({ length: 32 }, (_, row) => Array.from({ length: rowBytes / size }, (_, i) => address([row, i])));
        expect(all.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: (32 * rowBytes) / size }, (_, i) => i * size));
      }
  });

  it("rows of 64 bytes conflict four times, of 96 bytes twice", () => {
    const told = (svg: string) => /[^<>]*wavefronts?, 1 without/.exec(svg)?.[0];
    const before = pipelined.passes.find(({ name }) => name === "to-matrix-ops");
    expect(told(drawBanks(pipelined.schedule.program, "A_shared"))).toContain("2 wavefronts");
    expect(before).toBeDefined();
    const plain = tensorCorePipeline(products.adding([64, 32, 64]), {
      tile: [64, 32, 32],
      workgroup: [64, 2, 1],
      depth: 2,
      storeStage: 1,
      padding: 0,
    });
    expect(told(drawBanks(plain.schedule.program, "A_shared"))).toContain("4 wavefronts");
  });
});

describe("drawings", () => {
  const { program } = pipelined.schedule;

  it("are rectangles that cover each element once", () => {
    const table = new Table(5, 7);
    table.cells.set(table.cells.map((_, i) => (i * i) % 3));
    const seen = new Table(5, 7);
    for (const [value, boxes] of boxesOf(table, { row: 0, column: 0, rows: 5, columns: 7 }))
      for (const b of boxes)
        for (let r = b.row; r < b.row + b.rows; r++)
          for (let c = b.column; c < b.column + b.columns; c++) {
            expect(table.at(r, c)).toBe(value);
            seen.cells[r * 7 + c] = seen.at(r, c) + 1;
          }
    expect([...seen.cells]).toEqual(Array.from({ length: 35 }, () => 1));
  });

  it("are small, whole, and ask nobody for anything", () => {
    for (const svg of [
      drawBuffer(program, "C"),
      drawBuffer(program, "A_shared"),
      drawBanks(program, "B_shared"),
      drawTimeline(program, "r_0"),
    ]) {
      expect(svg.length).toBeLessThan(32_000);
      expect(svg.startsWith("<svg") && svg.endsWith("</svg>\n")).toBe(true);
      expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
        /https?:|\b(?:src|href)=|@import|url\(|NaN|undefined|Infinity/,
      );
      expect(svg.match(/<(?:svg|g)\b/g)?.length).toBe(svg.match(/<\/(?:svg|g)>/g)?.length);
    }
  });

  it("are on the page of a schedule, each once", rotating, () => {
    const html = pipelined.schedule.html();
    const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "") as {
      kernels: readonly { pictures: readonly string[]; stages: readonly { picture?: number }[] }[];
    };
    const [kernel] = data.kernels;
    expect(new Set(kernel?.pictures).size).toBe(kernel?.pictures.length);
    expect(kernel?.stages.every(({ picture }) => picture === undefined || kernel.pictures[picture]?.startsWith("<svg"))).toBe(
      true,
    );
    expect(kernel?.pictures.length).toBeGreaterThan(2);
  });

  it.each([
    ["a buffer that there is not", () => drawBuffer(program, "D"), "W5520"],
    ["a loop that there is not", () => drawBuffer(program, "C", { colour: "q" }), "W5520"],
    ["a loop to draw that there is not", () => drawTimeline(program, "q"), "W5520"],
    ["an option that there is not", () => drawBuffer(program, "C", { color: "block" } as object), "W2601"],
    ["nobody writes A", () => drawBuffer(program, "A", { access: "write" }), "W5545"],
    ["banks of global memory", () => drawBanks(program, "A"), "W5545"],
  ])("is refused: %s", (_, run, code) => {
    expect(run).toThrow(expect.objectContaining({ code }));
  });
});
