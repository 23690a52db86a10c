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

const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]));
const anchors = new Map<string, ReadonlySet<string>>();
function hasAnchor(page: string, anchor: string): boolean {
  const of = anchors.get(page) ?? anchorsOf(texts.get(page) ?? readFileSync(join(root, page), "utf8"));
  anchors.set(page, of);
  return of.has(anchor);
}

/** Links of all pages that a rule is against, each with its page and line. */
const against = (link: RegExp, wrong: (page: string, target: string, anchor: string) => boolean): readonly string[] =>
  [...texts].flatMap(([page, text]) =>
    [...text.matchAll(link)].flatMap((found) => {
      const [whole, target = "", anchor = ""] = found;
      return wrong(page, target, anchor) ? [`${page}:${text.slice(0, found.index).split("\n").length} ${whole}`] : [];
    }),
  );

const isElsewhere = (target: string): boolean => /^[a-z]+:/.test(target);

it("every link of a page leads to a file", () => {
  expect(pages.length).toBeGreaterThan(100);
  const lost = against(
    /\]\(([^)#\s]+)/g,
    (page, target) => !isElsewhere(target) && !existsSync(join(root, dirname(page), target)),
  );
  expect(lost).toEqual([]);
});

it("every link into a page leads to a heading", () => {
  const lost = against(/\]\(([^)#\s]*)#([^)\s]+)\)/g, (page, target, anchor) => {
    if (target !== "" && (isElsewhere(target) || !target.endsWith(".md"))) return false;
    const file = target === "" ? page : join(dirname(page), target);
    return existsSync(join(root, file)) && !hasAnchor(file, anchor);
  });
  expect(lost).toEqual([]);
});
