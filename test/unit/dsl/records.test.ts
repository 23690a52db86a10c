import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { opNames, opSpec } from "../../../src/ir/ops/index.ts";

const dsl = join(import.meta.dirname, "../../../src/dsl");
const files = readdirSync(dsl, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".ts"));
const text = new Map(files.map((f) => [f, readFileSync(join(dsl, f), "utf8")]));

/** The tracer records and passes lower: of rooms where lowering could be done it takes what refusals and scalars need, by name. */
const taken: Readonly<Record<string, readonly string[]>> = {
  "layout/modes/index.ts": [
    ...["Dimension", "Layout"],
    // What a view's type says of its shape, and the types of views made from it.
    ...["extentOf", "shapeOf", "panelled", "regroup", "slice", "stepped"],
    // Refused: the memory of a part that does not begin where its buffer does (W3016, W3017), a vector beyond its row (W3006), bytes that
    // do not lie in one piece (W3019, W4512), an alignment below the swizzle's pattern (W3015, W3016).
    ...["offsetIn", "neighboursFrom", "isDense", "isRowMajor", "patternBytes"],
    // Layouts of shared memory as authors write them, the bytes that they take, and vectors that a swizzle would part (W3006, W6129).
    ...["Layout as Modes", "ViewSwizzle", "chunkBytes", "hardwareSwizzle", "isXor", "padded", "rowMajor", "spanOf", "xorOf"],
    ...["joinedLayout", "reshapedLayout", "splitLayout", "transposedLayout"],
  ],
  "layout/index.ts": [
    // Refused: matrices in shared memory that wgmma cannot read (W6103, W6104, W6106, W6107, W6110, W6111).
    ...["isProblem", "Problem", "stridesAs"],
    // The types of tiles, and layouts as authors write them. Refused: those that do not fit the warps or the shape (W6203–W6205, W6210, W6211).
    ...["AutoLayout", "MmaLayout", "TileLayout", "elementsPerThread", "isAuto", "layoutRank", "layoutText", "linearLayout"],
    ...["sliceOf", "warpgroupsOf", "warpsOf"],
    // What `bankConflicts` counts.
    "sharedTileCost",
    // Drawings of layouts.
    ...["drawSvg", "drawText"],
    "LinearLayout as LinearMap",
  ],
  "ir/errors.ts": ["irErrors"],
  "ir/arith.ts": [
    ...["constant", "first", "isPowerOf2", "toInt"],
    // Indices, numbers of threads and stages, and what `debug` checks of them.
    ...["add", "and", "both", "compare", "divide", "mul", "or", "shr", "xor"],
    // 64-bit offsets and coordinates where 32 bits are taken.
    ...["counted", "countType", "saturated"],
  ],
};

/** Imports by name from src/layout, and from src/ir beside its index. */
const statement = /^(?:import|export)(?: type)? \{([^}]*)\} from "(?:\.\.\/)+((?:layout|ir)\/[^"]+)";/gm;
const statements = [...text].flatMap(([file, source]) =>
  [...source.matchAll(statement)].map(([, names = "", from = ""]) => ({
    file,
    from,
    names: names.split(",").flatMap((name) => name.trim().replace(/^type /, "") || []),
  })),
);

describe("the tracer takes from rooms that lower", () => {
  it("by name, so that these tests see it", () => {
    const mentions = [...text.values()].join("\n").match(/"(?:\.\.\/)+(?:layout|ir)\/[^"]+"/g) ?? [];
    expect(statements.length).toBe(mentions.length);
  });

  const listed = statements.filter(({ from }) => from !== "ir/index.ts");
  it("no more than is listed", () => {
    const more = listed.flatMap(({ file, from, names }) =>
      names.filter((n) => !taken[from]?.includes(n)).map((n) => [file, from, n]),
    );
    expect(more).toEqual([]);
  });

  it("all that is listed", () => {
    const used = (from: string, name: string): boolean => listed.some((s) => s.from === from && s.names.includes(name));
    const rest = Object.entries(taken).flatMap(([from, names]) => names.filter((n) => !used(from, n)).map((n) => [from, n]));
    expect(rest).toEqual([]);
  });
});

/** Strings of the dsl's source that are the names of ops. */
const named = new Set([...text.values()].flatMap((source) => [...source.matchAll(/"([\w.]+)"/g)].map(([, name = ""]) => name)));

describe("the tracer records", () => {
  it("no op of the machine level, and every other one", () => {
    const below = opNames.filter((name) => opSpec(name).level === "machine");
    expect(opNames.filter((name) => !named.has(name)).toSorted()).toEqual(below.toSorted());
  });
});
