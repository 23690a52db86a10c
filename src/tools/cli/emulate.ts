/** `warpsmith emulate`: PTX that another compiler made, launched once. */
import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, isAbsolute, join } from "node:path";
import { printAs } from "../../base/diag/index.ts";
import { type Device, openDevice } from "../../index.ts";
import { type StoredArray, writeArrays } from "../arrays/index.ts";
import { checkArguments, launchPtx, type PtxLaunch, type PtxResult, parseArguments } from "../launch-ptx/index.ts";
import type { PtxModule } from "../load-ptx/index.ts";
import { moduleOf } from "../load-ptx/index.ts";
import { readBytes, readText } from "./input-file.ts";
import { readLaunchFile } from "./launch-file.ts";
import type { EmulateOptions } from "./options.ts";
import { json, warningAsJson } from "./output.ts";
import { Refusal } from "./refusal.ts";

type Dim3 = PtxLaunch["grid"];

function dim3(name: string, text: string | undefined, fallback: readonly number[] | undefined): Dim3 | undefined {
  if (text === undefined && fallback === undefined) return undefined;
  const extents = text === undefined ? (fallback ?? []) : text.split(/[,x]/).map(Number);
  const good = extents.length >= 1 && extents.length <= 3 && extents.every((n) => Number.isSafeInteger(n) && n >= 1);
  if (!good)
    throw new Refusal(`--${name} takes one to three whole numbers such as 4,2,1, not ${text ?? JSON.stringify(fallback)}`);
  return [extents[0] ?? 1, extents[1] ?? 1, extents[2] ?? 1];
}

function sharedBytes(text: string | undefined, fallback: number | undefined): number {
  const bytes = text === undefined ? (fallback ?? 0) : Number(text);
  if (!Number.isSafeInteger(bytes) || bytes < 0 || text === "")
    throw new Refusal(`--smem takes a number of bytes, not ${text ?? fallback}`);
  return bytes;
}

function makeLaunch(module: PtxModule, values: EmulateOptions, given: readonly string[]): PtxLaunch {
  const file = readLaunchFile(values.launch);
  const entry = module.entry(values.entry ?? file.entry);
  const args = given.length > 0 ? given : (file.args ?? []);
  const parsed = parseArguments(values.buffer ?? file.buffers ?? [], args);
  checkArguments(entry, parsed.args);
  const block = dim3("block", values.block, file.block) ?? entry.block;
  if (!block) throw new Refusal(`give the threads of a block with --block: ${entry.demangled} does not say how many it takes`);
  return {
    entry: entry.name,
    grid: dim3("grid", values.grid, file.grid) ?? [1, 1, 1],
    block,
    cluster: dim3("cluster", values.cluster, file.cluster) ?? entry.cluster ?? [1, 1, 1],
    sharedBytes: sharedBytes(values.smem, file.smem),
    cooperative: values.cooperative ?? file.cooperative ?? false,
    ...parsed,
  };
}

const shown = 8;

function describe({ name, dtype, values }: PtxResult): string {
  const first = Array.from({ length: Math.min(shown, values.length) }, (_, i) => String(values[i]));
  return `${name}  ${dtype}[${values.length}]  ${first.join(", ")}${values.length > shown ? ", …" : ""}`;
}

/** Files that hold arrays with their types and shapes; others hold bytes. */
const isOfArrays = (path: string): boolean => [".npy", ".npz", ".safetensors"].includes(extname(path).toLowerCase());
/** What takes all results in one file. */
const takesAll = (path: string): boolean => isOfArrays(path) && extname(path).toLowerCase() !== ".npy";

/** Which buffers go to which file, by the path. */
function outputs(outs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const [name, path] of outs.map(splitOut)) files.set(path, [...new Set([...(files.get(path) ?? []), name])]);
  return files;
}

const sources = (results: readonly PtxResult[]): ReadonlyMap<string, StoredArray> =>
  new Map(
    results.map(({ name, dtype, shape, bytes, values }) => [name, { dtype, shape, bytes, data: values as StoredArray["data"] }]),
  );

async function writeFiles(results: readonly PtxResult[], { save, out = [] }: EmulateOptions): Promise<void> {
  if (save !== undefined && takesAll(save)) await writeArrays(save, sources(results));
  else if (save !== undefined) for (const { name, bytes } of results) writeFileSync(join(save, `${name}.bin`), bytes);
  for (const [path, names] of outputs(out)) {
    const chosen = results.filter(({ name }) => names.includes(name));
    if (isOfArrays(path)) await writeArrays(path, sources(chosen));
    else for (const { bytes } of chosen) writeFileSync(path, bytes);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    throw new Refusal(`the folder ${path} cannot be made`);
  }
}

/** Before anything runs. */
function checkOutputs(values: EmulateOptions): void {
  const { save } = values;
  const file = save !== undefined && takesAll(save) ? [save] : [];
  if (save !== undefined && file.length === 0) {
    if (extname(save).toLowerCase() === ".npy")
      throw new Refusal(`--save takes a folder, a .npz or a .safetensors file, and ${save} has room for one array`);
    if (existsSync(save) && !statSync(save).isDirectory()) throw new Refusal(`--save takes a folder, and ${save} is a file`);
    makeFolder(save);
  }
  const files = outputs(values.out ?? []);
  for (const [path, names] of files)
    if (names.length > 1 && !takesAll(path))
      throw new Refusal(`--out names ${path} for ${names.join(" and ")}, and it has room for one`);
  for (const path of [...file, ...files.keys()]) {
    try {
      appendFileSync(path, "");
    } catch {
      throw new Refusal(`${path} cannot be written`);
    }
  }
}

function splitOut(out: string): readonly [name: string, path: string] {
  const at = out.indexOf("=");
  if (at < 1) throw new Refusal(`--out takes name=file, not ${out}`);
  return [out.slice(0, at), out.slice(at + 1)];
}

/** Buffers named by `--out` are results, too. */
function withOutputs(launch: PtxLaunch, outs: readonly string[]): PtxLaunch {
  const names = new Set(outs.map((out) => splitOut(out)[0]));
  for (const name of names)
    if (!launch.buffers.some((b) => b.name === name)) throw new Refusal(`--out names ${name}, which is no buffer`);
  return { ...launch, buffers: launch.buffers.map((b) => (names.has(b.name) ? { ...b, out: true } : b)) };
}

/** Paths as seen from the folder. */
function withPaths(launch: PtxLaunch, folder: string): PtxLaunch {
  const placed = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  const buffers = launch.buffers.map((b) => ("path" in b.fill ? { ...b, fill: { ...b.fill, path: placed(b.fill.path) } } : b));
  return { ...launch, buffers };
}

/** What `--json` prints of a result: all of its values. */
const forJson = ({ name, dtype, values }: PtxResult): object => ({ name, dtype, values: Array.from(values) });

/** Launches, waits, prints and writes what came out. Throws a `Refusal` for a wrong command line. */
export async function emulate(file: string, more: readonly string[], options: EmulateOptions): Promise<void> {
  const { args = [] } = options;
  if (more.length > 0 && args.length === 0)
    throw new Refusal("emulate takes one file of PTX; arguments of the kernel follow --args");
  const module = moduleOf(readText(file), file);
  const folder = options.launch === undefined ? "." : dirname(options.launch);
  const launch = withPaths(withOutputs(makeLaunch(module, options, [...args, ...more]), options.out ?? []), folder);
  checkOutputs(options);
  const results = await launched(module, launch, options);
  if (options.json) console.log(json({ results: results.map(forJson) }));
  else for (const result of results) console.log(describe(result));
  await writeFiles(results, options);
}

async function launched(module: PtxModule, launch: PtxLaunch, options: EmulateOptions): Promise<readonly PtxResult[]> {
  const takeBack = options.json && printAs(warningAsJson);
  try {
    await using device = await open(options);
    return await launchPtx(device, module, launch, readBytes);
  } finally {
    takeBack?.();
  }
}

/** Values that are none of the settings are refused by openDevice: W7022, W7025. */
function open({ device, check, warn, seed }: EmulateOptions): Promise<Device> {
  const schedule = seed === undefined || !/^\d+$/.test(seed) ? seed : Number(seed);
  const settings = { ...(check && { check }), ...(warn && { warnings: true }), ...(schedule !== undefined && { schedule }) };
  return openDevice((device ?? "emulator") as Parameters<typeof openDevice>[0], settings as Parameters<typeof openDevice>[1]);
}
