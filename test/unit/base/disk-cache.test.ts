import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformWithOxc } from "vite";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cacheKey, type DiskCache, type DiskCacheOptions, openDiskCache } from "../../../src/base/disk-cache.ts";
import { rotating } from "../../support/amount.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "warpsmith-test-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

/** A cache, and what it has said. */
function watched(path: string, options: DiskCacheOptions = {}): { cache: DiskCache; said: string[] } {
  const said: string[] = [];
  return { cache: openDiskCache(path, "things", { warn: (message) => void said.push(message), ...options }), said };
}

const files = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile() && !f.name.startsWith("."))
    .map((f) => join(f.parentPath, f.name));

describe("disk cache", () => {
  it("keeps bytes by key", () => {
    const cache = openDiskCache(join(directory, "plain"), "things");
    const key = cacheKey(["a", "b"]);
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, Uint8Array.of(1, 2, 3));
    expect(cache.get(key)).toEqual(Uint8Array.of(1, 2, 3));
    expect(openDiskCache(join(directory, "plain"), "things").get(key)).toEqual(Uint8Array.of(1, 2, 3));
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
    const cache = openDiskCache(path, "things");
    const key = cacheKey([name]);
    cache.put(key, Uint8Array.of(1, 2, 3));
    const [file = ""] = files(path);
    writeFileSync(file, damage(readFileSync(file)));
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, Uint8Array.of(4));
    expect(cache.get(key)).toEqual(Uint8Array.of(4));
  });

  it("does nothing without a directory", () => {
    const cache = openDiskCache(undefined, "things");
    cache.put("00ff", Uint8Array.of(1));
    expect(cache.get("00ff")).toBeUndefined();
  });

  const unusable: Readonly<Record<string, () => string>> = {
    "a file": () => {
      const path = join(directory, "file");
      writeFileSync(path, "");
      return path;
    },
    "below a file": () => join(unusable["a file"]?.() ?? "", "below"),
    "a loop of links": () => {
      const [one, two] = [join(directory, "one"), join(directory, "two")];
      symlinkSync(one, two);
      symlinkSync(two, one);
      return one;
    },
    "a link to nowhere": () => {
      const path = join(directory, "link");
      symlinkSync(join(directory, "nowhere", "else"), path);
      return path;
    },
    "a name too long": () => join(directory, "x".repeat(300)),
    "a folder that another user's would be": () => {
      const path = join(directory, "other");
      mkdirSync(path, { mode: 0o700 });
      vi.spyOn(process, "geteuid").mockReturnValue(statSync(path).uid + 1);
      return path;
    },
    "a folder that others may write": () => {
      const path = join(directory, "open");
      mkdirSync(path);
      chmodSync(path, 0o777);
      return path;
    },
    "a folder whose group may write the entries": () => {
      const path = join(directory, "group");
      mkdirSync(join(path, "things"), { recursive: true, mode: 0o700 });
      chmodSync(join(path, "things"), 0o770);
      return path;
    },
  };

  it.each(Object.keys(unusable))("goes on without %s, with one warning that says what to do", (name) => {
    const path = unusable[name]?.() ?? "";
    const { cache, said } = watched(path);
    for (const key of ["00ff", "11ff"]) {
      cache.put(key, Uint8Array.of(1));
      expect(cache.get(key)).toBeUndefined();
    }
    expect(said).toEqual([expect.stringContaining(path)]);
    expect(said[0]).toMatch(/goes on without it[\s\S]*WARPSMITH_CACHE/);
  });

  it("warns once in a process, whatever number of caches has a reason", () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    for (const name of ["a file again", "and again"]) {
      const path = join(directory, name);
      writeFileSync(path, "");
      openDiskCache(path, "things").put("00ff", Uint8Array.of(1));
    }
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("goes on reading where nothing more can be written", () => {
    const path = join(directory, "full");
    const { cache, said } = watched(path);
    cache.put("00ff", Uint8Array.of(1));
    // A folder in the place of the entry: the new one cannot be renamed onto it.
    mkdirSync(join(path, "things", "11ff"));
    cache.put("11ff", Uint8Array.of(2));
    cache.put("22ff", Uint8Array.of(3));
    expect([cache.get("00ff"), cache.get("22ff")]).toEqual([Uint8Array.of(1), undefined]);
    expect(said).toEqual([expect.stringContaining("cannot be written")]);
    expect(files(path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("makes folders and entries that nobody else may use", () => {
    const path = join(directory, "modes");
    const { cache, said } = watched(path);
    cache.put("00ff", Uint8Array.of(1));
    for (const name of [path, join(path, "things"), ...files(path)]) expect(statSync(name).mode & 0o077, name).toBe(0);
    expect(said).toEqual([]);
  });

  it("takes no entry that others may write, nor one under another's name", () => {
    const path = join(directory, "planted");
    const { cache, said } = watched(path);
    cache.put("00ff", Uint8Array.of(1));
    copyFileSync(join(path, "things", "00ff"), join(path, "things", "11ff"));
    expect(cache.get("11ff")).toBeUndefined();
    expect(said).toEqual([]);
    chmodSync(join(path, "things", "00ff"), 0o666);
    expect(cache.get("00ff")).toBeUndefined();
    expect(said).toEqual([expect.stringContaining("can be written by other users (mode 666)")]);
    cache.put("00ff", Uint8Array.of(1));
    expect(cache.get("00ff")).toEqual(Uint8Array.of(1));
  });

  it("keeps its size: what was used longest ago goes, and what a killed process left", () => {
    const path = join(directory, "bounded");
    const old = (name: string, hours: number): void => {
      const then = new Date(Date.now() - hours * 3_600_000);
      utimesSync(join(path, "things", name), then, then);
    };
    const first = watched(path).cache;
    for (const [i, key] of ["a", "b", "c", "d"].entries()) {
      first.put(key, new Uint8Array(1000));
      old(key, 100 - i);
    }
    writeFileSync(join(path, "things", "left.tmp"), "");
    old("left.tmp", 2);
    // It was looked at today: nothing goes yet.
    watched(path, { capacity: 4000 }).cache.put("e", new Uint8Array(1000));
    expect(files(path).length).toBe(6);
    old(".swept", 30);
    old("e", 0.5);
    const later = watched(path, { capacity: 4000 }).cache;
    expect(later.get("a")).toBeDefined();
    later.put("f", new Uint8Array(1000));
    const names = files(path).map((name) => name.slice(-1));
    expect(names.toSorted()).toEqual(["a", "f"]);
  });

  it("is safe when processes write the same entries at once", rotating, async () => {
    const source = join(import.meta.dirname, "../../../src/base/disk-cache.ts");
    const { code } = await transformWithOxc(readFileSync(source, "utf8"), source);
    const shared = join(directory, "shared");
    const script = join(directory, "racer.mjs");
    writeFileSync(
      script,
      `${code}
      const cache = openDiskCache(${JSON.stringify(shared)}, "things");
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
