import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transformSource } from "../../src/transform/index.ts";

const folder = join(import.meta.dirname, "golden");
const bless = process.env.UPDATE === "1";
const files = readdirSync(folder).sort();
const inputs = files.filter((file) => file.endsWith(".in.ts"));

for (const input of inputs) {
  const name = input.slice(0, -".in.ts".length);
  test(name, () => {
    const text = readFileSync(join(folder, input), "utf8");
    const { code } = transformSource(text, { fileName: input, emit: "ts" });
    const output = join(folder, `${name}.out.ts`);
    if (bless) writeFileSync(output, code);
    expect(existsSync(output), `${name}.out.ts is missing: run with UPDATE=1`).toBe(true);
    expect(code).toBe(readFileSync(output, "utf8"));
  });
}

test("every output has an input", () => {
  const stale = files.filter((file) => file.endsWith(".out.ts") && !inputs.includes(file.replace(".out.ts", ".in.ts")));
  if (bless) for (const file of stale) rmSync(join(folder, file));
  expect(bless ? [] : stale).toEqual([]);
});
