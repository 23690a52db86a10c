// Where the time of the tests goes: CPU by suite and by file, and what has grown since the last release.
//
//   npm run test:times [-- --extent quick|sixth|all] [--files 40] [--record]
//
// `--record` keeps the times as those of a release, in test/recorded/times.json. Exit status 1 where tests have failed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type FileTime, total } from "../support/times.ts";

const { values } = parseArgs({
  options: {
    extent: { type: "string", default: "quick" },
    files: { type: "string", default: "40" },
    record: { type: "boolean", default: false },
  },
});
const extents: Readonly<Record<string, readonly string[]>> = { quick: ["--mode", "quick"], sixth: ["--mode", "sixth"], all: [] };
const mode = extents[values.extent];
if (!mode) throw new Error(`--extent ${values.extent}: it is one of ${Object.keys(extents).join(", ")}`);

const root = join(import.meta.dirname, "../..");
const recordFile = join(root, "test/recorded/times.json");
type Recorded = Readonly<Record<string, readonly FileTime[]>>;
const recorded: Recorded = existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, "utf8")) as Recorded) : {};

function measured(): { readonly times: readonly FileTime[]; readonly status: number } {
  const folder = mkdtempSync(join(tmpdir(), "times-"));
  const file = join(folder, "times.json");
  const { status } = spawnSync("npx", ["vitest", "run", ...(mode ?? []), "--reporter=dot"], {
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

function sums(times: readonly FileTime[], nameOf: (file: string) => string): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const time of times) sum.set(nameOf(time.file), (sum.get(nameOf(time.file)) ?? 0) + total(time));
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
const before = recorded[values.extent] ?? [];
print("suites", sums(times, suiteOf), sums(before, suiteOf), 100);
print(
  "files",
  sums(times, (file) => file),
  sums(before, (file) => file),
  Number(values.files),
);
if (values.record) {
  const rounded = times.map((time) => ({ ...time, loading: Math.round(time.loading), running: Math.round(time.running) }));
  writeFileSync(recordFile, `${JSON.stringify({ ...recorded, [values.extent]: rounded }, null, 1)}\n`);
}
process.exitCode = status;
