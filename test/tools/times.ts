// Where the time of the tests goes: CPU by suite and by file, and what has grown since the last release.
//
//   npm run test:times [-- --extent quick|sixth|all] [--files 40] [--record]
//
// `--record` keeps the times as those of a release, in test/recorded/times.json. Exit status 1 where tests have failed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { recordedTimes, recordTimes, type Times } from "../support/recorded-times.ts";
import { type FileTime, total } from "../support/times.ts";

const { values } = parseArgs({
  options: {
    extent: { type: "string", default: "quick" },
    files: { type: "string", default: "40" },
    record: { type: "boolean", default: false },
  },
});
const modes = { quick: ["--mode", "quick"], sixth: ["--mode", "sixth"], all: [] } as const;
if (!Object.hasOwn(modes, values.extent))
  throw new Error(`--extent ${values.extent}: it is one of ${Object.keys(modes).join(", ")}`);
const extent = values.extent as keyof typeof modes;

const root = join(import.meta.dirname, "../..");

function measured(): { readonly times: readonly FileTime[]; readonly status: number } {
  const folder = mkdtempSync(join(tmpdir(), "times-"));
  const file = join(folder, "times.json");
  const { status } = spawnSync("npx", ["vitest", "run", ...modes[extent]], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TIMES: file },
  });
  const times = JSON.parse(readFileSync(file, "utf8")) as readonly FileTime[];
  rmSync(folder, { recursive: true });
  return { times, status: status ?? 1 };
}

/** `test/unit/emulator`, `test/hazards`. */
const suiteOf = (file: string): string => {
  const folders = file.split("/").slice(0, -1);
  return folders.slice(0, folders[1] === "unit" ? 3 : 2).join("/");
};

function sums(times: Times, nameOf: (file: string) => string): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [file, { cpu }] of Object.entries(times)) sum.set(nameOf(file), (sum.get(nameOf(file)) ?? 0) + cpu);
  return sum;
}

/** Rows of seconds, of seconds more than at the last release, and names. */
function print(title: string, now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>, rows: number): void {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8);
  const more = (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0);
  const line = (name: string) => `${seconds(now.get(name) ?? 0)} ${before.size > 0 ? seconds(more(name)) : ""}  ${name}`;
  console.log(`\n${title}: CPU seconds${before.size > 0 ? ", and how many more than at the last release" : ""}`);
  for (const [name] of [...now].toSorted((a, b) => b[1] - a[1]).slice(0, rows)) console.log(line(name));
  const grown = [...now.keys()].filter((name) => before.size > 0 && more(name) > 500).toSorted((a, b) => more(b) - more(a));
  if (grown.length > 0) console.log(`grown by more than half a second:\n${grown.map(line).join("\n")}`);
}

const { times, status } = measured();
const now: Times = Object.fromEntries(times.map((time) => [time.file, { cpu: total(time), clock: time.clock }]));
const before = recordedTimes(extent);
print("suites", sums(now, suiteOf), sums(before, suiteOf), 100);
const itself = (file: string): string => file;
print("files", sums(now, itself), sums(before, itself), Number(values.files));
if (values.record) recordTimes(extent, now);
process.exitCode = status;
