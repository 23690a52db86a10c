import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stagesPage } from "../../../../src/inspect/stages/page.ts";
import { Browser, findBrowser } from "./browser.ts";
import { hostile, kernels, sourceText, withChecks } from "./sample.ts";

const path = findBrowser();
if (path === undefined)
  console.warn("the page of stages is not opened: no Chromium on the path, and WARPSMITH_TEST_BROWSER names none");

const page = stagesPage(kernels, sourceText);

/** What scripts need to look at the page and to use it. */
const helpers = `
  const byId = (id) => document.getElementById(id);
  const rows = (column, kind) => [...document.querySelectorAll("#" + column + " .row" + (kind ? "." + kind : ""))]
    .filter((row) => row.style.display !== "none").map((row) => row.querySelector(".code")?.textContent ?? row.textContent);
  const find = (column, part) => [...document.querySelectorAll("#" + column + " .row")].find((row) => row.textContent.includes(part));
  const press = (key, on = document.body) => on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const current = () => document.querySelector("nav [aria-current=true]").textContent;
  const last = () => { for (let i = 0; i < 9; i++) press("ArrowRight"); };
  const chooseKernel = (i) => { byId("kernels").selectedIndex = i; byId("kernels").dispatchEvent(new Event("change")); };
`;

describe.skipIf(path === undefined)("the page of stages in a browser", () => {
  let browser: Browser;
  const run = (script: string): Promise<unknown> => browser.run(helpers + script);
  beforeAll(async () => {
    browser = await Browser.open(path ?? "");
  });
  beforeEach(() => browser.show(page));
  afterAll(() => browser?.close());

  it("begins at the first stage of the first kernel, with the texts as they are", async () => {
    const seen = await run(`return {
      title: byId("kernels").selectedOptions[0].textContent, kernels: byId("kernels").length, current: current(),
      levels: [...document.querySelectorAll("nav .level")].map((e) => e.textContent),
      source: rows("source"), missing: byId("source").textContent.includes("could not be read"), document: document.title,
      images: document.images.length, wide: document.documentElement.scrollWidth <= innerWidth,
    };`);
    expect(seen).toEqual({
      title: `k(${hostile})`,
      kernels: 3,
      current: "trace",
      levels: ["tile", "machine"],
      source: (sourceText("k.ts") ?? "").split("\n"),
      missing: true,
      document: "Stages of compilation",
      images: 0,
      wide: true,
    });
  });

  it("steps through stages; what is far from a change is folded, and a click unfolds it", async () => {
    const seen = await run(`
      last();
      const folded = rows("graph").length, removed = rows("graph", "remove"), fold = document.querySelector(".fold");
      const told = fold.textContent; fold.click();
      const open = rows("graph").length;
      press("d"); const all = [rows("graph").length, rows("graph", "remove").length]; press("d");
      press("ArrowLeft"); const same = [current(), rows("graph").length];
      press("ArrowLeft"); press("ArrowLeft"); const first = current();
      last(); const end = current();
      return { folded, removed, told, open, all, same, first, last: end };
    `);
    expect(seen).toEqual({
      folded: 7,
      removed: ["  %2 = mul %1, %1 : i32"],
      told: "⋯ 19 lines",
      open: 25,
      all: [24, 0],
      same: ["cse", 25],
      first: "trace",
      last: "fold−1",
    });
  });

  it("an op lights the author's line, the calls on the way in and its PTX", async () => {
    const seen = await run(`
      last(); find("graph", "= add").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      const hovered = rows("ptx", "on"), near = rows("source", "near");
      byId("graph").dispatchEvent(new MouseEvent("mouseleave")); const left = rows("ptx", "on");
      find("graph", "%5 = sub").click();
      const chosen = { source: rows("source", "on"), mark: document.querySelector("#source mark").textContent, ptx: rows("ptx", "on"), near: rows("ptx", "near") };
      press("Escape"); const free = rows("source", "on");
      return { hovered, near, left, chosen, free };
    `);
    expect(seen).toEqual({
      hovered: ["  .loc 1 1 24", "  add.s32 %r1, %r0, %r0;"],
      near: ["function k(n: i32) {", "  lib(n);"],
      left: [],
      chosen: {
        source: ["  n - 1;"],
        mark: "n - 1",
        ptx: ["  .loc 2 5 3", "  sub.s32 %r2, %r1, %r0;"],
        near: ["  .loc 2 5 9", "  sub.s32 %r3, %r1, %r0;"],
      },
      free: [],
    });
  });

  it("the author's line and a line of PTX light what came of them", async () => {
    const seen = await run(`
      last(); find("source", "lib(n)").click(); const call = { on: rows("graph", "on").length, near: rows("graph", "near") }; press("Escape");
      find("source", "n - 1").click(); const line = [rows("graph", "on").length, rows("ptx", "on").length]; press("Escape");
      find("ptx", "add.s32").click(); const ptx = rows("graph", "on"); press("Escape");
      return { call, line, ptx };
    `);
    expect(seen).toEqual({
      call: { on: 0, near: ["  %1 = add %0, %0 : i32"] },
      line: [20, 4],
      ptx: ["  %1 = add %0, %0 : i32"],
    });
  });

  it("/ searches, and opens folds", async () => {
    const seen = await run(`
      last(); press("/"); const focused = document.activeElement === byId("search");
      byId("search").value = "%12 = SUB"; byId("search").dispatchEvent(new Event("input"));
      const one = [byId("found").textContent, rows("graph", "hit"), document.querySelector(".fold")];
      byId("search").value = "sub"; byId("search").dispatchEvent(new Event("input"));
      press("Enter", byId("search")); const next = byId("found").textContent;
      press("Escape", byId("search")); return { focused, one, next, after: [byId("found").textContent, rows("graph", "hit").length] };
    `);
    expect(seen).toEqual({
      focused: true,
      one: ["1 of 1", ["  %12 = sub %1, %0 : i32"], null],
      next: "2 of 22",
      after: ["", 0],
    });
  });

  it("a kernel that was refused shows the error, and the stages before it", async () => {
    const seen = await run(`
      chooseKernel(1); const refused = [current(), byId("graph").textContent, byId("ptx").textContent];
      press("ArrowLeft"); const before = [current(), rows("graph").length];
      chooseKernel(2); return { refused, before, untraced: [current(), rows("source").length] };
    `);
    expect(seen).toEqual({
      refused: ["error", expect.stringContaining(`W2013  No.\n${hostile}`), expect.stringContaining("did not get this far")],
      before: ["cse", 25],
      untraced: ["error", 0],
    });
  });

  it("words have colours, and marks keep them", async () => {
    const seen = await run(`
      const words = (column, kind) => [...document.querySelectorAll("#" + column + " .code ." + kind)].map((e) => e.textContent);
      const source = words("source", "word"), ops = words("graph", "word").slice(0, 3), ptx = words("ptx", "word").slice(-3);
      last(); find("graph", "%5 = sub").click(); const inMark = [...document.querySelectorAll("#source mark .figure")].map((e) => e.textContent);
      return { source: source.includes("function"), ops, ptx, values: words("graph", "name").includes("%1"), inMark };
    `);
    expect(seen).toEqual({
      source: true,
      ops: ["kernel", "add", "sub"],
      ptx: ["sub.s32", ".file", ".file"],
      values: true,
      inMark: ["1"],
    });
  });

  it("checks are a mark on the row before them, which shows them; so does a search", async () => {
    await browser.show(stagesPage([withChecks], sourceText));
    const seen = await run(`
      const folded = rows("graph").filter((text) => text.includes("check")).length;
      const badges = [...document.querySelectorAll(".checks")].map((e) => e.parentElement.querySelector(".code").textContent.trim() + " " + e.textContent);
      document.querySelector(".checks").click(); const open = rows("graph").filter((text) => text.includes("check")).length;
      press("ArrowRight"); press("ArrowLeft");
      byId("search").value = "check.exact"; byId("search").dispatchEvent(new Event("input"));
      return { folded, badges, open, found: rows("graph").filter((text) => text.includes("check")).length };
    `);
    expect(seen).toEqual({ folded: 0, badges: ["%1 = add %0, %0 : i32 ✓ 2"], open: 2, found: 2 });
  });

  it("throws nothing, and asks for nothing but itself", () => {
    expect(browser.faults).toEqual([]);
    expect(browser.requests.filter((url) => !/^file:.*\/page\.html$/.test(url))).toEqual([]);
    expect(browser.requests.length).toBeGreaterThan(0);
  });
});
