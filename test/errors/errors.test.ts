import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { WarpsmithError } from "../../src/diag/index.ts";
import { transformSource } from "../../src/transform/index.ts";

/**
 * One mistake per file. A comment `// error: W1234` stands at the end of the line that must be named; the whole message is the
 * snapshot beside it. A case exports `run`, which makes the mistake; a mistake of syntax needs none.
 */
const folders = ["kernels", "host"] as const;

async function mistake(file: string): Promise<WarpsmithError> {
  try {
    await transformSource(readFileSync(file, "utf8"), { fileName: file, displayName: relative(process.cwd(), file) });
    const module: { run?: () => unknown } = await import(/* @vite-ignore */ file);
    await module.run?.();
  } catch (error) {
    if (error instanceof WarpsmithError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Where the file says that the error must be. */
function expected(file: string): { readonly code: string; readonly line: number } {
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.findIndex((text) => /\/\/ error: W\d{4}/.test(text));
  const code = /\/\/ error: (W\d{4})/.exec(lines[line] ?? "")?.[1];
  if (!code) throw new Error(`${basename(file)} does not say which error it expects`);
  return { code, line: line + 1 };
}

for (const folder of folders) {
  describe(folder, () => {
    const dir = join(import.meta.dirname, folder);
    const cases = readdirSync(dir).filter((f) => f.endsWith(".case.ts"));
    it.each(cases)("%s", async (name) => {
      const file = join(dir, name);
      const want = expected(file);
      const error = await mistake(file);
      expect(error.code).toBe(want.code);
      expect(error.spans[0]?.line, error.message).toBe(want.line);
      await expect(`${error.message}\n`).toMatchFileSnapshot(join(dir, "expected", `${name.replace(".case.ts", "")}.txt`));
    });
    it("has no snapshot without a case", () => {
      const known = cases.map((c) => c.replace(".case.ts", ".txt"));
      expect(readdirSync(join(dir, "expected")).filter((f) => !known.includes(f))).toEqual([]);
    });
  });
}
