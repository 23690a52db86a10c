import { describe, expect, it } from "vitest";
import type { LoadedModule, ModuleOptions } from "../../../src/runtime/index.ts";
import { createModuleCache } from "../../../src/runtime/module-cache.ts";

const options: ModuleOptions = { entry: "k", kernel: "k", parameterBytes: [8], dynamicSharedBytes: 0 };

describe("the modules of a device", () => {
  it("of the same PTX are one for a kernel and another for a program of loops, whose errors have other words", () => {
    const cache = createModuleCache((ptx) => ({ module: { kernel: ptx } as LoadedModule, unload: () => {} }));
    const ofKernel = cache.load("same", options);
    expect(cache.load("same", { ...options, ofLoops: true })).not.toBe(ofKernel);
    expect(cache.load("same", { ...options, ofLoops: false })).toBe(ofKernel);
  });
});
