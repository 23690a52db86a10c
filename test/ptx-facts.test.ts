import { afterAll, describe, expect, it } from "vitest";
import { WarpsmithError } from "../src/diag/index.ts";
import { openDevice } from "../src/index.ts";
import { allFacts, moduleOf, runFact } from "./cases/ptx/index.ts";
import { assemble, noPtxas } from "./ptxas.ts";

const device = await openDevice("emulator");

describe("facts on the emulator", () => {
  afterAll(() => device.dispose());
  it.each(allFacts.map((f) => [f.name, f] as const))("%s", async (_, fact) => {
    const answer = await runFact(device, fact).catch((error: unknown) => {
      if (error instanceof WarpsmithError && error.code === fact.expected) return error.code;
      throw error;
    });
    if (fact.expected !== undefined) expect(typeof answer === "string" ? answer : [...answer]).toEqual(fact.expected);
  });
});

it.skipIf(noPtxas !== undefined)("facts assemble", () => {
  expect(assemble(moduleOf(allFacts))).toMatchObject({ ok: true });
});
