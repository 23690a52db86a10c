import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { floors, rooms, tables, wings } from "./rooms.ts";

const src = join(import.meta.dirname, "../src");

const mayOf = new Map(rooms.map(({ name, may }) => [name, may]));
const mayImport = (from: string, to: string): boolean => {
  const may = mayOf.get(from) ?? [];
  return to === from || to === "base" || may === "any" || may.includes(to);
};

/** Declarative tables may be longer than 500 lines. */
const longTables: readonly RegExp[] = [/^ir\/ops\//, /^ptx\/isa\//, /(^|\/)errors(\/[\w-]+)?\.ts$/, /^cuda\/symbols\.ts$/];

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((f) => f.endsWith(".ts"))
  .map((f) => f.split(sep).join("/"));
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));
const text = (file: string) => texts.get(file) ?? "";
/** The first folder of a path, or the file that it is. */
const firstOf = (path: string): string => path.split("/")[0]!.replace(/\.ts$/, "");
/** The room that a file is in: a folder of `src`, or of one of its wings. */
function layerOf(file: string): string {
  const first = firstOf(file);
  return first in wings ? `${first}/${firstOf(file.slice(first.length + 1))}` : first;
}

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

/** What a room declares of errors: by itself in a file, or in a folder. */
const isOfErrors = (path: string): boolean => path === "errors.ts" || path === "errors/index.ts";

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

describe("rooms", () => {
  it("are all in the table, from the ground up", () => {
    expect(files.map(layerOf).filter((room) => !mayOf.has(room))).toEqual([]);
    expect(rooms.map(({ name }) => name).filter((name) => !files.some((file) => layerOf(file) === name))).toEqual([]);
    const below = new Set(["base"]);
    for (const { name, may } of rooms) {
      if (may !== "any" && name !== "tools/cli")
        expect(
          may.filter((room) => !below.has(room)),
          name,
        ).toEqual([]);
      below.add(name);
    }
  });

  it("import only what they may", () => {
    expect(against(files, (file, to) => !mayImport(layerOf(file), layerOf(to)))).toEqual([]);
  });

  /** The file or pattern that the room names as a face. */
  const faceOf = (file: string): string | undefined => {
    const room = layerOf(file);
    const path = file.slice(room.length + 1);
    const { faces = {} } = rooms.find(({ name }) => name === room) ?? {};
    if (file === `${room}.ts` || path === "index.ts") return "index.ts";
    if (isOfErrors(path)) return "errors.ts";
    return Object.keys(faces).find((face) => face === path || (face.endsWith("*.ts") && join(dirname(path), "*.ts") === face));
  };

  it("are entered by their faces", () => {
    expect(against(files, (file, to) => layerOf(to) !== layerOf(file) && faceOf(to) === undefined)).toEqual([]);
    for (const { name, faces = {} } of rooms)
      for (const face of Object.keys(faces))
        expect(
          files.filter((file) => layerOf(file) === name && faceOf(file) === face),
          `${name}/${face}`,
        ).not.toEqual([]);
  });

  it("say at the head of a face what it is", () => {
    const silent = files.filter((file) => faceOf(file) !== undefined && !text(file).trimStart().startsWith("/**"));
    expect(silent).toEqual([]);
  });

  it("are in docs/architecture.md as they are in the table", () => {
    const page = join(src, "../docs/architecture.md");
    const written = readFileSync(page, "utf8");
    const text = [...tables].reduce(
      (now, [heading, table]) =>
        now.replace(
          new RegExp(`(\\n###? ${heading}\\n(?:(?!\\||#).*\\n)*)(?:\\|.*\\n)+`),
          (_, before: string) => `${before}${table}\n`,
        ),
      written,
    );
    for (const [, table] of tables) expect(text).toContain(table);
    if (process.env.UPDATE === "1") writeFileSync(page, text);
    expect(process.env.UPDATE === "1" ? text : written).toBe(text);
  });

  it("of kernels import kernel only to tune: all others know the package by its public name", () => {
    const others = files.filter((file) => layerOf(file) === "kernels" && !file.startsWith("kernels/tune/"));
    expect(against(others, (_, to) => layerOf(to) === "kernel")).toEqual([]);
  });

  it("name ts-morph in one file", () => {
    const naming = files.filter((file) => /(from|import\() ?"ts-morph"/.test(text(file)));
    expect(naming).toEqual(["transform/typescript.ts"]);
  });

  it("has no import cycles between files, not of types either", () => {
    expectNoCycles(new Map(files.map((f) => [f, importsOf(f)])));
  });
});

describe("errors", () => {
  const declared = files
    .filter((file) => /(^|\/)errors(\/[\w-]+)?\.ts$/.test(file))
    .flatMap((file) => [...text(file).matchAll(/^ {2}(W\d{4}): \{/gm)].map(([, code]) => ({ code: code!, room: layerOf(file) })));

  it("are declared once", () => {
    expect(declared.filter(({ code }, i) => declared.findIndex((d) => d.code === code) !== i)).toEqual([]);
    expect(declared.length).toBeGreaterThan(600);
  });

  it("stand in the room that raises them, or below those that do", () => {
    const raising = new Map<string, Set<string>>();
    for (const file of files.filter((file) => !/(^|\/)errors(\/[\w-]+)?\.ts$/.test(file)))
      for (const [, code] of text(file).matchAll(/"(W\d{4})"/g)) {
        const rooms = raising.get(code!) ?? new Set();
        raising.set(code!, rooms.add(layerOf(file)));
      }
    const homeless = declared.filter(({ code, room }) => {
      const rooms = raising.get(code);
      return rooms === undefined || (rooms.size === 1 && !rooms.has(room));
    });
    expect(homeless).toEqual([]);
  });
});

describe("casts", () => {
  const cast = /\bas (never|unknown as)\b/;
  const comment = /^\s*(\/\/|\/?\*)/;
  const commentBehind = /\/[/*] /;

  it("by way of never or unknown say why, on their line or the one above", () => {
    const bare = files.flatMap((file) => {
      const lines = text(file).split("\n");
      return lines.flatMap((line, i) => {
        const says = comment.test(line) || commentBehind.test(line) || comment.test(lines[i - 1] ?? "");
        return cast.test(line) && !says ? [`src/${file}:${i + 1}: ${line.trim()}`] : [];
      });
    });
    expect(bare).toEqual([]);
  });
});

describe("file sizes", () => {
  it("no file has more than 500 lines", () => {
    const lengths = files.map((file) => ({ file, lines: text(file).split("\n").length }));
    const long = lengths.filter(({ file, lines }) => lines > 500 && !longTables.some((t) => t.test(file)));
    expect(long.map(({ file, lines }) => `src/${file} has ${lines} lines`)).toEqual([]);
  });
});

/** Floors by name, with what each may import. */
const inside = Object.entries(floors).map(
  ([room, table]) => [room, Object.fromEntries(Object.entries(table).map(([floor, [may]]) => [floor, may]))] as const,
);

describe.each(inside)("inside %s", (room, table) => {
  const own = files.filter((f) => f.startsWith(`${room}/`));
  const floorOf = (file: string): string => firstOf(file.slice(room.length + 1));
  const isInside = (to: string): boolean => to.startsWith(`${room}/`);

  it("names every folder, and nothing else than floors", () => {
    const folders = own.filter((f) => f.slice(room.length + 1).includes("/")).map(floorOf);
    expect(folders.filter((floor) => !(floor in table) && floor !== "errors")).toEqual([]);
    expect(Object.keys(table).filter((floor) => !own.some((f) => floorOf(f) === floor))).toEqual([]);
  });

  it("has an order: no floor imports one that imports it, through whatever", () => {
    expectNoCycles(new Map(Object.entries(table)));
  });

  it("a file imports only what its floor may", () => {
    const wrong = against(
      own.filter((f) => floorOf(f) in table),
      (file, to) =>
        isInside(to) && floorOf(to) !== floorOf(file) && floorOf(to) !== "errors" && !table[floorOf(file)]?.includes(floorOf(to)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no cycles between files, not of types either", () => {
    expectNoCycles(new Map(own.map((f) => [f, importsOf(f).filter(isInside)])));
  });
});
