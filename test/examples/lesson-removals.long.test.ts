import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openDevice, WarpsmithError } from "warpsmith";
import type { CaseRun, Lesson, LessonCase } from "../../examples/lesson.ts";

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

const root = mkdtempSync(join(tmpdir(), "lessons-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A copy of the lessons without that piece of text, which one line has. Spaces do not count. */
function without(text: string, path: string, copy: string): void {
  cpSync(gluon, join(copy, "gluon"), { recursive: true });
  cpSync(join(gluon, "../lesson.ts"), join(copy, "lesson.ts"));
  let times = 0;
  const lines = readFileSync(join(gluon, path), "utf8")
    .split("\n")
    .map((line) => {
      const plain = line.replace(/ +/g, " ");
      if (!plain.includes(text)) return line;
      times++;
      return plain.replace(text, () => "");
    });
  if (times !== 1) throw new Error(`${times} lines of ${path} have ${text}, not one`);
  writeFileSync(join(copy, "gluon", path), lines.join("\n"));
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
      const copy = join(root, String(i));
      without(text, `${folder}/${file}.ts`, copy);
      const { lesson } = (await import(/* @vite-ignore */ join(copy, "gluon", folder, "main.ts"))) as { readonly lesson: Lesson };
      const { runOn } = (await import(/* @vite-ignore */ join(copy, "lesson.ts"))) as {
        readonly runOn: (gpu: { readonly kind: "emulator" }, c: LessonCase) => CaseRun;
      };
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
