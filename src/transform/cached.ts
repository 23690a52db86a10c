/** The transform behind a cache on disk. Loads TypeScript only where a file is new. */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildId } from "../base/build-id.ts";
import { type DiskCache, openDiskCache } from "../base/disk-cache.ts";
import { hooksVersion } from "../base/hook-names.ts";
import { ownFile } from "../base/own-files.ts";
import { packageVersion } from "../base/package-version.ts";
import { type Transformed, type TransformOptions, withDefaults } from "./options.ts";
import { unchanged } from "./other-files.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Which transform this is: the build, or where it runs from its sources their state, so that a changed one is noticed. */
function ownCode(): readonly string[] {
  const build = buildId();
  if (build !== undefined) return [build];
  const folder = fileURLToPath(ownFile("transform/"));
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

/** What the output depends on besides the text. */
const makeFingerprint = (): string =>
  hash([packageVersion(), hooksVersion, process.versions.node.split(".")[0], ...ownCode()].join("\n"));

let fingerprint: string | undefined;

function keyOf(text: string, options: TransformOptions): string {
  fingerprint ??= makeFingerprint();
  const { fileName, displayName, modules, hooksModule, programHooksModule, emit } = withDefaults(options);
  return hash(JSON.stringify([fingerprint, fileName, displayName, modules, hooksModule, programHooksModule, emit, text]));
}

function isTransformed(value: unknown): value is Transformed {
  if (typeof value !== "object" || value === null) return false;
  const { code, map, transformed, reads } = value as Partial<Record<keyof Transformed, unknown>>;
  return (
    typeof code === "string" &&
    typeof transformed === "boolean" &&
    (map === undefined || typeof map === "string") &&
    (reads === undefined || Array.isArray(reads))
  );
}

const decoder = new TextDecoder();

function readEntry(cache: DiskCache, key: string): Transformed | undefined {
  const bytes = cache.get(key);
  if (!bytes) return undefined;
  const value: unknown = JSON.parse(decoder.decode(bytes));
  return isTransformed(value) && unchanged(value.reads ?? []) ? value : undefined;
}

/** One for each directory, so that what is wrong with it is found out once. */
const caches = new Map<string, DiskCache>();

function cacheIn(directory: string): DiskCache {
  const cache = caches.get(directory) ?? openDiskCache(directory, "transform");
  caches.set(directory, cache);
  return cache;
}

/**
 * `transformSource`, with its result kept in `directory` under the text and all that the result depends on; other files that it
 * was made from are in the entry, and it is made anew when one of them has changed.
 * Without a directory nothing is kept.
 */
export async function transformCached(
  text: string,
  options: TransformOptions,
  directory: string | undefined,
): Promise<Transformed> {
  const cache = directory === undefined ? undefined : cacheIn(directory);
  const key = cache && keyOf(text, options);
  const known = cache && key && readEntry(cache, key);
  if (known) return known;
  const { transformSource } = await import("./index.ts");
  const result = transformSource(text, options);
  if (cache && key) cache.put(key, new TextEncoder().encode(JSON.stringify(result)));
  return result;
}
export { displayName, mayHoldKernels, type Transformed } from "./options.ts";
