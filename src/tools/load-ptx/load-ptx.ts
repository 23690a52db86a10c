import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  checkOptions,
  display,
  exact,
  exactMethods,
  likely,
  optionsOf,
  refuseMore,
  WarpsmithError,
} from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import { cppName, findNamed, type PtxFunction, type PtxTree, parsePtx, shortened, type Variable } from "../../ptx/parse/index.ts";
import { DeviceModules } from "./device-modules.ts";
import { fail } from "./errors.ts";
import { launchEntry } from "./launch.ts";
import { staticSharedBytes } from "./static-shared.ts";
import type { PtxEntry, PtxFile, PtxModule, PtxVariable } from "./types.ts";
import { openVariable } from "./variables.ts";

const dim3 = (extents: readonly number[] | undefined): Dim3 | undefined =>
  extents && [extents[0] ?? 1, extents[1] ?? 1, extents[2] ?? 1];

function entryOf(tree: PtxTree, fn: PtxFunction, modules: DeviceModules): PtxEntry {
  const { name, params, directives, body } = fn;
  const entry: PtxEntry = {
    name,
    demangled: shortened(cppName(fn).text),
    parameters: params.map((p) => ({ name: p.name, type: p.type, bytes: p.size, align: p.align })),
    staticSharedBytes: staticSharedBytes(tree, fn),
    block: dim3(directives.reqntid),
    cluster: dim3(directives.reqnctapercluster),
    instructions: body?.instructions.length ?? 0,
    launch: (config, ...args) => launchEntry(entry, modules, config, args),
  };
  return entry;
}

const variableOf = (v: Variable): PtxVariable => ({
  name: v.name,
  demangled: cppName(v).text,
  space: v.space === "const" ? "const" : "global",
  type: v.type,
  shape: v.vector > 1 ? [...v.dims, v.vector] : v.dims,
  bytes: v.size,
});

const isDefined = (v: Variable): boolean => (v.space === "global" || v.space === "const") && v.linkage !== "extern";

const namesOf = (items: readonly { readonly name: string }[]): readonly string[] =>
  items.map((item) => shortened(cppName(item).name));

/** What was given as a name, in a message. */
const spoken = (name: unknown): string => (typeof name === "string" ? name : display(name));

class LoadedPtx implements PtxModule {
  readonly file: string;
  readonly entries: readonly PtxEntry[];
  readonly variables: readonly PtxVariable[];
  readonly #modules: DeviceModules;

  constructor(tree: PtxTree) {
    const modules = new DeviceModules(tree.text, tree.name);
    this.file = tree.name;
    this.entries = tree.functions.filter((fn) => fn.entry && fn.body).map((fn) => entryOf(tree, fn, modules));
    this.variables = tree.variables.filter(isDefined).map(variableOf);
    this.#modules = modules;
  }

  entry(name?: string): PtxEntry {
    const { file, entries } = this;
    const found = name === undefined ? entries : this.#named(entries, name, "entries");
    const [entry] = found;
    if (entry && found.length === 1) return entry;
    const names = namesOf(entries);
    const said = name === undefined ? undefined : spoken(name);
    return fail("W7804", { file, name: said, near: said === undefined ? undefined : likely(said, names), entries: names });
  }

  variable: PtxModule["variable"] = exact((name, options = {}) => {
    const { file, variables } = this;
    const [variable] = this.#named(variables, name, "variables");
    const names = namesOf(variables);
    if (!variable) return fail("W7808", { file, name: spoken(name), near: likely(spoken(name), names), variables: names });
    return openVariable(variable, this.#modules, options);
  }, "variable");

  /** At most one. W7807. */
  #named<T extends { readonly name: string }>(items: readonly T[], name: unknown, what: string): readonly T[] {
    const found = typeof name === "string" ? findNamed(items, name) : [];
    if (found.length > 1)
      fail("W7807", { file: this.file, name: spoken(name), what, found: found.map((item) => shortened(cppName(item).text)) });
    return found;
  }
}
exactMethods(LoadedPtx);

const fileOptions = optionsOf<PtxFile>("loadPtx()", { file: true });

const noPath = "it is no path";
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
};

/** The text of that file and what messages call it. A number would be the descriptor of an open file, which is not the caller's to give. W7810. */
function readFile(file: unknown): { readonly text: string; readonly name: string } {
  try {
    if (typeof file !== "string" && !(file instanceof URL)) return fail("W7810", { file: display(file), reason: noPath });
    const path = typeof file === "string" ? file : fileURLToPath(file);
    return { text: readFileSync(path, "utf8"), name: path };
  } catch (error) {
    if (error instanceof WarpsmithError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return fail("W7810", { file: display(file instanceof URL ? file.href : file), reason: reasons[code] ?? noPath });
  }
}

/** What messages call a text that comes from no file. */
const unnamed = "module.ptx";

/**
 * Reads PTX that any compiler made for `sm_90` or `sm_90a`: its text, or `{ file }`. Its kernels are launched on devices of either kind. What
 * it gives is loaded when a device first needs it. CUDA `cuModuleLoadData`. docs/ptx.md. W7810, W9800–W9807.
 *
 * @example
 * ```ts
 * import { loadPtx } from "warpsmith/ptx";
 *
 * const module = loadPtx(`
 *   .version 8.3
 *   .target sm_90a
 *   .address_size 64
 *   .visible .entry seven(.param .u64 y) {
 *     .reg .u64 %a;
 *     ld.param.u64 %a, [y];
 *     st.global.u32 [%a], 7;
 *     ret;
 *   }`);
 *
 * await using gpu = await openDevice();
 * const y = gpu.zeros("i32", [1]);
 * module.entry("seven").launch({ grid: 1, block: 1 }, y);
 * console.log((await y.read())[0]); // 7
 * ```
 */
export function loadPtx(source: string | PtxFile): PtxModule {
  refuseMore(loadPtx, arguments);
  if (typeof source === "string") return moduleOf(source, unnamed);
  checkOptions(source, fileOptions);
  const { text, name } = readFile(source.file);
  return moduleOf(text, name);
}

const isCudaSource = (text: string, file: string): boolean =>
  /\.cuh?$/i.test(file) ||
  (/^\s*(extern "C" )?(template\s*<[^>]*>\s*)?__global__\b/m.test(text) && !/^\s*\.version\b/m.test(text));

/** A module of that text. `file`: what messages call it. W7810, W9800–W9807. */
export function moduleOf(text: string, file: string): PtxModule {
  if (isCudaSource(text, file)) fail("W7810", { file, reason: "it is CUDA C++, not PTX", source: true });
  return new LoadedPtx(parsePtx(text, file));
}
