// How fast PTX is read: modules of 15 MB, made of what nvcc makes of bench/parse.cu, without and with line information, its entries again
// and again under other names. Each reading in a process of its own, as a program that loads a module once has it; then again in the same
// process, when the engine has optimised the reader.
//
//   npm run bench:parse                    needs nvcc
//   npm run bench:parse -- ../other/dist   with another build of the package, by turns
//
// Writes bench/results/<cpu name>/parse.json. The reader is no export of the package: it is taken from the build.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { methods } from "./methods.ts";
import { type Entry, writeRecord } from "./record.ts";
import { cpuHead } from "./record-head.ts";
import { resultsFolder } from "./results.ts";

const bytes = 15e6;
const rounds = 5;
const again = 3;
const kinds = { plain: [], "line information": ["-lineinfo"] } as const;

/** Milliseconds. */
interface Times {
  readonly wall: number;
  readonly cpu: number;
}
interface Reading {
  readonly first: Times;
  /** The least of what follows in the same process. */
  readonly later: Times;
  readonly instructions: number;
}

const least = (all: readonly Times[]): Times => ({
  wall: Math.min(...all.map((t) => t.wall)),
  cpu: Math.min(...all.map((t) => t.cpu)),
});

interface Reader {
  parsePtx(text: string): {
    readonly functions: readonly { readonly body?: { readonly instructions: readonly unknown[] } | undefined }[];
  };
}

/** In a process of its own. */
async function read(dist: string, file: string): Promise<Reading> {
  const { parsePtx } = (await import(pathToFileURL(join(dist, "ptx/parse/index.js")).href)) as Reader;
  const text = readFileSync(file, "utf8");
  let instructions = 0;
  const once = (): Times => {
    const cpu = process.cpuUsage();
    const begin = performance.now();
    const { functions } = parsePtx(text);
    const wall = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    instructions = functions.reduce((n, f) => n + (f.body?.instructions.length ?? 0), 0);
    return { wall, cpu: (user + system) / 1000 };
  };
  const first = once();
  const later = least(Array.from({ length: again }, once));
  return { first, later, instructions };
}

function assembled(flags: readonly string[], folder: string): string {
  const out = join(folder, "parse.ptx");
  const source = join(import.meta.dirname, "parse.cu");
  const { status, stderr, error } = spawnSync("nvcc", ["-arch=sm_90a", "-ptx", ...flags, source, "-o", out], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`nvcc does not compile ${source}: ${error?.message ?? stderr}`);
  return readFileSync(out, "utf8");
}

/** The module with all it defines as often as it takes, each time under other names. */
function repeated(ptx: string): string {
  const [, head = "", rest = ""] = /^([\s\S]*?\.address_size 64\n)([\s\S]*)$/.exec(ptx) ?? [];
  const files = rest.match(/^\s*\.file.*$/gm) ?? [];
  const body = rest.replace(/^\s*\.file.*$/gm, "").replace(/^\s*\.section[\s\S]*?^\s*\}/gm, "");
  const declared = /^\.(?:visible|weak|extern|global|const|func|entry)\b[^\n(]*?([A-Za-z_$][\w$]*)(?=[([;]|\s*=)/gm;
  const names = new Set([...body.matchAll(declared)].map((m) => m[1] ?? ""));
  const parts = [head, ...files.map((line) => `${line}\n`)];
  for (let length = 0, n = 0; length < bytes; n++) {
    const part =
      n === 0 ? body : body.replace(/(?<![\w$%.])[A-Za-z_$][\w$]*/g, (word) => (names.has(word) ? `${word}_${n}` : word));
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}

const round = (x: number): number => Number(x.toPrecision(3));

function measure(dists: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), "warpsmith-parse-"));
  const entries: Entry[] = [];
  for (const [kind, flags] of Object.entries(kinds)) {
    const file = join(folder, "long.ptx");
    const text = repeated(assembled(flags, folder));
    writeFileSync(file, text);
    const readings = new Map<string, Reading[]>();
    for (let iteration = 0; iteration < rounds; iteration++) {
      for (const dist of dists) {
        const child = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, "--read", dist, file], {
          encoding: "utf8",
        });
        if (child.status !== 0) throw new Error(child.stderr);
        readings.set(dist, [...(readings.get(dist) ?? []), JSON.parse(child.stdout) as Reading]);
      }
    }
    for (const [dist, all] of readings) {
      const [first, later] = [least(all.map((r) => r.first)), least(all.map((r) => r.later))];
      const speed = (ms: number): number => round(text.length / 1000 / ms);
      const figures = {
        megabytes: round(text.length / 1e6),
        instructions: all[0]?.instructions ?? null,
        firstMs: { wall: round(first.wall), cpu: round(first.cpu) },
        laterMs: { wall: round(later.wall), cpu: round(later.cpu) },
        megabytesPerSecond: { first: speed(first.wall), later: speed(later.wall) },
      };
      entries.push({ group: "parse", case: kind, of: {}, us: null, peers: {}, correct: null, figures });
      console.log(kind.padEnd(18), dist === dists[0] ? "" : dist, JSON.stringify(figures));
    }
  }
  rmSync(folder, { recursive: true });
  if (dists.length > 1) return;
  const head = cpuHead(methods.parse, { rounds });
  writeRecord(join(resultsFolder({ name: head.card }), "parse.json"), { ...head, entries });
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--read") console.log(JSON.stringify(await read(rest[0] ?? "", rest[1] ?? "")));
else
  measure([join(import.meta.dirname, "../dist"), ...(first === undefined ? [] : [first, ...rest])].map((dist) => resolve(dist)));
