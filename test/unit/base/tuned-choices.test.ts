// Choices of searches on disk: one layout, found under the version, the device and what was searched, and under nothing else.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cacheKey, openDiskCache } from "../../../src/base/disk-cache.ts";
import { packageVersion } from "../../../src/base/package-version.ts";
import { keepChoice, keptChoice } from "../../../src/base/tuned-choices.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "choices-"));
  vi.stubEnv("WARPSMITH_CACHE", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const write = (key: string, entry: unknown): void =>
  openDiskCache(folder, "tuned").put(key, new TextEncoder().encode(JSON.stringify(entry)));
const searched = { device: "a GPU", by: "matmul", of: ["a class"] };
const choice = { candidate: { tile: [128, 64] }, time: 2.5 };

it("are read as they were written, one file each", () => {
  expect(keptChoice(searched)).toBeUndefined();
  keepChoice(searched, choice);
  keepChoice({ ...searched, by: "tune" }, { candidate: 3, time: 1, ptx: "digest" });
  expect(keptChoice(searched)).toEqual(choice);
  expect(keptChoice({ ...searched, by: "tune" })).toEqual({ candidate: 3, time: 1, ptx: "digest" });
  expect(readdirSync(join(folder, "tuned")).filter((name) => !name.startsWith("."))).toHaveLength(2);
});

it.each([{ device: "another GPU" }, { by: "gatedMatmul" }, { of: ["another class"] }, { of: ["a class", ""] }])(
  "are not found for %j",
  (other) => {
    keepChoice(searched, choice);
    expect(keptChoice({ ...searched, ...other })).toBeUndefined();
  },
);

it("are not found where the cache is off", () => {
  vi.stubEnv("WARPSMITH_CACHE", "off");
  keepChoice(searched, choice);
  expect(keptChoice(searched)).toBeUndefined();
});

it("of another version of the package are ignored", () => {
  write(cacheKey(["choice 2", "0.0.0", searched.device, searched.by, ...searched.of]), choice);
  expect(keptChoice(searched)).toBeUndefined();
});

/** Before they were one, products and `tune` had a layout each, under keys without its name. */
it("of earlier layouts are ignored", () => {
  const { device, by, of } = searched;
  write(cacheKey([packageVersion(), "warpsmith/kernels", device, by, ...of]), choice.candidate);
  write(cacheKey([packageVersion(), device, ...of]), { index: 3, ptx: "digest", time: 1 });
  expect([keptChoice(searched), keptChoice({ ...searched, by: "tune" })]).toEqual([undefined, undefined]);
});

it("that hold something else are ignored", () => {
  const key = cacheKey(["choice 2", packageVersion(), searched.device, searched.by, ...searched.of]);
  for (const entry of [3, null, [], { index: 3 }, { candidate: 3 }]) {
    write(key, entry);
    expect(keptChoice(searched)).toBeUndefined();
  }
});
