import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anchorOf, apiPages } from "./api-pages.ts";
import { type ApiName, publicApi } from "./public-api.ts";

const docs = join(import.meta.dirname, "../../docs");
const api = publicApi();
const pages = apiPages(api);

it("docs/api is what the doc comments say; `npm run docs:api` renews it", () => {
  expect(readdirSync(join(docs, "api")).toSorted()).toEqual([...pages.keys()].toSorted());
  for (const [file, text] of pages) expect(readFileSync(join(docs, "api", file), "utf8"), file).toBe(text);
});

/** The anchors of a page, in their order. */
const anchors = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

it("no two headings of a page have one anchor", () => {
  for (const [file, text] of pages) {
    const all = anchors(text);
    expect({ file, twice: all.filter((a, i) => all.indexOf(a) !== i) }).toEqual({ file, twice: [] });
  }
});

it("every link leads to a heading", () => {
  const errors = readFileSync(join(docs, "errors.md"), "utf8");
  const targets = new Map([...pages].map(([file, text]) => [file, new Set(anchors(text))]));
  targets.set("../errors.md", new Set(anchors(errors)));
  const dead = [...pages].flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([^)#\s]+)#([^)\s]+)\)/g)]
      .filter(([, page = "", anchor = ""]) => !targets.get(page)?.has(anchor))
      .map(([link]) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});

/** A name and all names below it. */
const withMembers = (name: ApiName): readonly ApiName[] => [name, ...name.members.flatMap(withMembers)];

it("every exported name, every member of one and every option has a doc comment", () => {
  const all = Object.values(api.exports).flat().flatMap(withMembers);
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter((name) => name.doc === "").map((name) => name.path)).toEqual([]);
}, 60_000);

it("an editor shows them at the place of use", () => {
  const uses = ["warp.ballot", "fast.exp2", "warpgroup.sync", "gridDependency.wait", "cluster.map", "range", "f32", "logical.or"];
  const names = [...new Set(uses.map((use) => use.split(".")[0]))];
  const shown = api.hover(`import { ${names.join(", ")} } from "warpsmith";\n${uses.map((use) => `${use};\n`).join("")}`, uses);
  expect(uses.filter((_, i) => shown[i] === "")).toEqual([]);
  expect(shown[0]).toContain("__ballot_sync");
}, 60_000);

/** Pages that authors of kernels read. docs/cuda.md names what CUDA has; its own lines are compiled. */
const forAuthors = ["language", "emulator", "checks", "kernels", "emulate", "ptx", "arrays", "build"].map((name) => ({
  name,
  text: readFileSync(join(docs, `${name}.md`), "utf8"),
}));
const exported = new Map(Object.values(api.exports).flatMap((names) => names.map((name) => [name.path, name] as const)));
const hasMember = (name: string, member: string): boolean =>
  exported.get(name)?.members.some((m) => m.path === `${name}.${member}`) ?? false;

/** `warp.ballot` and `new TMA(` in code that stands in a sentence, by page. */
const mentions = (pattern: RegExp, text: string): readonly RegExpMatchArray[] =>
  [...text.replace(/```[\s\S]*?```|<!--[\s\S]*?-->/g, "").matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => [
    ...code.matchAll(pattern),
  ]);

it("sentences name members and classes that there are", () => {
  const wrong = forAuthors.flatMap(({ name, text }) => {
    const [there = "", notYet = ""] = text.split(/^## Not there yet$/m);
    const members = /(?<![\w./-])([A-Za-z]\w*)\.([a-z]\w*)(?![\w.])/g;
    const isWrong = ([, of = "", member = ""]: RegExpMatchArray): boolean =>
      (exported.get(of)?.members.length ?? 0) > 0 && !hasMember(of, member);
    return [
      ...mentions(members, there).filter(isWrong),
      ...mentions(/\bnew ([A-Z]\w*)\(/g, there).filter(([, made = ""]) => !exported.has(made) && !(made in globalThis)),
      // What is said to be missing is missing.
      ...mentions(members, notYet).filter(([, of = "", member = ""]) => hasMember(of, member)),
      ...mentions(/^(\w+)$/g, notYet).filter(([, only = ""]) => exported.has(only)),
    ].map(([found]) => `docs/${name}.md: ${found}`);
  });
  expect(wrong).toEqual([]);
});
