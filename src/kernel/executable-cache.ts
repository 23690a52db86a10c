import { buildId } from "../base/build-id.ts";
import { cacheKey, type DiskCache, openDiskCache } from "../base/disk-cache.ts";
import { readEnvironment } from "../base/env.ts";
import { codeFolder } from "../base/own-files.ts";
import type { ProgramOptions } from "../ir/index.ts";
import type { Arguments } from "./arguments.ts";
import type { Executable } from "./executable.ts";
import type { KernelSource } from "./source.ts";

/** Compiled kernels on disk: those whose authors say what they depend on. */
export interface ExecutableCache {
  /** The key of one that may be kept: undefined where nothing may. */
  keyOf(source: KernelSource, args: Arguments, options: ProgramOptions): string | undefined;
  get(key: string): Executable | undefined;
  put(key: string, executable: Executable): void;
}

/** For one build of the package, which is a part of all keys. */
export function executableCache(disk: DiskCache, build: string): ExecutableCache {
  return {
    keyOf({ name, body, span, options: { cacheKey: own, cooperative = false } }, { key, lasting }, options) {
      if (own === undefined || !lasting) return undefined;
      // Files in messages are relative to the working directory.
      const places = [process.cwd(), codeFolder, span?.file ?? ""];
      return cacheKey([build, ...places, name, String(body), own, key, String(cooperative), JSON.stringify(options)]);
    },
    get(key) {
      const bytes = disk.get(key);
      return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Executable);
    },
    put: (key, executable) => disk.put(key, new TextEncoder().encode(JSON.stringify(executable))),
  };
}

/** One for each directory, so that what is wrong with it is said once. */
const caches = new Map<string, ExecutableCache>();

let replaced: ExecutableCache | undefined;

/** Keeps all kernels in another cache, for a test of what is kept; returns what takes that back. */
export function replaceExecutableCache(cache: ExecutableCache): () => void {
  replaced = cache;
  return () => {
    replaced = undefined;
  };
}

/** None where the package runs from its sources, nor where the environment asks to see or to check how kernels are compiled. */
export function usualExecutableCache(): ExecutableCache | undefined {
  if (replaced) return replaced;
  const build = buildId();
  const { cache: directory, stages, verify } = readEnvironment().values ?? {};
  if (build === undefined || directory === undefined || stages !== undefined || verify !== undefined) return undefined;
  const cache = caches.get(directory) ?? executableCache(openDiskCache(directory, "kernel"), build);
  caches.set(directory, cache);
  return cache;
}
