/** Choices that earlier searches have made, on disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheKey, type DiskCache, openDiskCache } from "../../disk-cache.ts";
import { readEnvironment } from "../../env.ts";

/** A choice: which configuration, what its kernel was, and how long it took in microseconds. */
export interface KeptChoice {
  readonly index: number;
  /** The digest of its PTX: another compiler makes another kernel, and the choice is made again. */
  readonly ptx: string;
  readonly time: number;
}

const mebibytes = 16;
let version: string | undefined;

/** Of the package: what it measured last year may be slow today. */
function packageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** One for each directory, so that what is wrong with it is said once. */
const caches = new Map<string, DiskCache>();
function cache(): DiskCache {
  const directory = readEnvironment().values?.cache;
  if (directory === undefined) return openDiskCache(undefined, "tuned");
  const known = caches.get(directory) ?? openDiskCache(directory, "tuned", { capacity: mebibytes * 2 ** 20 });
  caches.set(directory, known);
  return known;
}

/** The key of a choice: of the package, the device, and everything that says what is searched. */
export function choiceKey(parts: readonly string[]): string {
  version ??= packageVersion();
  return cacheKey([version, ...parts]);
}
export const digestOf = (text: string): string => cacheKey([text]);

export function keptChoice(key: string): KeptChoice | undefined {
  const bytes = cache().get(key);
  if (!bytes) return undefined;
  const found: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof found !== "object" || found === null) return undefined;
  const { index, ptx, time } = found as Partial<Record<keyof KeptChoice, unknown>>;
  return typeof index === "number" && typeof ptx === "string" && typeof time === "number" ? { index, ptx, time } : undefined;
}

export function keepChoice(key: string, choice: KeptChoice): void {
  cache().put(key, new TextEncoder().encode(JSON.stringify(choice)));
}
