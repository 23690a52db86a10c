import { expect, it } from "vitest";
import type { TensorCorePipeline } from "warpsmith/schedule";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { Program } from "../../../../src/schedule/ir/types.ts";
import { problemOf } from "../../../../src/schedule/ir/verify.ts";
import { programOf } from "../../../schedule/program-of.ts";
import { rotating } from "../../../support/amount.ts";
import { agree } from "../agree.ts";
import { expectSame, inOrder } from "../in-order.ts";

/** What goes wrong after a pass names it. */
async function ofPass(name: string, ask: () => void | Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    throw new Error(`after ${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * Each pass that changes something computes the same in order, and from `to-matrix-ops` on as a kernel, too. Before there are intrinsics threads compute
 * element by element, which takes a device without a GPU long: fusions.long.test.ts runs those kernels, at its size. That the last program is right is asked
 * of many products, always.
 */
export function eachPassComputesTheSame(name: string, make: () => TensorCorePipeline): void {
  it(name, { ...rotating, timeout: 300_000 }, async () => {
    const { passes } = make();
    const [first] = passes;
    const wanted = first && inOrder(first.program);
    const made = passes.findIndex((p) => p.name === "to-matrix-ops");
    for (const [n, pass] of passes.entries()) {
      if (n === 0 || passes[n - 1]?.program === pass.program) continue;
      await ofPass(pass.name, async () => {
        expectSame(inOrder(pass.program), wanted);
        if (n >= made) await agree(pass.program);
      });
    }
  });
}

/** The program is one that there can be, and its text makes it again. */
function expectToPrint(program: Program): void {
  expect(problemOf(program)).toBeUndefined();
  const text = printProgram(program);
  expect(printProgram(programOf(text))).toBe(text);
}

/** Each pass gives a program that verifies, and prints as what makes it. With `always`, it is asked always of the last one, which has most in it. */
export function eachPassPrints(name: string, make: () => TensorCorePipeline, always = false): void {
  it(`${name}: all of them`, always ? {} : rotating, () => {
    const last = make().passes.at(-1);
    if (!last) throw new Error("there are no passes");
    expectToPrint(last.program);
  });
  it(`${name}: each`, { ...rotating, timeout: 300_000 }, async () => {
    for (const pass of make().passes) await ofPass(pass.name, () => expectToPrint(pass.program));
  });
}
