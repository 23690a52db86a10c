import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allErrors, type ErrorCode, makeError } from "../support/all-errors.ts";

/** Groups of codes, by how they begin; the longest beginning counts. */
const groups: readonly (readonly [prefix: string, title: string, about: string])[] = [
  [
    "W1",
    "The text of a kernel",
    "What a kernel or helper may not say. Found when the file is transformed, before anything runs.",
  ],
  ["W2", "Values, operators and control flow", "What code on the GPU may not mean. Found when the kernel is traced."],
  ["W26", "Options", "Objects of options, on the host and in kernels."],
  ["W27", "Mathematics", "`Math.*`, `fast.*`, `fma`, `bits`."],
  ["W29", "Op graphs as text", "What `parseGraph` refuses."],
  ["W3", "Memory", "Tensors, shared memory, atomics, barriers of the block and fences."],
  ["W4", "TMA", "Tensor maps and what moves through them."],
  ["W5", "Mbarriers", ""],
  ["W55", "`warpsmith/schedule`", "Programs of loop nests, and their rewriting."],
  ["W6", "wgmma and warpgroups", "Operands, accumulators and partitions."],
  ["W66", "Tile schedulers", "`TileScheduler`."],
  ["W7", "Host calls", "Tensors, devices and launches. Refused before anything is sent to the device."],
  ["W71", "`warpsmith/arrays`", "Files of arrays."],
  ["W75", "Kernels and their arguments", ""],
  ["W76", "`warpsmith/kernels`", "What `matmul` refuses."],
  ["W78", "`warpsmith/ptx` and `warpsmith emulate`", "PTX that another compiler made, and its launches."],
  ["W79", "`warpsmith/testing`", ""],
  ["W8", "Devices", "No device, or one that refuses or fails."],
  ["W9", "Inside the emulator", "What it finds while it executes a kernel."],
  ["W98", "PTX as text", "What the reader of PTX refuses."],
];

const groupOf = (code: string) => groups.filter(([prefix]) => code.startsWith(prefix)).at(-1);

/** Stands for every argument of a message: any property, call or text of it is "…". */
const anything: unknown = new Proxy(() => anything, {
  get: (_, key) => (key === Symbol.toPrimitive || key === "toString" ? () => "…" : key === "length" ? 2 : anything),
});

const blank = (text: string): string => text.replace(/\b(NaN|undefined)\b/g, "…");

interface Example {
  readonly about: string;
  readonly message: string;
}

/** The first case of each code, by the order of folders and names. */
function examples(folders: readonly string[]): ReadonlyMap<string, Example> {
  const found = new Map<string, Example>();
  for (const folder of folders) {
    for (const name of readdirSync(join(folder, "expected")).sort()) {
      const message = readFileSync(join(folder, "expected", name), "utf8").trimEnd();
      const about =
        readFileSync(join(folder, name.replace(".txt", ".case.ts")), "utf8")
          .split("\n")[0]
          ?.replace(/^\/\/ /, "") ?? "";
      const code = message.slice(0, 5);
      if (!found.has(code)) found.set(code, { about, message });
    }
  }
  return found;
}

/** Without the marks of the cases, the paths of this repository and the kernel's own line. */
const asPrinted = (message: string): string =>
  message
    .replace(/\n {2}in the kernel at .*\n.*\n.*/g, "")
    .replace(/ *\/\/ error: W\d{4}/g, "")
    .replace(/test\/errors\/\w+\/([\w-]+)\.case\.ts/g, "$1.ts");

function section(code: string, example: Example | undefined): string {
  if (example) return `### ${code}\n\n${example.about}\n\n\`\`\`\`text\n${asPrinted(example.message)}\n\`\`\`\`\n`;
  const { sentence, fix } = makeError(code as ErrorCode, anything as never);
  return `### ${code}\n\n\`\`\`\`text\n${code}  ${blank(sentence)}\n  fix: ${blank(fix)}\n\`\`\`\`\n`;
}

/** docs/errors.md. */
export function errorsPage(folders: readonly string[]): string {
  const known = examples(folders);
  const codes = Object.keys(allErrors).sort();
  const lost = codes.filter((code) => groupOf(code) === undefined);
  if (lost.length > 0) throw new Error(`no group of this page has ${lost.join(", ")}`);
  const parts = groups.flatMap((group) => {
    const mine = codes.filter((code) => groupOf(code) === group);
    const [, title, about] = group;
    return mine.length === 0
      ? []
      : [`## ${title}\n`, ...(about ? [`${about}\n`] : []), ...mine.map((code) => section(code, known.get(code)))];
  });
  return `${[
    "# Errors\n",
    [
      "Every error is a `WarpsmithError`: a stable `code`, one sentence, the place in your source with each call on the way in, and a `fix`.",
      "`error.code`, `error.sentence`, `error.spans` and `error.fix` hold the parts of the message.",
      "This page is generated from what each room declares (`errors.ts` in its folder of `src`) and from the wrong programs in `test/errors`: what is shown is what they print. `…` stands for what depends on the program.\n",
    ].join("\n"),
    ...parts,
  ].join("\n")}`;
}
