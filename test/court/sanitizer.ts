// Asks compute-sanitizer of each case of the court, on a GPU, and keeps what it says in sanitizer.json.
//
//   node --import warpsmith/register test/court/sanitizer.ts [--tools memcheck,racecheck] [--jobs 8] [--seconds 40]
//     [--out test/court/sanitizer.json] [NAME …]
//
// Each broken kernel has a process of its own for each tool, since a fault or a hang takes the device from its process. The mended ones of a kind share one.
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { kindOf } from "./court-case.ts";
import { court } from "./index.ts";
import { type Answer, readSanitized, type Sanitized, type Tool, tools } from "./sanitized.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tools: { type: "string", default: tools.join(",") },
    jobs: { type: "string", default: "8" },
    seconds: { type: "string", default: "40" },
    out: { type: "string", default: join(import.meta.dirname, "sanitizer.json") },
  },
});

const program = ["--import", "warpsmith/register", join(import.meta.dirname, "on-gpu.ts")];

interface Run {
  readonly text: string;
  readonly timedOut: boolean;
}

/** What a process printed; where it takes too long, it and its children are killed. */
function run(command: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const parts: Buffer[] = [];
    let timedOut = false;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => void parts.push(part));
    const timer = setTimeout(() => {
      timedOut = true;
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    }, 1000 * Number(values.seconds));
    child.on("close", () => {
      clearTimeout(timer);
      resolve({ text: Buffer.concat(parts).toString(), timedOut });
    });
  });
}

const sanitize = (tool: Tool, half: string, names: readonly string[]): Promise<Run> =>
  run("compute-sanitizer", ["--tool", tool, "--print-limit", "3", process.execPath, ...program, half, ...names]);

const counts = /(?:ERROR|RACECHECK) SUMMARY: (\d+)/;

function answerOf({ text, timedOut }: Run): Answer {
  const found = /^========= (?:(?:Error|Warning): |Invalid |Uninitialized |Barrier error|Program hit|Address )/m.test(text);
  const total = counts.exec(text)?.[1];
  if (found || (total !== undefined && total !== "0")) return "named";
  if (timedOut) return "hangs";
  return total === undefined ? "no answer" : "silent";
}

const bugs = court.filter(({ name }) => positionals.length === 0 || positionals.some((begin) => name.startsWith(begin)));
const kinds = [...new Set(bugs.map((bug) => `${kindOf(bug)}/`))];
const asked = tools.filter((tool) => values.tools.split(",").includes(tool));
/** What other runs were told stays. */
const before = readSanitized();
const broken: Record<string, Record<Tool, Answer>> = { ...before?.broken };
const mended: Record<string, Record<Tool, Answer>> = { ...before?.mended };
const log: string[] = [];

const jobs: (() => Promise<void>)[] = [];
// What hangs comes last: it takes longest, and slows down what runs beside it.
for (const bug of [...bugs].sort((a, b) => Number(a.hangs ?? false) - Number(b.hangs ?? false)))
  for (const tool of asked)
    jobs.push(async () => {
      const ran = await sanitize(tool, "broken", [bug.name]);
      broken[bug.name] = { ...broken[bug.name], [tool]: answerOf(ran) } as Record<Tool, Answer>;
      log.push(`== ${tool} ${bug.name} broken: ${answerOf(ran)}\n${ran.text.slice(0, 1500)}`);
    });
for (const kind of kinds)
  for (const tool of asked)
    jobs.unshift(async () => {
      const ran = await sanitize(tool, "mended", [kind]);
      mended[kind] = { ...mended[kind], [tool]: answerOf(ran) } as Record<Tool, Answer>;
      log.push(`== ${tool} ${kind} mended: ${answerOf(ran)}\n${ran.text.slice(0, 6000)}`);
    });

const ask = (command: string, args: readonly string[]): string => execFileSync(command, args, { encoding: "utf8" }).trim();
const version = /Version ([\d.]+)/.exec(ask("compute-sanitizer", ["--version"]))?.[1] ?? "";
const [card = "", driver = ""] = ask("nvidia-smi", ["--query-gpu=name,driver_version", "--format=csv,noheader"]).split(", ");
const sorted = <T>(of: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));

/** After each answer: a run that is cut short keeps what it has. */
function save(): void {
  const result: Sanitized = { version, card, driver, broken: sorted(broken), mended: sorted(mended) };
  writeFileSync(values.out, `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(`${values.out}.log`, log.join("\n"));
}

await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      await job();
      save();
    }
  }),
);

for (const tool of tools) {
  const named = Object.values(broken).filter((of) => of[tool] === "named").length;
  console.log(`${tool}: ${named} of ${bugs.length} named`);
}
