// Lines of src by room, and what has grown since the last release.
//
//   npm run lines [-- --record]
//
// `--record` keeps the counts as those of a release, in test/recorded/lines.json.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
const root = join(import.meta.dirname, "../..");
const recorded = join(root, "test/recorded/lines.json");

interface Count {
  readonly files: number;
  readonly lines: number;
}
type Counts = Readonly<Record<string, Count>>;

/** By room; a file at the top of `src` is counted as `top`. */
function count(): Counts {
  const counts: Record<string, Count> = {};
  for (const entry of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const [first = "", ...rest] = relative(join(root, "src"), file).replaceAll("\\", "/").split("/");
    const room = rest.length === 0 ? "top" : first;
    const { files, lines } = counts[room] ?? { files: 0, lines: 0 };
    counts[room] = { files: files + 1, lines: lines + readFileSync(file, "utf8").split("\n").length - 1 };
  }
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b.lines - a.lines));
}

const all = (counts: Counts): Count =>
  Object.values(counts).reduce((sum, c) => ({ files: sum.files + c.files, lines: sum.lines + c.lines }), { files: 0, lines: 0 });

const signed = (n: number): string => (n > 0 ? `+${n}` : String(n));

function print(counts: Counts, before: Counts): void {
  const rows = [...Object.entries(counts), ["in all", all(counts)] as const];
  const old: Counts = { ...before, "in all": all(before) };
  console.log(`${"src".padEnd(12)}${"files".padStart(8)}${"lines".padStart(9)}   since the last release`);
  for (const [room, { files, lines }] of rows) {
    const grown = lines - (old[room]?.lines ?? 0);
    console.log(
      `${room.padEnd(12)}${String(files).padStart(8)}${String(lines).padStart(9)}   ${grown === 0 ? "" : signed(grown)}`.trimEnd(),
    );
  }
  for (const room of Object.keys(before))
    if (!(room in counts)) console.log(`${room.padEnd(12)} is gone: ${signed(-(before[room]?.lines ?? 0))}`);
}

const counts = count();
if (values.record) writeFileSync(recorded, `${JSON.stringify(counts, undefined, 2)}\n`);
print(counts, JSON.parse(readFileSync(recorded, "utf8")) as Counts);
