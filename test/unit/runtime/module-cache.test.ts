import { describe, expect, it } from "vitest";
import type { LoadedModule, ModuleOptions } from "../../../src/runtime/index.ts";
import { createModuleCache } from "../../../src/runtime/module-cache.ts";
import { collectUntil } from "../../support/collect-garbage.ts";

const options: ModuleOptions = { entry: "k", kernel: "k", parameterBytes: [8], dynamicSharedBytes: 0 };

/** A cache, and the PTX of what it has loaded and unloaded. */
function cacheOf() {
  const [loaded, unloaded]: [string[], string[]] = [[], []];
  const unloading = (ptx: string) => () => void unloaded.push(ptx);
  const cache = createModuleCache((ptx) => {
    loaded.push(ptx);
    return { module: { kernel: ptx } as LoadedModule, unload: unloading(ptx) };
  });
  return { cache, loaded, unloaded };
}

describe("the modules of a device", () => {
  it("are loaded once as long as somebody has them, unloaded when nobody does, and then loaded again", async () => {
    const { cache, loaded, unloaded } = cacheOf();
    const kept = cache.load("kept", options);
    for (let i = 0; i < 3; i++) cache.load("dropped", options);
    await collectUntil(() => unloaded.length > 0);
    expect(unloaded).toEqual(["dropped"]);
    expect(cache.load("kept", { ...options })).toBe(kept);
    cache.load("dropped", options);
    expect(loaded).toEqual(["kept", "dropped", "dropped"]);
  });

  it("of the same PTX are one for a kernel and another for a program of loops, whose errors have other words", () => {
    const { cache } = cacheOf();
    const ofKernel = cache.load("same", options);
    expect(cache.load("same", { ...options, ofLoops: true })).not.toBe(ofKernel);
    expect(cache.load("same", { ...options, ofLoops: false })).toBe(ofKernel);
  });

  it("are each unloaded once, by whatever comes first", async () => {
    const { cache, unloaded } = cacheOf();
    const kept = cache.load("kept", options);
    cache.load("dropped", options);
    await collectUntil(() => unloaded.length > 0);
    cache.clear();
    cache.clear();
    expect(unloaded).toEqual(["dropped", "kept"]);
    expect(cache.load("kept", options)).not.toBe(kept);
  });
});
