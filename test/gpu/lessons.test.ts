import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { openDevice } from "warpsmith";
import type { Lesson } from "../../examples/gluon/lesson.ts";

const gpu = await openDevice("cuda").catch((error: unknown) => String(error).split("\n")[0] ?? "no CUDA device");
if (typeof gpu === "string") console.warn(`The lessons do not run on a GPU: ${gpu}`);

const file = join(import.meta.dirname, "../../examples/gluon/lessons.ts");
const { lessons } = (await import(/* @vite-ignore */ file)) as { readonly lessons: readonly Lesson[] };
const cases = lessons.flatMap(({ name, cases }) => cases.map((c) => [`${name} ${c.kernel} ${c.parameters}`, c] as const));

describe.skipIf(typeof gpu === "string")("the lessons on the GPU", () => {
  afterAll(async () => {
    if (typeof gpu !== "string") await gpu.dispose();
  });
  it.each(cases)("%s", async (_, c) => {
    if (typeof gpu !== "string") await c.run(gpu);
  });
});
