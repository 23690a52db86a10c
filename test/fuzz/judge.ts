/** One program held against plain JavaScript. */
import { type Device, WarpsmithError } from "warpsmith";
import { type Arithmetic, Undefined } from "./arithmetic.ts";
import { differences } from "./compare.ts";
import { contentsBefore } from "./contents.ts";
import { actualContents, type Toolchain } from "./execute.ts";
import { expectedContents } from "./oracle.ts";
import type { Program } from "./program.ts";

/** What is wrong: `generator` where the program itself leaves the language, `error` where the package refuses it or fails. */
export interface Disagreement {
  readonly kind: "generator" | "error" | "values";
  /** What two disagreements of one cause share. */
  readonly signature: string;
  readonly lines: readonly string[];
}

function describe(kind: "generator" | "error", error: unknown): Disagreement {
  const e = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof WarpsmithError ? error.code : e.name;
  const text = error instanceof WarpsmithError || error instanceof Undefined ? e.message : (e.stack ?? e.message);
  return { kind, signature: `${kind} ${code}`, lines: text.split("\n").slice(0, 12) };
}

/** Undefined where both agree. `rules`: another arithmetic than the language's, in tests of the harness. */
export async function judge(
  program: Program,
  gpu: Device,
  tools: Toolchain,
  rules?: Arithmetic,
): Promise<Disagreement | undefined> {
  const before = contentsBefore(program);
  let expected: ReturnType<typeof expectedContents>;
  try {
    expected = expectedContents(program, before, rules);
  } catch (error) {
    return describe("generator", error);
  }
  try {
    const lines = differences(await actualContents(program, before, gpu, tools), expected);
    return lines.length === 0 ? undefined : { kind: "values", signature: "values", lines };
  } catch (error) {
    return describe("error", error);
  }
}
