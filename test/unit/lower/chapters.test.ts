import { expect, it } from "vitest";
import { assemble } from "../../support/ptxas.ts";

/** Chapters 2 to 5 multiply on the tensor cores; ptxas must keep every product asynchronous. */
it.each(["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"])("%s assembles without complaint or spill", async (name) => {
  const { chapter } = (await import(`../../../examples/${name}/main.ts`)) as { chapter: { compile(): { readonly ptx: string } } };
  const { ptx } = chapter.compile();
  const assembled = assemble(ptx);
  if (!assembled) return;
  expect(assembled.log).not.toMatch(/error/);
  expect({ warnings: assembled.warnings, spills: assembled.spills }).toEqual({ warnings: [], spills: 0 });
});
