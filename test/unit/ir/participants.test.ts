import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Graph, type Op, type OpName, opNames, opSpec, ops, walkOps } from "../../../src/ir/index.ts";
import { coreOps } from "../../../src/ir/ops/core.ts";
import { memoryOps } from "../../../src/ir/ops/memory.ts";
import { tileOps } from "../../../src/ir/ops/tile.ts";
import { wgmmaOps } from "../../../src/ir/ops/wgmma.ts";
import { wmmaOps } from "../../../src/ir/ops/wmma.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { lowerGraph } from "../../../src/lower/index.ts";
import { passes, runPasses } from "../../../src/passes/index.ts";
import { printPtx } from "../../../src/ptx/index.ts";

const root = join(import.meta.dirname, "../../..");
const together = opNames.filter((name) => opSpec(name).participants !== undefined);

/** The graphs of the filetests, which hold every op. */
function graphs(): readonly Graph[] {
  const folder = join(root, "test/filetests/lower");
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split(/^; ====.*$/m)
      .map((part) => part.split(/^; ----$/m)[0] ?? "")
      .filter((part) => /^kernel/m.test(part))
      .map((part) => parseGraph(part, { file })),
  );
}

/** The instructions of each op: `.loc` says whose line of the graph they stand for. */
function instructionsOf(graph: Graph): readonly { readonly op: Op; readonly text: string }[] {
  const laid = runPasses(
    graph,
    { verify: false },
    passes.filter((p) => p.name === "layout-shared"),
  );
  const byLine = new Map<number, Op>();
  walkOps(laid.body, (op) => void (op.spans[0] && byLine.set(op.spans[0].line, op)));
  let line = 0;
  return printPtx(lowerGraph(laid))
    .split("\n")
    .flatMap((text) => {
      const loc = /^\s*\.loc \d+ (\d+)/.exec(text);
      if (loc) line = Number(loc[1]);
      const op = loc ? undefined : byLine.get(line);
      return op && op.regions.length === 0 ? [{ op, text: text.trim() }] : [];
    });
}

describe("participants", () => {
  const collective = /^(@!?%p\d+ )?[a-z_0-9.]+\.(sync|aligned)\b/;
  const found = graphs().flatMap(instructionsOf);

  it("stand at every op whose instructions are `.sync` or `.aligned`", () => {
    const alone = found.filter(({ op, text }) => collective.test(text) && !opSpec(op.name).participants);
    expect(alone.map(({ op, text }) => `${op.name}: ${text}`)).toEqual([]);
  });

  it("stand at no other op, but where it only arrives", () => {
    const seen = new Set(found.filter(({ text }) => collective.test(text)).map(({ op }) => op.name));
    const lowered = together.filter((name) => opSpec(name).level !== "tile");
    expect(lowered.filter((name) => !seen.has(name))).toEqual(["bar.arrive"]);
  });

  it("have a name for authors", () => {
    const named = together.map((name) => ({ name, called: opSpec(name).called ?? "" }));
    expect(named.filter(({ called }) => !/^(a|the) .*[a-z)]$|^wgmma$/.test(called))).toEqual([]);
  });
});

/** What one room knows of its own ops is its business: a list is what joins ops of several. */
const rooms: readonly ReadonlySet<string>[] = [coreOps, memoryOps, wgmmaOps, wmmaOps, tileOps].map(
  (table) => new Set(Object.keys(table)),
);
const roomOf = (name: OpName): number => rooms.findIndex((room) => room.has(name));

/** Names of collective ops that a text lists: it does not emit them, nor is it their rule. */
const listing = new RegExp(
  `(?<!emit\\((?:ctx, )?|makeOp\\(ids, |once\\(|<)"(${together.map((name) => name.replaceAll(".", "\\.")).join("|")})"(?!:)`,
  "g",
);
const listed = (text: string): readonly OpName[] => [...text.matchAll(listing)].map(([, name]) => name as OpName);

const lists = (text: string): boolean => {
  const names = listed(text);
  return new Set(names.map(roomOf)).size > 1 || /startsWith\("(wgmma|bar|barrier)\b|\/\^?(wgmma|bar|barrier)\\\./.test(text);
};

it("no room but ir/ops lists what a warp, a warpgroup or a block does together: the trait says it", () => {
  const files = ["passes", "dsl", "ir", "kernel", "lower"].flatMap((room) =>
    readdirSync(join(root, "src", room), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !(room === "ir" && file.startsWith("ops")))
      .map((file) => join("src", room, file)),
  );
  expect(files.filter((file) => lists(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

it("knows a list where it sees one", () => {
  expect(lists('if (name === "bar.sync" || name === "setmaxnreg") refuse();')).toBe(true);
  expect(lists('const all = new Set(["elect.sync", "stmatrix"]);')).toBe(true);
  expect(lists('return /^wgmma\\.(fence|mma_async)/.test(name) ? "wgmma" : undefined;')).toBe(true);
  expect(lists('trace.emit("bar.sync", {}); trace.emit("elect.sync", {});')).toBe(false);
  expect(Object.keys(ops).length).toBe(opNames.length);
});
