import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { openDevice } from "warpsmith";
import type { KernelCheck } from "../../examples/kernels/kernel-check.ts";
import type { Lesson } from "../../examples/lesson.ts";

const gpu = await openDevice("cuda").catch((error: unknown) => String(error).split("\n")[0] ?? "no CUDA device");
if (typeof gpu === "string") console.warn(`The lessons and kernels of the examples do not run on a GPU: ${gpu}`);

const examples = join(import.meta.dirname, "../../examples");
const { checks } = (await import(/* @vite-ignore */ join(examples, "kernels/checks.ts"))) as {
  readonly checks: readonly KernelCheck[];
};
const lessonsOf = async (folder: string): Promise<readonly Lesson[]> => {
  const found = (await import(/* @vite-ignore */ join(examples, folder, "lessons.ts"))) as {
    readonly lessons: readonly Lesson[];
  };
  return found.lessons;
};
const lessons = [...(await lessonsOf("gluon")), ...(await lessonsOf("schedule"))];
const cases = lessons.flatMap(({ name, cases }) => cases.map((c) => [`${name} ${c.kernel} ${c.parameters}`, c] as const));

describe.skipIf(typeof gpu === "string")("the lessons and kernels of the examples on the GPU", () => {
  afterAll(async () => {
    if (typeof gpu !== "string") await gpu.dispose();
  });
  it.each(cases)("%s", async (_, c) => {
    if (typeof gpu !== "string") await c.run(gpu);
  });
  it.each(checks.map((c) => [c.name, c] as const))("%s", async (_, c) => {
    if (typeof gpu !== "string") await c.run(gpu);
  });
});
