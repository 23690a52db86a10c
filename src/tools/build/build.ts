import {
  checkOptions,
  display,
  exact,
  exactMembers,
  isClass,
  optionsOf,
  placeOnStack,
  refuseMore,
  WarpsmithError,
} from "../../base/diag/index.ts";
import type { Device } from "../../runtime/index.ts";
import { type BuildEntry, type Described, describeKernel } from "./describe-kernel.ts";
import { fail } from "./errors.ts";
import { checkBuildName, checkName } from "./names.ts";
import { paperDevice } from "./paper-device.ts";
import { inSteps } from "./progress.ts";
import { type WriteOptions, type WrittenBuild, writeBuild } from "./write-build.ts";

/** Kernels to build, by the name that launchers call them: what `kernel.at(…)` gives, and what functions of `warpsmith/kernels` prepare. */
export type BuildEntries = Readonly<Record<string, BuildEntry>>;

/** How a build is called. */
export interface BuildOptions {
  /** Of the header, its namespace and the modules: `kernels.hpp`, `kernels.py`, `kernels.js`. Default "kernels". W7724. */
  readonly name?: string;
}

/** Kernels that are compiled, and not yet written. `warpsmith build` writes what its file exports of these. */
export interface Build {
  /** What launchers are called by. */
  readonly name: string;
  /** The names of its kernels. */
  readonly kernels: readonly string[];
  /** Writes PTX, cubins where a ptxas is found, a manifest and launchers to a folder. W2601, W7046, W7725, W8011. */
  write(folder: string, options?: WriteOptions): WrittenBuild;
}

const options = optionsOf<BuildOptions>("build()", { name: true });
const builds = new WeakSet<object>();

/** Whether a value is what `build` gives. */
export const isBuild = exact(
  (value: unknown): value is Build => typeof value === "object" && value !== null && builds.has(value),
  "isBuild",
);

/** What an entry looks like that is none, in an error. */
const isEntry = (value: unknown): value is BuildEntry =>
  typeof value === "object" &&
  value !== null &&
  "kernel" in value &&
  typeof value.kernel === "function" &&
  "args" in value &&
  Array.isArray(value.args);

/** W7720, W7724, and what `describeKernel` refuses. */
function describeAll(entries: unknown): ReadonlyMap<string, Described> {
  const named = typeof entries === "object" && entries !== null && !Array.isArray(entries) ? Object.entries(entries) : [];
  if (named.length === 0) {
    const isEmpty = typeof entries === "object" && entries !== null && !Array.isArray(entries);
    fail("W7720", { name: undefined, given: isEmpty ? "an object without any" : display(entries) });
  }
  return inSteps("compiling", named, (name, entry) => {
    checkName("A kernel of a build", name);
    return isEntry(entry) ? describeKernel(name, entry) : fail("W7720", { name, given: display(entry) });
  });
}

/**
 * Compiles kernels for the shapes and static values that they are given, to be written and launched without this package's compiler: by the runtime part of it
 * in Node, from C++ and from Python. What is `dynamic` of their tensors, and their numbers, each launch gives. `build((gpu) => ({ … }))`: with a device
 * whose tensors have no memory, for functions of `warpsmith/kernels`. W2601, W7720–W7724, and whatever is wrong with a kernel.
 */
export function build(entries: BuildEntries | ((gpu: Device) => BuildEntries), given: BuildOptions = {}): Build {
  refuseMore(build, arguments);
  const spans = placeOnStack();
  try {
    checkOptions(given, options);
    const { name = "kernels" } = given;
    checkBuildName(name);
    const described = typeof entries === "function" && !isClass(entries) ? onPaper(entries) : describeAll(entries);
    const made = exactMembers<Build>({
      name,
      kernels: [...described.keys()],
      write: (folder, how = {}) => writeBuild(name, described, folder, how),
    });
    builds.add(made);
    return made;
  } catch (error) {
    throw error instanceof WarpsmithError && error.spans.length === 0 ? error.at(spans) : error;
  }
}

function onPaper(entries: (gpu: Device) => BuildEntries): ReadonlyMap<string, Described> {
  const gpu = paperDevice();
  try {
    return describeAll(entries(gpu));
  } finally {
    void gpu.dispose();
  }
}
