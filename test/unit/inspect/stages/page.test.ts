import { describe, expect, it } from "vitest";
import { stagesPage } from "../../../../src/inspect/stages/page.ts";
import type { PageData } from "../../../../src/inspect/stages/page-data.ts";
import { hostile, kernels, sourceText } from "./sample.ts";

const page = stagesPage(kernels, sourceText);
const dataOf = (html: string): PageData =>
  JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "") as PageData;
const data = dataOf(page);

describe("the page of stages", () => {
  it("asks nobody for anything", () => {
    const own = page.replace(/<script type="application\/json".*?<\/script>/s, "");
    expect(own).not.toMatch(/https?:|\b(?:src|href)=|@import|url\(|\bfetch\b|import\(|XMLHttpRequest/);
    expect(own).toContain("default-src 'none'");
  });

  it("is whole, whatever texts it holds", () => {
    expect(page.match(/<script\b/g)?.length).toBe(2);
    expect(page.match(/<\/script>/g)?.length).toBe(2);
    expect(page.match(/<style>/g)?.length).toBe(1);
    expect(page.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
    expect(page.endsWith("</script>\n</body>\n</html>\n")).toBe(true);
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<!--");
    expect(data.kernels[0]?.title).toBe(`k(${hostile})`);
    expect(data.files.find(({ name }) => name === "k.ts")?.text).toContain(hostile);
  });

  it("has each line once, and stages as numbers of lines", () => {
    const [kernel] = data.kernels;
    const texts = (nth: number) => kernel?.stages[nth]?.lines.map((line) => kernel.lines[line]?.[0]);
    for (const [i, stage] of (kernels[0]?.stages ?? []).entries()) expect(texts(i)).toEqual(stage.lines.map(({ text }) => text));
    expect(kernel?.lines.length).toBe(new Set(kernel?.lines.map(([text, at]) => `${at} ${text}`)).size);
    expect(kernel?.stages.map(({ name, level, diff }) => [name, level, diff])).toEqual([
      ["trace", "tile", [0, 0, 25]],
      ["cse", "tile", [25]],
      ["fold", "machine", [22, 1, 0, 2]],
    ]);
  });

  it("links lines of the graph and of PTX to places", () => {
    const [kernel] = data.kernels;
    const places = (lines: readonly (readonly [string, number])[] | undefined, part: string) => {
      const at = lines?.find(([text]) => text.includes(part))?.[1] ?? -1;
      return at < 0 ? [] : data.places[at]?.map(([file, line, column]) => `${data.files[file]?.name}:${line}:${column}`);
    };
    expect(places(kernel?.lines, "= add")).toEqual(["lib.ts:1:24", "k.ts:3:5", "k.ts:2:3"]);
    expect(places(kernel?.ptx, "add.s32")).toEqual(["lib.ts:1:24"]);
    expect(places(kernel?.ptx, "sub.s32 %r3")).toEqual(["k.ts:5:9"]);
    expect(places(kernel?.ptx, "ld.param")).toEqual([]);
    expect(places(kernel?.ptx, "}")).toEqual([]);
  });

  it("a source that cannot be read is none, and so is PTX that was not reached", () => {
    expect(data.files.find(({ name }) => name === "lib.ts")).toEqual({ name: "lib.ts" });
    expect(data.kernels[1]).toMatchObject({ ptx: [], error: `W2013  No.\n${hostile}` });
    expect(data.kernels[2]).toEqual({ title: "untraced()", lines: [], stages: [], ptx: [], error: "W2001  No." });
  });
});
