import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Device } from "warpsmith";
import type { Arena } from "./contenders.ts";
import { allocate, busIdOf, cudaVersion, loadDriver } from "./native/driver.ts";
import { openCublas, openCublasLt } from "./peers/cublas.ts";
import { findLibraries } from "./peers/find-libraries.ts";
import { readKernels } from "./peers/ptx-kernels.ts";
import { readPlans } from "./plans.ts";
import { type Management, openManagement } from "./power.ts";
import { CudaTimer } from "./timer.ts";
import { treeOf } from "./tree.ts";

/** Scratch memory for each of the two libraries: what cuBLAS itself takes on Hopper. */
const workspaceBytes = 32 * 2 ** 20;

/** The first that loads; else why none did. */
function firstOf<T>(
  paths: readonly string[],
  open: (path: string) => T,
): { readonly library: T | string; readonly path?: string } {
  let reason = "no library found (BENCH_CUBLAS_PATH names a folder)";
  for (const path of paths) {
    try {
      return { library: open(path), path };
    } catch (error) {
      reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    }
  }
  return { library: reason };
}

/** What ran the benchmark. */
export interface Header {
  readonly gpu: string;
  readonly date: string;
  readonly node: string;
  readonly driver: string;
  readonly cuda: string;
  readonly cublas: string;
  readonly cublasLt: string;
  readonly ptxas: string;
  readonly powerLimitWatts: number | null;
  /** See `treeOf`. */
  readonly commit: string;
}

const lineOf = (command: string, args: readonly string[], pick: RegExp): string => {
  const { stdout } = spawnSync(command, args, { encoding: "utf8", cwd: import.meta.dirname });
  return pick.exec(stdout ?? "")?.[1] ?? "not there";
};

export interface Session extends Disposable {
  readonly arena: Arena;
  readonly management: Management | string;
  readonly header: Header;
}

/** What joins in beside `matmul` and the libraries. */
export interface Guests {
  /** A folder of other compilers' kernels. */
  readonly ptx?: string | undefined;
  /** A JSON file with a list of plans for `matmul`, or variations: see plans.ts. */
  readonly plans?: string | undefined;
  /** Also `matmul` with `dynamicM`, and with `invariant`. */
  readonly kinds?: boolean | undefined;
}

/** Everything that the cases of a run share. */
export function openSession(device: Device, { ptx, plans, kinds = false }: Guests = {}): Session {
  const driver = loadDriver();
  const stream = device.stream();
  const native = stream.native;
  if (native === undefined) throw new Error("the emulator keeps no time: `npm run bench` needs a GPU");
  const management = openManagement(busIdOf(driver));
  const workspace = () => ({ address: allocate(driver, workspaceBytes), bytes: workspaceBytes });
  const libraries = findLibraries();
  const lt = firstOf(
    libraries.map((found) => found.cublasLt),
    (path) => openCublasLt(path, native, workspace()),
  );
  const plain = firstOf(
    libraries.map((found) => found.cublas),
    (path) => openCublas(path, native, workspace()),
  );
  const timer = new CudaTimer(driver, native);
  const told = <T extends { readonly version: string }>({ library, path }: { library: T | string; path?: string }): string =>
    typeof library === "string" ? `not there: ${library}` : `${library.version} (${path?.split("/").slice(-4).join("/")})`;
  const header: Header = {
    gpu: device.name,
    date: new Date().toISOString(),
    node: process.version,
    driver: typeof management === "string" ? `unknown: ${management}` : management.driver,
    cuda: cudaVersion(driver),
    cublas: told(plain),
    cublasLt: told(lt),
    ptxas: lineOf("ptxas", ["--version"], /V(\d[\d.]*)/),
    powerLimitWatts: typeof management === "string" ? null : (management.powerLimitWatts ?? null),
    commit: treeOf(),
  };
  const arena: Arena = {
    ...{ stream, native, driver, timer },
    ...{ cublas: plain.library, cublasLt: lt.library, ptx: ptx === undefined ? [] : readKernels(ptx) },
    plans: plans === undefined ? [] : readPlans(readFileSync(plans, "utf8")),
    kinds,
  };
  return {
    arena,
    management,
    header,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      for (const { library } of [plain, lt]) if (typeof library !== "string") library.close();
      stream[Symbol.dispose]();
    },
  };
}
