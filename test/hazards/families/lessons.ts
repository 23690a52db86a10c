/**
 * The lessons' READMEs say what the checks report where a piece of a kernel is taken away, in tables of such rows:
 * | `piece of a line` in [kernel.ts](kernel.ts) | under normal | under strict | … |
 * Each is taken away here, from a copy, and the first case of the kernel of the file's name is run. With UPDATE=1 the tables are written anew.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseRun, Lesson, LessonCase } from "../../../examples/lesson.ts";
import { ChangedCopy } from "../../support/changed-copy.ts";
import type { Said } from "../said.ts";
import { type Family, type Launch, nextFolder, root, type Taken } from "./family.ts";

const gluon = join(root, "examples/gluon");
const row = /^\| `(.+?)` in \[([\w-]+)\.ts\]\(\S+\) \| (\w+) \| (\w+) \|/;

/** A row of a table: what is taken, and what is said under `normal` and `strict`. */
interface Row {
  readonly folder: string;
  readonly text: string;
  readonly file: string;
  readonly line: string;
  readonly expected: readonly (string | undefined)[];
}

const rows: readonly Row[] = readdirSync(gluon)
  .filter((name) => /^\d/.test(name))
  .flatMap((folder) =>
    readFileSync(join(gluon, folder, "README.md"), "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, text, file, normal, strict] = row.exec(line) ?? [];
        return text && file ? [{ folder, text: text.replaceAll("\\|", "|"), file, line, expected: [normal, strict] }] : [];
      }),
  );

const copy = new ChangedCopy(gluon);

/** The text without that piece, which one line has. Spaces do not count. */
function without(piece: string, text: string, path: string): string {
  let times = 0;
  const lines = text.split("\n").map((line) => {
    const plain = line.replace(/ +/g, " ");
    if (!plain.includes(piece)) return line;
    times++;
    return plain.replace(piece, () => "");
  });
  if (times !== 1) throw new Error(`${times} lines of ${path} have ${piece}, not one`);
  return lines.join("\n");
}

async function load({ folder, text, file }: Row): Promise<Launch> {
  const { runOn } = (await import(/* @vite-ignore */ join(gluon, "../lesson.ts"))) as {
    readonly runOn: (gpu: { readonly kind: "emulator" }, c: LessonCase) => CaseRun;
  };
  const changed = `${folder}/${file}.ts`;
  const entry = copy.write(`${folder}/main.ts`, changed, (whole) => without(text, whole, changed), nextFolder());
  const { lesson } = (await import(/* @vite-ignore */ entry)) as { readonly lesson: Lesson };
  const found = lesson.cases.find((c) => c.kernel === file);
  if (!found) throw new Error(`${folder} has no case of ${file}`);
  const { run } = runOn({ kind: "emulator" }, found);
  return async (device) => void (await run(device));
}

/** The code, or what went wrong otherwise. */
const verdictOf = (said: Said | undefined): string => (said ? (said.code ?? said.message) : "silent");

const takenOf = (one: Row): Taken => ({
  title: `${one.folder}/${one.file}: ${one.text}`,
  settings: [
    { check: "normal", schedule: "eager" },
    { check: "strict", schedule: "eager" },
  ],
  load: () => load(one),
  judge: ({ check }, said) => {
    const expected = one.expected[check === "normal" ? 0 : 1];
    const told = verdictOf(said);
    return told === expected ? undefined : `${check}: ${told}, and the table has ${expected}`;
  },
  renew: (said) => {
    const path = join(gluon, one.folder, "README.md");
    const current = one.line.replace(`| ${one.expected.join(" | ")} |`, `| ${said.map(verdictOf).join(" | ")} |`);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(one.line, () => current),
    );
  },
});

export const lessons: Family = { name: "lessons", lines: [], wholes: [], taken: rows.map(takenOf) };
