import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformWithOxc } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheKey, openDiskCache } from "../../../src/runtime/disk-cache.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "warpsmith-test-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const files = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile())
    .map((f) => join(f.parentPath, f.name));

describe("disk cache", () => {
  it("keeps bytes by key", () => {
    const cache = openDiskCache(join(directory, "plain"));
    const key = cacheKey(["a", "b"]);
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, Uint8Array.of(1, 2, 3));
    expect(cache.get(key)).toEqual(Uint8Array.of(1, 2, 3));
    expect(openDiskCache(join(directory, "plain")).get(key)).toEqual(Uint8Array.of(1, 2, 3));
    expect(cache.get(cacheKey(["ab"]))).toBeUndefined();
  });

  it("tells parts from their concatenation", () => {
    expect(cacheKey(["ab", "c"])).not.toBe(cacheKey(["a", "bc"]));
    expect(cacheKey(["a"])).not.toBe(cacheKey(["a", ""]));
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["cut short", (b) => b.subarray(0, -1)],
    ["empty", () => Buffer.alloc(0)],
    ["with a bit turned", (b) => Buffer.concat([b.subarray(0, -1), Buffer.of((b.at(-1) ?? 0) ^ 1)])],
    ["of another kind", (b) => Buffer.concat([Buffer.of(0), b.subarray(1)])],
  ])("takes an entry %s as missing, and replaces it", (name, damage) => {
    const path = join(directory, name);
    const cache = openDiskCache(path);
    const key = cacheKey([name]);
    cache.put(key, Uint8Array.of(1, 2, 3));
    const [file = ""] = files(path);
    writeFileSync(file, damage(readFileSync(file)));
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, Uint8Array.of(4));
    expect(cache.get(key)).toEqual(Uint8Array.of(4));
  });

  it("does nothing without a directory, or with one that cannot be used", () => {
    const blocked = join(directory, "file");
    writeFileSync(blocked, "");
    for (const cache of [openDiskCache(undefined), openDiskCache(blocked)]) {
      cache.put("00ff", Uint8Array.of(1));
      expect(cache.get("00ff")).toBeUndefined();
    }
  });

  it("is safe when processes write the same entries at once", async () => {
    const source = join(import.meta.dirname, "../../../src/runtime/disk-cache.ts");
    const { code } = await transformWithOxc(readFileSync(source, "utf8"), source);
    const shared = join(directory, "shared");
    const script = join(directory, "racer.mjs");
    writeFileSync(
      script,
      `${code}
      const cache = openDiskCache(${JSON.stringify(shared)});
      let wrong = 0, hits = 0;
      for (let i = 0; i < 60; i++) {
        const key = cacheKey([String(i % 3)]);
        const found = cache.get(key);
        if (found) { hits++; if (found.length !== 50000 || found.some((b) => b !== i % 3)) wrong++; }
        cache.put(key, new Uint8Array(50000).fill(i % 3));
      }
      process.stdout.write(JSON.stringify({ wrong, hits }));`,
    );
    const results = await Promise.all(Array.from({ length: 3 }, () => run(script)));
    for (const { wrong, hits } of results) {
      expect(wrong).toBe(0);
      expect(hits).toBeGreaterThan(50);
    }
    expect(files(shared).length).toBe(3);
  });
});

function run(script: string): Promise<{ wrong: number; hits: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", () => resolve(JSON.parse(text)));
  });
}
