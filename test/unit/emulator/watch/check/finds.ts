import { expect } from "vitest";
import { WarpsmithError } from "../../../../../src/base/diag/index.ts";
import type { CheckMode } from "../../../../../src/emulator/watch/check/index.ts";
import { assemble } from "../../../../support/ptxas.ts";
import { type Kernel, ptxOf, runPtx } from "../../run-ptx.ts";

export interface Finding {
  readonly code: string;
  readonly line: number | undefined;
  readonly message: string;
}

const findingOf = (error: WarpsmithError): Finding => ({
  code: error.code,
  line: error.spans[0]?.line,
  message: error.message,
});

/** Everything that a launch under the checks reports, the first first. */
export async function findings(kernel: Kernel, check: CheckMode = "normal"): Promise<readonly Finding[]> {
  try {
    await runPtx({ ...kernel, options: { check, ...kernel.options } });
    return [];
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    const rest = error.cause instanceof AggregateError ? (error.cause.errors as WarpsmithError[]) : [];
    return [error, ...rest].map(findingOf);
  }
}

/** What comments on lines of the PTX, `// W9209`, say should be found there. */
export const marks = (kernel: Kernel): readonly string[] =>
  ptxOf(kernel)
    .split("\n")
    .flatMap((text, at) => [...text.matchAll(/W\d{4}/g)].map(([code]) => `${code} ${at + 1}`));

/** Expects what the marks say; other codes may be found as well where `others` names them. */
export async function expectMarked(kernel: Kernel, check: CheckMode = "normal", others: readonly string[] = []): Promise<void> {
  expectAssembles(kernel);
  const found = (await findings(kernel, check)).filter((one) => !others.includes(one.code));
  const texts = [...new Set(found.map(({ code, line }) => `${code} ${line}`))];
  expect(texts.sort(), found.map((one) => one.message).join("\n")).toEqual([...marks(kernel)].sort());
}

/** Expects `ptxas`, where there is one, to take the kernel. It knows `%tid` only as a special register. */
function expectAssembles(kernel: Kernel): void {
  const assembled = assemble(ptxOf(kernel).replace(/%tid\b(?!\.)/g, "%thread"));
  if (assembled) expect(assembled.ok, assembled.log).toBe(true);
}
