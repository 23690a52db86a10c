import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profilePage } from "../../../../src/inspect/profile/page.ts";
import { Browser, findBrowser } from "../stages/browser.ts";
import { hostile, large, sample, textOf } from "./sample.ts";

const path = findBrowser();
if (path === undefined)
  console.warn("the page of profiles is not opened: no Chromium on the path, and WARPSMITH_TEST_BROWSER names none");

/** What scripts need to use the page. */
const tools = `
  const canvas = document.querySelector("#timeline canvas");
  const at = (type, x, y, more) => canvas.dispatchEvent(new (type === "wheel" ? WheelEvent : PointerEvent)(type, { clientX: x + canvas.getBoundingClientRect().left, clientY: y + canvas.getBoundingClientRect().top, bubbles: true, cancelable: true, pointerId: 1, ...more }));
  const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const text = (id) => document.getElementById(id).innerText;
  canvas.setPointerCapture = () => {};
`;

describe.skipIf(path === undefined)("the page of profiles in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.open(path ?? "");
    await browser.show(profilePage([sample, { ...sample, kernel: "second" }], textOf));
  });
  afterAll(() => browser.close());
  const run = (script: string) => browser.run(`${tools}${script}`);
  const painted = () => new Promise((resolve) => setTimeout(resolve, 100));

  it("says what was launched, what there is, who is idle, what is waited for", async () => {
    expect(await run(`return document.getElementById("launches").selectedOptions[0].text`)).toBe(`1. k${hostile} [1, 1, 1]`);
    expect(await run(`return text("about")`)).toMatch(
      /NVIDIA H200 · grid 1 × 1 × 1 .* 1 µs .*3 spans had no room · 1 ends of marks .* · 1 of 4 blocks were recorded: the first ones$/,
    );
    expect(await run(`return text("legend")`)).toMatch(/code 2\s*wait 3\s*load 2/);
    expect(await run(`return text("roles")`)).toMatch(/consumer[\s\S]*1\s*1 µs\s*50.0 %[\s\S]*producer[\s\S]*12.5 %/);
    expect(await run(`return text("work")`)).toMatch(/The longest waits[\s\S]*full\[0\]\s[\s\S]*and 1 more\s*400 ns/);
    expect(await run(`return text("waits")`)).toMatch(/full\[0\]\s*k.ts:2 +two\(x\);\s*consumer\s*2\s*500 ns/);
  });

  it("shows a span under the pointer with the author's line, and keeps the one that is clicked", async () => {
    await run(`at("pointermove", 300, 55)`);
    await painted();
    expect(await run(`return document.getElementById("hover").hidden`)).toBe(false);
    const hovered = (await run(`return text("hover")`)) as string;
    expect(hovered).toMatch(/SM 17 · block \(0, 0, 0\) · warp 0 · producer/);
    expect(hovered).toContain("/home/a/k.ts:1:3");
    await run(`at("pointerdown", 300, 55); at("pointerup", 300, 55)`);
    expect(await run(`return text("chosen")`)).toContain("k.ts:1:3");
    await run(`key("Escape")`);
    expect(await run(`return text("chosen")`)).toContain("zoom");
  });

  it("goes through the longest waits, zooms and moves by keys, wheel and drag", async () => {
    const before = await browser.picture();
    await run(`key("w")`);
    await painted();
    expect(await run(`return text("chosen")`)).toMatch(/waits for full\[0\], phase 0 · 400 ns/);
    const zoomed = await browser.picture();
    expect(zoomed.equals(before)).toBe(false);
    await run(`key("Escape"); key("0"); at("pointerleave", 0, 0)`);
    await painted();
    const whole = await browser.picture();
    for (const act of [`at("wheel", 600, 60, { deltaY: -200 })`, `key("+")`, `key("ArrowRight")`]) {
      const last = await browser.picture();
      await run(act);
      await painted();
      expect((await browser.picture()).equals(last), act).toBe(false);
    }
    await run(`key("0"); at("pointerleave", 0, 0)`);
    await painted();
    expect((await browser.picture()).equals(whole)).toBe(true);
  });

  it("hides a kind, and shows another launch", async () => {
    await run(`[...document.querySelectorAll("#legend button")].find((b) => b.innerText.startsWith("wait")).click()`);
    await run(`at("pointermove", 400, 80)`);
    expect(await run(`return document.querySelector("#legend button[aria-pressed=false]").innerText`)).toMatch(/^wait/);
    await run(`const s = document.getElementById("launches"); s.value = "1"; s.dispatchEvent(new Event("change"))`);
    expect(await run(`return document.getElementById("launches").selectedOptions[0].text`)).toBe("2. second [1, 1, 1]");
  });

  it("draws no more of a hundred thousand spans than there is room for", async () => {
    await browser.show(profilePage([large(100_000)], textOf));
    await painted();
    const [most, draws] = (await run(`
      let [most, draws, drawn] = [0, 0, 0];
      const [ownFrame, ownFill] = [window.requestAnimationFrame, CanvasRenderingContext2D.prototype.fillRect];
      CanvasRenderingContext2D.prototype.fillRect = function (...box) { drawn++; return ownFill.apply(this, box); };
      window.requestAnimationFrame = (draw) => { drawn = 0; draw(); draws++; most = Math.max(most, drawn); return 0; };
      for (let i = 0; i < 30; i++) at("wheel", 700, 100, { deltaY: -60 });
      for (let i = 0; i < 30; i++) key("ArrowDown");
      key("0");
      window.requestAnimationFrame = ownFrame;
      CanvasRenderingContext2D.prototype.fillRect = ownFill;
      return [most, draws];
    `)) as [number, number];
    expect(draws).toBeGreaterThan(30);
    expect(most).toBeLessThan(5_000);
  });

  it("asks the network for nothing, and nothing goes wrong in it", () => {
    expect(browser.requests.filter((url) => !/^file:.*\/page\.html$/.test(url))).toEqual([]);
    expect(browser.faults).toEqual([]);
  });
});
