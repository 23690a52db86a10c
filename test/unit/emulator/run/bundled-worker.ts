/** A worker of the emulator out of these sources, for versions of Node that do not run TypeScript. */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import type { WorkerThreads } from "../../../../src/emulator/index.ts";
import { nodeThreads } from "../../../../src/entries/shared/emulator-threads.ts";

export interface BundledWorker {
  /** `jobs` counts launches that workers were given. */
  readonly threads: WorkerThreads;
  jobs(): number;
  remove(): Promise<void>;
}

export async function bundleWorker(): Promise<BundledWorker> {
  const outDir = mkdtempSync(join(tmpdir(), "worker-"));
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: join(import.meta.dirname, "../../../../src/entries/emulator-worker.ts"),
      outDir,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: "worker.mjs" } },
    },
    ssr: { noExternal: true },
  });
  const platform = nodeThreads(pathToFileURL(join(outDir, "worker.mjs")));
  let posted = 0;
  const start: WorkerThreads["start"] = (told, lost) => {
    const worker = platform.start(told, lost);
    const post = (message: unknown): void => {
      posted += 1;
      worker.post(message);
    };
    return { ...worker, post };
  };
  return { threads: { count: 2, start }, jobs: () => posted / 2, remove: () => rm(outDir, { recursive: true }) };
}
