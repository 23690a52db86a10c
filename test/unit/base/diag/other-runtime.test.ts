import { afterEach, expect, it, vi } from "vitest";
import { kernel } from "../../../../src/index.ts";

afterEach(() => void vi.unstubAllGlobals());

it.each(["Bun", "Deno"])("in %s, what would have helped in Node is not the fix", (name) => {
  vi.stubGlobal(name, {});
  // By another name than the one that the transform knows.
  const make = kernel;
  const untransformed = Object.assign((): void => {}, {});
  expect(() => make({ block: 32 }, untransformed)).toThrow(
    new RegExp(`W7507 .*${name} loads files without[\\s\\S]*fix: bundle .*esbuild`),
  );
});

it("warpsmith/register says so at once", async () => {
  vi.stubGlobal("Bun", {});
  const refused = import("../../../../src/entries/register.ts");
  await expect(refused).rejects.toThrow(/W7049 .*this is Bun[\s\S]*fix: bundle .*run what comes out with Bun/);
});
