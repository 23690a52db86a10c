// Makes foreign PTX and what a GPU computes with it. Needs nvcc, a GPU and, for --triton and --tutorials, Python with Triton and PyTorch.
//
//   node --import warpsmith/register test/foreign/make.ts [--out .foreign/out] [--triton] [--tutorials folder] [--samples folder]
//     [--only name,…] [--jobs 4] [--no-gpu]
//
// Writes a folder for each case: kernel.ptx, launch.json (as `warpsmith emulate --launch` takes it), the files it names, and cuda/ with
// the bytes that the GPU left in each result; with --no-gpu not the last. What fails is told, and stops nothing else.
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { cudaCases, type ForeignCase } from "./cases.ts";
import type { Made } from "./recorded.ts";
import { caseNames, emulate, inParallel, writeTable } from "./run-case.ts";
import { readSamples } from "./samples.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: ".foreign/out" },
    triton: { type: "boolean", default: false },
    tutorials: { type: "string" },
    samples: { type: "string" },
    only: { type: "string" },
    python: { type: "string", default: "python3" },
    jobs: { type: "string", default: "4" },
    "no-gpu": { type: "boolean", default: false },
  },
});
const chosen = options.only?.split(",");
const isChosen = (name: string): boolean => chosen?.includes(name) ?? true;

/** Text of PTX, or the compiler's message where it refuses. */
type Compiled = { readonly ptx: string } | { readonly refusal: string };
const compiled = new Map<string, Promise<Compiled>>();

/** PTX of one file by nvcc, once for all cases that take the same. */
function compile(c: ForeignCase): Promise<Compiled> {
  const from = join(import.meta.dirname, "cuda", c.source);
  const flags = ["-gencode=arch=compute_90a,code=compute_90a", "-std=c++17", "-O3", "-ptx", ...(c.flags ?? [])];
  const key = [c.source, ...flags].join(" ");
  const known = compiled.get(key) ?? runCompiler([...flags, from, "-o", "-"]);
  compiled.set(key, known);
  return known;
}

async function runCompiler(args: readonly string[]): Promise<Compiled> {
  try {
    const { stdout } = await promisify(execFile)("nvcc", args, { maxBuffer: 2 ** 26 });
    return { ptx: stdout };
  } catch (error) {
    return { refusal: String((error as { readonly stderr?: string }).stderr || error) };
  }
}

/** Makes the folder of a case anew, with its launch. */
function writeLaunch(c: ForeignCase, source: string): string {
  const folder = join(options.out, c.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "launch.json"), `${JSON.stringify({ ...c, source }, null, 2)}\n`);
  return folder;
}

async function makeCuda(c: ForeignCase): Promise<void> {
  const folder = writeLaunch(c, `cuda/${c.source}`);
  const result = await compile(c);
  if ("ptx" in result) writeFileSync(join(folder, "kernel.ptx"), result.ptx);
  else writeFileSync(join(folder, "nvcc.log"), result.refusal);
}

const script = join(import.meta.dirname, "triton", "capture.py");

/** The launches of one case, by Triton itself; what it says of a failure stays beside them. */
async function makeTriton(name: string, ...tutorials: readonly string[]): Promise<void> {
  try {
    const args = [script, options.out, name, ...tutorials];
    const { stdout } = await promisify(execFile)(options.python, args, { timeout: 120_000 });
    console.log(stdout.trim());
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    const said = stderr?.trim() || String(error);
    writeFileSync(join(options.out, `triton-${name}.error`), said);
    console.log(
      `triton-${name}: ${said.split("\n").findLast((line) => /^\w[\w.]*(Error|Exception)\b/.test(line)) ?? said.slice(-300)}`,
    );
  }
}

/** All cases that are chosen, of our own kernels or of the tutorials in a folder. */
async function makeAllTriton(which: "own" | "tutorials", ...folder: readonly string[]): Promise<void> {
  const { stdout, stderr } = spawnSync(options.python, [script, "--list", which], { encoding: "utf8" });
  const names = stdout?.trim().split("\n").filter(Boolean) ?? [];
  if (names.length === 0) console.log(`no cases of Triton: ${stderr?.trim().slice(-300) ?? `${options.python} does not run`}`);
  const wanted = names.filter((name) => isChosen(`triton-${name}`));
  await inParallel(jobs, wanted, (name) => makeTriton(name, ...folder));
}

/** Whether our launch left the bytes that Triton's own did. */
function likeTriton(folder: string): string {
  const own = join(folder, "triton");
  if (!existsSync(own)) return "";
  const different = readdirSync(own).filter(
    (file) => !readFileSync(join(own, file)).equals(readFileSync(join(folder, "cuda", file))),
  );
  if (different.length > 0) return `, but ${different.join(", ")} differ from Triton's own launch`;
  rmSync(own, { recursive: true });
  return ", as Triton's own launch";
}

async function runAll(names: readonly string[]): Promise<readonly (readonly [name: string, said: string])[]> {
  return inParallel(jobs, names, async (name) => {
    const folder = join(options.out, name);
    if (!existsSync(join(folder, "kernel.ptx"))) return [name, "nvcc refused it: nvcc.log"] as const;
    const { ok, said, seconds } = await emulate(folder, "cuda", 60);
    return [name, ok ? `ran in ${seconds.toFixed(1)} s${likeTriton(folder)}` : said] as const;
  });
}

mkdirSync(options.out, { recursive: true });
const jobs = Number(options.jobs);
const cases = cudaCases.filter((c) => isChosen(c.name));
await inParallel(jobs, cases, makeCuda);
const samples = options.samples === undefined ? [] : readSamples(options.samples).filter((c) => isChosen(c.name));
for (const { ptx, ...c } of samples) copyFileSync(ptx, join(writeLaunch(c, c.source), "kernel.ptx"));
const names = [...cases, ...samples].map((c) => c.name);
if (options["no-gpu"]) {
  console.log(`${names.length} cases made, none run`);
  process.exit();
}
const said = (command: string, ...args: string[]): string => spawnSync(command, args, { encoding: "utf8" }).stdout?.trim() ?? "";
const made: Made = {
  nvcc: said("nvcc", "--version").split("\n").at(-1) ?? "",
  gpu: said("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split("\n")[0] ?? "",
};
writeFileSync(join(options.out, "made.json"), `${JSON.stringify(made, null, 2)}\n`);
const rows = [...(await runAll(names))];
writeTable(rows);
if (options.triton) await makeAllTriton("own");
if (options.tutorials !== undefined) await makeAllTriton("tutorials", options.tutorials);
if (options.triton || options.tutorials !== undefined) {
  const more = await runAll(
    caseNames(options.out).filter((name) => name.startsWith("triton-") && (chosen?.some((c) => name.startsWith(c)) ?? true)),
  );
  writeTable(more);
  rows.push(...more);
}
console.log(`${rows.filter(([, said]) => said.startsWith("ran")).length} of ${rows.length} cases ran on the GPU`);
