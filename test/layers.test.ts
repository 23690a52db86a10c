import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../src");

/**
 * Who may import whom: docs/architecture.md. A layer is a folder of src, or a file at its top. `types`, `hook-names`,
 * `log-layout`, `timeline-layout`, `small-floats`, `target`, `recently-used`, `disk-cache`, `own-files`, `package-version`, `tensor-map` and `texture` are vocabularies that layers share; they import nothing above diag.
 */
const may: Readonly<Record<string, readonly string[]>> = {
  types: [],
  "hook-names": [],
  diag: ["own-files"],
  env: [],
  "log-layout": [],
  "watch-layout": [],
  "timeline-layout": [],
  "small-floats": [],
  target: [],
  "recently-used": [],
  "disk-cache": [],
  "own-files": [],
  "package-version": ["own-files"],
  "build-id": ["own-files"],
  cubin: [],
  "tuned-choices": ["disk-cache", "env", "package-version"],
  "tensor-map": ["diag", "types"],
  texture: [],
  page: ["own-files"],
  profile: ["diag", "types", "page", "timeline-layout"],
  ir: ["layout", "diag", "types", "target"],
  ptx: ["diag"],
  transform: ["diag", "hook-names", "disk-cache", "own-files", "package-version", "build-id"],
  layout: ["types"],
  dsl: ["ir", "layout", "diag", "types", "hook-names", "tensor-map", "small-floats", "own-files"],
  passes: ["ir", "layout", "types", "target", "tensor-map", "diag", "small-floats", "timeline-layout"],
  lower: ["ir", "ptx", "diag", "log-layout", "watch-layout", "timeline-layout", "small-floats"],
  runtime: ["diag", "env", "types", "tensor-map", "texture", "small-floats", "target", "profile"],
  cuda: ["cubin", "runtime", "diag", "types", "env", "target", "tensor-map", "texture", "disk-cache", "watch-layout"],
  emulator: ["ptx", "runtime", "diag", "types", "target", "tensor-map", "texture", "recently-used", "profile"],
  compile: ["dsl", "passes", "lower", "ptx", "ir", "env", "diag"],
  stages: ["ir", "diag", "page"],
  report: ["cubin", "ir", "passes", "diag", "target", "types"],
  kernel: [
    "dsl",
    "compile",
    "stages",
    "report",
    "cubin",
    "profile",
    "runtime",
    "env",
    "diag",
    "ir",
    "ptx",
    "types",
    "target",
    "log-layout",
    "watch-layout",
    "tensor-map",
    "small-floats",
    "recently-used",
    "disk-cache",
    "tuned-choices",
    "build-id",
    "own-files",
  ],
  built: ["runtime", "diag", "types", "tensor-map"],
  build: [
    "built",
    "kernel",
    "dsl",
    "ir",
    "cuda",
    "runtime",
    "env",
    "diag",
    "types",
    "target",
    "tensor-map",
    "own-files",
    "package-version",
  ],
  arrays: ["runtime", "diag", "types"],
  "load-ptx": ["runtime", "ptx", "diag", "types", "target", "tensor-map"],
  "launch-ptx": ["load-ptx", "arrays", "runtime", "diag", "types", "tensor-map", "texture", "testing"],
  cli: [
    "index",
    "arrays",
    "build",
    "kernels",
    "compile",
    "report",
    "load-ptx",
    "launch-ptx",
    "open-emulator",
    "transform",
    "env",
    "diag",
    "profile",
    "own-files",
    "package-version",
  ],
  testing: ["diag", "small-floats"],
  schedule: [
    "dsl",
    "kernel",
    "runtime",
    "stages",
    "layout",
    "diag",
    "types",
    "target",
    "tensor-map",
    "hook-names",
    "small-floats",
  ],
  kernels: ["diag", "recently-used", "tuned-choices", "own-files"], // to refuse bad input, what is kept, and which module a worker is; all else is written in the public language alone
};
/** Entry points: they only join layers, and may import any. */
const entries = new Set([
  "index",
  "device-kinds",
  "runtime-only",
  "register",
  "register-hooks",
  "plugin",
  "read-source",
  "open-emulator",
  "profiles-at-exit",
  "emulator-threads",
  "emulator-worker",
  "inside",
]);

/** Declarative tables may be longer than 500 lines. */
const tables: readonly RegExp[] = [/^ir\/ops\//, /^ptx\/isa\//, /^diag\/catalogue\//, /^cuda\/symbols\.ts$/];

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((f) => f.endsWith(".ts"))
  .map((f) => f.split(sep).join("/"));
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
const text = (file: string) => texts.get(file) ?? "";
const layerOf = (file: string) => file.split("/")[0]!.replace(/\.ts$/, "");

interface Import {
  readonly to: string;
  /** The file and the line that it stands on. */
  readonly at: string;
}

/** Relative imports of a file, as paths below src. Type-only imports count: they are knowledge, too. */
const imports: ReadonlyMap<string, readonly Import[]> = new Map(
  files.map((file) => [
    file,
    [...text(file).matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)].map((m) => ({
      to: relative(src, join(src, dirname(file), m[1]!))
        .split(sep)
        .join("/"),
      at: `src/${file}:${text(file).slice(0, m.index).split("\n").length}`,
    })),
  ]),
);
const importsOf = (file: string): readonly string[] => imports.get(file)?.map(({ to }) => to) ?? [];

/** Imports of some files that a rule is against, each with its place. */
const against = (some: readonly string[], wrong: (file: string, to: string) => boolean): readonly string[] =>
  some.flatMap((file) => (imports.get(file) ?? []).flatMap(({ to, at }) => (wrong(file, to) ? [`${at} imports ${to}`] : [])));

function expectNoCycles(graph: ReadonlyMap<string, readonly string[]>): void {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error(`cycle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    if (done.has(file)) return;
    for (const to of graph.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const f of graph.keys()) visit(f, []);
}

describe("layers", () => {
  it("names every layer", () => {
    const unknown = files.map(layerOf).filter((l) => !(l in may) && !entries.has(l));
    expect(unknown).toEqual([]);
  });

  it("a file imports only what its layer may", () => {
    const wrong = against(
      files.filter((f) => !entries.has(layerOf(f))),
      (file, to) => layerOf(to) !== layerOf(file) && !may[layerOf(file)]?.includes(layerOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycles between files, not of types either", () => {
    expectNoCycles(new Map(files.map((f) => [f, importsOf(f)])));
  });
});

/** The emulator's floors, the lowest first: each may import those below it. What lies beside them joins them. */
const floors = ["machine", "program", "run", "watch"];

describe("the emulator's floors", () => {
  const room = files.filter((f) => f.startsWith("emulator/"));
  const floorOf = (file: string): number => floors.indexOf(file.split("/")[1]!);

  it("a file imports no floor above its own", () => {
    const own = room.filter((f) => floorOf(f) >= 0);
    expect(own.length).toBeGreaterThan(floors.length);
    const wrong = against(own, (file, to) => to.startsWith("emulator/") && (floorOf(to) < 0 || floorOf(to) > floorOf(file)));
    expect(wrong).toEqual([]);
  });
});

describe("file sizes", () => {
  it("no file has more than 500 lines", () => {
    const lengths = files.map((file) => ({ file, lines: text(file).split("\n").length }));
    const long = lengths.filter(({ file, lines }) => lines > 500 && !tables.some((t) => t.test(file)));
    expect(long.map(({ file, lines }) => `src/${file} has ${lines} lines`)).toEqual([]);
  });
});

/**
 * Who may import whom inside a room: docs/architecture.md. A floor is a folder of the room, or a file at its top. Files at the top that a
 * table leaves out join the floors: they may import any, and no floor imports them.
 */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  dsl: {
    "hooks-interface": [],
    trace: [],
    checks: ["trace"],
    numbers: ["checks", "trace"],
    math: ["numbers", "trace"],
    objects: ["numbers", "trace"],
    operators: ["objects", "math", "numbers", "trace"],
    control: ["operators", "objects", "numbers", "trace"],
    calls: ["objects", "math", "numbers", "trace", "hooks-interface"],
    hooks: ["calls", "control", "operators", "objects", "numbers", "trace", "hooks-interface"],
    tiles: ["calls", "operators", "math", "numbers", "checks", "trace"],
    memory: ["tiles", "numbers", "checks", "trace"],
    sync: ["memory", "numbers", "trace"],
    threads: ["sync", "memory", "calls", "control", "objects", "numbers", "trace"],
    copies: ["sync", "memory", "tiles", "numbers", "trace"],
    tma: ["sync", "memory", "numbers", "trace"],
    pipeline: ["threads", "sync", "numbers", "checks", "trace"],
    wgmma: ["sync", "memory", "tiles", "calls", "operators", "numbers", "trace"],
    wmma: ["memory", "calls", "numbers", "trace"],
    "tile-scheduler": ["control", "objects", "numbers", "checks", "trace"],
    ptx: ["sync", "memory", "numbers", "trace"],
    profile: ["trace"],
  },
  passes: {
    evaluate: [],
    rewrite: ["evaluate"],
    facts: ["rewrite", "evaluate"],
    checks: ["facts"],
    "tile-level": ["facts", "rewrite"],
    fold: ["facts", "rewrite", "evaluate"],
    "machine-level": ["fold", "facts", "rewrite"],
    timeline: ["facts", "rewrite", "evaluate"],
  },
};

describe.each(Object.entries(inside))("inside %s", (room, table) => {
  const own = files.filter((f) => f.startsWith(`${room}/`));
  const floorOf = (file: string): string => layerOf(file.slice(room.length + 1));
  const isInside = (to: string): boolean => to.startsWith(`${room}/`);

  it("names every folder, and nothing else than floors", () => {
    const folders = own.filter((f) => f.split("/").length > 2).map(floorOf);
    expect(folders.filter((floor) => !(floor in table))).toEqual([]);
    expect(Object.keys(table).filter((floor) => !own.some((f) => floorOf(f) === floor))).toEqual([]);
  });

  it("has an order: no floor imports one that imports it, through whatever", () => {
    expectNoCycles(new Map(Object.entries(table)));
  });

  it("a file imports only what its floor may", () => {
    const wrong = against(
      own.filter((f) => floorOf(f) in table),
      (file, to) => isInside(to) && floorOf(to) !== floorOf(file) && !table[floorOf(file)]?.includes(floorOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no cycles between files, not of types either", () => {
    expectNoCycles(new Map(own.map((f) => [f, importsOf(f).filter(isInside)])));
  });

  it("is so in docs/architecture.md", () => {
    const page = readFileSync(join(src, "../docs/architecture.md"), "utf8");
    const [, after = ""] = page.split(`### Inside ${room}\n`);
    const rows = [...(after.split(/^#/m)[0] ?? "").matchAll(/^\| ([\w-]+) \| ([^|]*) \|/gm)].filter(
      ([, floor]) => floor !== "floor",
    );
    const listed = rows.map(([, floor, may = ""]) => [floor, may === "nothing" ? [] : may.split(", ")]);
    expect(Object.fromEntries(listed)).toEqual(table);
  });
});
