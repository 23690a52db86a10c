/** Choices that searches have made on this machine, on disk: which configuration of a kernel is the fastest. */
import { cacheKey, type DiskCache, openDiskCache } from "./disk-cache.ts";
import { readEnvironment } from "./env.ts";
import { packageVersion } from "./package-version.ts";

const mebibytes = 16;

/** One for each directory, so that what is wrong with it is said once. */
const caches = new Map<string, DiskCache>();
function cache(): DiskCache {
  const directory = readEnvironment().values?.cache;
  if (directory === undefined) return openDiskCache(undefined, "tuned");
  const known = caches.get(directory) ?? openDiskCache(directory, "tuned", { capacity: mebibytes * 2 ** 20 });
  caches.set(directory, known);
  return known;
}

/** The key of a choice: of the package, since what it measured last year may be slow today, the device, and everything that says what is searched. */
export function choiceKey(parts: readonly string[]): string {
  return cacheKey([packageVersion(), ...parts]);
}

/** What was kept under that key, as JSON has it; undefined where nothing was. */
export function readChoice(key: string): unknown {
  const bytes = cache().get(key);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
}

export const writeChoice = (key: string, choice: unknown): void =>
  cache().put(key, new TextEncoder().encode(JSON.stringify(choice)));
