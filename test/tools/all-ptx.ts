// The PTX of everything that the project compiles by itself, so that a change can show what it does to it.
//
//   node --import warpsmith/register test/tools/all-ptx.ts --out FOLDER [--fuzz 300] [part of a name …]
//   node --import warpsmith/register test/tools/all-ptx.ts --against FOLDER [--fuzz 300] [part of a name …]
//
// Cases, chapters, every step of the ladder at three sizes, `matmul` at several, and random kernels. `--out` writes a file for each;
// `--against` compiles again, names what is new, gone or different, and writes what differs beside it as FILE.now. Exit status 1 where
// anything does.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { openDevice, tensorSpec } from "warpsmith";
import { matmulKernel } from "warpsmith/kernels";
import type { Chapter } from "../../examples/chapter.ts";
import { ladder } from "../../examples/gemm/ladder.ts";
import { allCases } from "../cases/index.ts";
import { loadKernel, type Toolchain } from "../fuzz/execute.ts";
import { randomProgram } from "../fuzz/generate/program.ts";
import { kernelText } from "../fuzz/print.ts";

const { values, positionals } = parseArgs({
  options: { out: { type: "string" }, against: { type: "string" }, fuzz: { type: "string", default: "300" } },
  allowPositionals: true,
});

/** A name that a file can have, and how to compile what it stands for. */
type Entry = readonly [name: string, ptx: () => string];

const sizes: readonly (readonly [m: number, n: number, k: number])[] = [
  [256, 512, 448],
  [4096, 4096, 4096],
  [8192, 8192, 8192],
];
const products: readonly (readonly [m: number, n: number, k: number])[] = [
  [512, 512, 512],
  [1024, 1024, 1024],
  [1536, 1536, 1536],
  [4096, 4096, 4096],
  [8192, 8192, 8192],
  [1000, 776, 1032],
  [8, 4096, 4096],
  [512, 14336, 4096],
  [100, 104, 8192],
];

async function chapters(): Promise<readonly Entry[]> {
  const examples = join(import.meta.dirname, "../../examples");
  const names = readdirSync(examples).filter((name) => /^ch\d+$/.test(name));
  return Promise.all(
    names.map(async (name): Promise<Entry> => {
      const { chapter } = (await import(join(examples, name, "main.ts"))) as { readonly chapter: Chapter };
      return [`chapters/${name}`, () => chapter.compile().ptx];
    }),
  );
}

const steps = (): readonly Entry[] =>
  ladder.flatMap((step) =>
    sizes.map(([m, n, k]): Entry => [`ladder/${step.name} ${m}x${n}x${k}`, () => step.make(m, n, k, 132).compile().ptx]),
  );

/** `matmul` takes tensors of a device; memory that nobody touches costs the emulator nothing. */
async function matmuls(): Promise<readonly Entry[]> {
  const device = await openDevice("emulator");
  const layouts = ["nt", "nn", "tn", "tt"] as const;
  return products.flatMap(([m, n, k]) =>
    (["f16", "bf16"] as const).flatMap((dtype) =>
      layouts.map(
        (layout): Entry => [
          `matmul/${dtype} ${layout} ${m}x${n}x${k}`,
          () => {
            const a = layout[0] === "n" ? device.empty(dtype, [m, k]) : device.empty(dtype, [k, m]).transpose(1, 0);
            const b = layout[1] === "n" ? device.empty(dtype, [k, n]) : device.empty(dtype, [n, k]).transpose(1, 0);
            const { kernel, args } = matmulKernel(a as never, b as never);
            return kernel.compile(...args).ptx;
          },
        ],
      ),
    ),
  );
}

/** The transform and the hooks of the build. */
async function toolchain(): Promise<Toolchain> {
  const built = (path: string): Promise<unknown> => import(new URL(`../../dist/${path}`, import.meta.url).href);
  const { transformSource } = (await built("entries/inside.js")) as {
    transformSource(text: string, options: { readonly fileName: string; readonly emit: "ts" }): { readonly code: string };
  };
  const hooks = (await built("entries/hooks.js")) as Toolchain["hooks"];
  return { transform: (text, fileName) => transformSource(text, { fileName, emit: "ts" }).code, hooks };
}

async function random(): Promise<readonly Entry[]> {
  process.env.WARPSMITH_CACHE = "off";
  const tools = await toolchain();
  return Array.from({ length: Number(values.fuzz) }, (_, seed): Entry => {
    const ptx = (): string => {
      const program = randomProgram(seed);
      const tensors = program.memories.flatMap((m) => (m.kind === "shared" ? [] : [tensorSpec(m.type, m.shape)]));
      const kernel = loadKernel(kernelText(program), tools);
      return kernel.compile(...([...tensors, ...program.scalars.map((s) => s.value)] as never[])).ptx;
    };
    return [`random/${seed}`, ptx];
  });
}

const cases = (): readonly Entry[] => allCases.map((c): Entry => [`cases/${c.name}`, () => c.compile().ptx]);

/** What a kernel that is refused prints stands for its PTX. */
function textOf(ptx: () => string): string {
  try {
    return ptx();
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}\n`;
  }
}

const fileOf = (folder: string, name: string): string => join(folder, `${name.replace(/[^\w./-]+/g, "_")}.ptx`);

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const folder = values.out ?? values.against;
if (folder === undefined || (values.out !== undefined && values.against !== undefined))
  throw new Error("give either --out or --against a folder");
const chosen = [...cases(), ...(await chapters()), ...steps(), ...(await matmuls()), ...(await random())].filter(
  ([name]) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);

if (values.out !== undefined) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, ptx] of chosen) {
    const file = fileOf(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(ptx));
  }
  console.log(`${chosen.length} kernels in ${folder}`);
} else {
  const gone = new Set(positionals.length === 0 ? filesOf(folder) : []);
  let differences = 0;
  const tell = (what: string): void => {
    differences++;
    console.log(what);
  };
  for (const [name, ptx] of chosen) {
    const file = fileOf(folder, name);
    gone.delete(relative(folder, file));
    const now = textOf(ptx);
    if (!existsSync(file)) tell(`new: ${name}`);
    else if (readFileSync(file, "utf8") !== now) {
      tell(`differs: ${name}`);
      writeFileSync(`${file}.now`, now);
    }
  }
  for (const name of gone) if (!name.endsWith(".now")) tell(`gone: ${name}`);
  console.log(`${chosen.length} kernels, ${differences} differ`);
  if (differences > 0) process.exitCode = 1;
}
process.exit();
