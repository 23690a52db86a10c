import { createContext, runInContext } from "node:vm";
import { build } from "vite";
import { beforeAll, describe, expect, it } from "vitest";
import { EmulatorDevice } from "../../src/emulator/index.ts";
import { RuntimeDevice } from "../../src/runtime/device.ts";
import { allFacts, type Fact, runFact } from "../cases/ptx/index.ts";
import type * as entry from "./entry.ts";

/** One script for a browser; it fails to be made where something of Node is imported. */
async function bundle(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "error",
    // A script has none; the modules of a page have an address.
    define: { "import.meta.url": '"https://page.test/emulator.js"' },
    build: {
      write: false,
      minify: false,
      target: "es2022",
      lib: { entry: new URL("entry.ts", import.meta.url).pathname, formats: ["iife"], name: "page" },
    },
  });
  const [result] = Array.isArray(made) ? made : [made];
  if (!result || !("output" in result)) throw new Error("nothing was bundled");
  return result.output.map((file) => ("code" in file ? file.code : "")).join("\n");
}

/** A realm with what ECMAScript and WebAssembly have, and the few things of the web that the emulator takes. `strings`: whether it lets strings become code. */
function open(code: string, strings: boolean): typeof entry {
  const realm = createContext({ setTimeout, performance, TextDecoder }, { codeGeneration: { strings, wasm: true } });
  return runInContext(`${code}\npage`, realm) as typeof entry;
}

let code = "";
beforeAll(async () => {
  code = await bundle();
}, 60_000);

const groups = ["mbarrier/", "warp/match", "reduce/bulk-add", "tensor/bits", "tensor/narrow-64B", "descriptor/plain"];
const some = allFacts.filter((f) => groups.some((part) => f.name.startsWith(part)));

describe("in a page", () => {
  it("has nothing of Node", () => {
    expect(code).not.toMatch(/\bfrom ?["']node:|require\(["']|import\(["']/);
  });

  it("runs kernels with the same results", async () => {
    const page = open(code, true);
    const there = new page.RuntimeDevice(new page.EmulatorDevice());
    const here = new RuntimeDevice(new EmulatorDevice());
    for (const fact of some) {
      const twin = page.allFacts.find((f) => f.name === fact.name) as Fact;
      expect([...(await page.runFact(there, twin))], fact.name).toEqual([...(await runFact(here, fact))]);
    }
    expect(some.length).toBeGreaterThan(20);
    await there.dispose();
    await here.dispose();
  });

  it("says so where the page forbids code from strings", async () => {
    const page = open(code, false);
    const device = new page.RuntimeDevice(new page.EmulatorDevice());
    const [fact] = page.allFacts;
    await expect(page.runFact(device, fact as Fact)).rejects.toMatchObject({ code: "W9007" });
  });
});
