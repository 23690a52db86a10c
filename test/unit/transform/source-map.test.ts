import { SourceMap } from "node:module";
import { expect, test } from "vitest";
import { transformSource } from "../../../src/transform/index.ts";

const source = `#!/usr/bin/env node
import { kernel } from "warpsmith";
enum Level { Low }

// the kernel
export const k = kernel({}, (first: number, second: number) => {
  if (first > second) return;
  const third = first + second; // sum
  for (let i = 0; i < third; i++) {
    second += third;
  }
  throw new Error("here");
});
export const after = Level.Low;
`;

/** Where each occurrence of a text in the output comes from. */
function origins(emit: "js" | "ts", text: string): readonly string[] {
  const { code, map } = transformSource(source, { fileName: "/project/main.ts", emit });
  const table = new SourceMap(JSON.parse(map ?? "{}"));
  return code.split("\n").flatMap((line, row) =>
    [...line.matchAll(new RegExp(text, "g"))].map((match) => {
      const entry = table.findEntry(row, match.index) as { originalLine: number; originalColumn: number };
      return `${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    }),
  );
}

test.each(["js", "ts"] as const)("%s: copied and generated code map to the author's line and column", (emit) => {
  expect(origins(emit, "third = ")).toEqual(["8:9"]);
  expect(origins(emit, "\\$\\.raise")).toEqual(["12:3"]);
  expect(origins(emit, "\\$\\.make")).toEqual(["12:9"]);
  expect(origins(emit, "second = \\$")).toEqual(["10:5"]);
  expect(origins(emit, "\\$\\.loop")).toEqual(["9:3"]);
  expect(origins(emit, "after = ")).toEqual(["14:14"]);
});

test("the map names the file and holds its text", () => {
  const { map } = transformSource(source, { fileName: "/project/main.ts" });
  const { sources, sourcesContent } = JSON.parse(map ?? "{}") as { sources: string[]; sourcesContent: string[] };
  expect(sources).toEqual(["/project/main.ts"]);
  expect(sourcesContent).toEqual([source]);
});

test("the spans given to the hooks are the author's places", () => {
  const { code } = transformSource(source, { fileName: "/project/main.ts", displayName: "main.ts" });
  const [, file, list] = /\{ file: "(.*?)", spans: \[(.*?)\] \}/.exec(code) ?? [];
  expect(file).toBe("main.ts");
  const spans = (list ?? "").split(", ").map(Number);
  const lines = source.split("\n");
  const shown = (at: number) => lines[(spans[at * 3] ?? 0) - 1]?.slice((spans[at * 3 + 1] ?? 0) - 1).slice(0, spans[at * 3 + 2]);
  const span = (hook: RegExp) => shown(Number(hook.exec(code)?.[1]));
  expect(span(/\$\.bin\((\d+), ">"/)).toBe("first > second");
  expect(span(/\$\.loop\((\d+)/)).toBe("for (let i = 0; i < third; i++)");
  expect(span(/\$\.make\((\d+)/)).toBe(`new Error("here")`);
  expect(span(/names: \["second", "i"\], at: \[(\d+)/)).toBe("second");
});
