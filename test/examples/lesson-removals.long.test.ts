import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openDevice, WarpsmithError } from "warpsmith";
import type { CaseRun, Lesson, LessonCase } from "../../examples/lesson.ts";
import { ChangedCopy } from "../support/changed-copy.ts";

/**
 * The lessons' READMEs say what the checks report where a piece of a kernel is taken away, in tables of such rows:
 * | `piece of a line` in [kernel.ts](kernel.ts) | under normal | under strict | … |
 * Each is taken away here, from a copy, and the first case of the kernel of the file's name is run. With UPDATE=1 the tables are written anew.
 */
const gluon = join(import.meta.dirname, "../../examples/gluon");
const row = /^\| `(.+?)` in \[([\w-]+)\.ts\]\(\S+\) \| (\w+) \| (\w+) \|/;

const rows = readdirSync(gluon)
  .filter((name) => /^\d/.test(name))
  .flatMap((folder) =>
    readFileSync(join(gluon, folder, "README.md"), "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, text, file, normal, strict] = row.exec(line) ?? [];
        return text && file ? [{ folder, text: text.replaceAll("\\|", "|"), file, line, expected: [normal, strict] }] : [];
      }),
  );

const { runOn } = (await import(/* @vite-ignore */ join(gluon, "../lesson.ts"))) as {
  readonly runOn: (gpu: { readonly kind: "emulator" }, c: LessonCase) => CaseRun;
};

const root = mkdtempSync(join(tmpdir(), "lessons-"));
afterAll(() => rmSync(root, { recursive: true }));

const copies = new ChangedCopy(gluon);

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

async function verdict({ run }: CaseRun, check: "normal" | "strict"): Promise<string> {
  await using gpu = await openDevice("emulator", { check });
  try {
    await run(gpu);
    return "silent";
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    return error.code;
  }
}

describe("what the lessons say of a piece that is taken away", () => {
  it.each(rows.map((r, i) => [`${r.folder}/${r.file}: ${r.text}`, r, i] as const))(
    "%s",
    async (_, { folder, text, file, line, expected }, i) => {
      const changed = `${folder}/${file}.ts`;
      const change = (whole: string): string => without(text, whole, changed);
      const entry = copies.write(`${folder}/main.ts`, changed, change, join(root, String(i)));
      const { lesson } = (await import(/* @vite-ignore */ entry)) as { readonly lesson: Lesson };
      const kernel = lesson.cases.find((c) => c.kernel === file);
      if (!kernel) throw new Error(`${folder} has no case of ${file}`);
      const here = runOn({ kind: "emulator" }, kernel);
      const said = [await verdict(here, "normal"), await verdict(here, "strict")];
      if (!process.env.UPDATE) return expect(said).toEqual(expected);
      const path = join(gluon, folder, "README.md");
      const current = line.replace(`| ${expected.join(" | ")} |`, `| ${said.join(" | ")} |`);
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace(line, () => current),
      );
    },
  );
});
