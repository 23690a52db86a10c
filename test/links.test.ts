import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: folder !== ".", encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file));
const pages = [".", "docs", "examples", "bench", "test"].flatMap(pagesIn);

/** The headings of a page as links name them: GitHub's rule. The second one of a name has -1 behind it. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const headings = text.replace(/^ *(`{3,})[\s\S]*?^ *\1$/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) => {
      const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
      const name = words.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
}

const anchors = new Map<string, ReadonlySet<string>>();
function hasAnchor(page: string, anchor: string): boolean {
  const of = anchors.get(page) ?? anchorsOf(readFileSync(join(root, page), "utf8"));
  anchors.set(page, of);
  return of.has(anchor);
}

it.each(pages)("every link of %s leads to a file", (page) => {
  const targets = [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => target);
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

it.each(pages)("every link of %s into a page leads to a heading", (page) => {
  const targets = [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)];
  const own = targets.filter(([, target = ""]) => target === "" || (target.endsWith(".md") && !/^[a-z]+:/.test(target)));
  const lost = own.filter(([, target = "", anchor = ""]) => {
    const file = target === "" ? page : join(dirname(page), target);
    return existsSync(join(root, file)) && !hasAnchor(file, anchor);
  });
  expect(lost.map(([link]) => link)).toEqual([]);
});
