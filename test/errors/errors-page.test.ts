import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorsPage } from "./errors-page.ts";

const page = join(import.meta.dirname, "../../docs/errors.md");

it("docs/errors.md lists every error; UPDATE=1 renews it", () => {
  const wanted = errorsPage(["kernels", "host", "beginner"].map((folder) => join(import.meta.dirname, folder)));
  if (process.env.UPDATE === "1") writeFileSync(page, wanted);
  expect(wanted, "UPDATE=1 npx vitest run test/errors/errors-page.test.ts --mode quick renews it").toBe(
    existsSync(page) ? readFileSync(page, "utf8") : "",
  );
});
