import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const config = readFileSync(join(root, "vitest.config.ts"), "utf8");
const apart = [...(/^const replacing = \[([\s\S]*?)\];/m.exec(config)?.[1] ?? "").matchAll(/"(.*?)"/g)].map(([, file]) => file);

it("what replaces a module runs apart: where others have loaded that module, nothing would be replaced", () => {
  const replacing = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".test.ts") && /^vi\.(mock|doMock)\(/m.test(readFileSync(join(root, file), "utf8")));
  expect(replacing.length).toBeGreaterThan(1);
  expect(replacing.toSorted()).toEqual(apart.toSorted());
});
