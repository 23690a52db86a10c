import { afterAll, describe, expect, it } from "vitest";
import { WarpsmithError } from "../src/base/diag/index.ts";
import { type Device, openDevice } from "../src/index.ts";
import { allFacts, type Fact, moduleOf, runFact } from "./cases/ptx/index.ts";
import { answerDigest, askedDigest, readFactRecord } from "./cases/ptx/recorded.ts";
import { assemble, noPtxas } from "./support/ptxas.ts";

// Questions to the hardware are not all in order.
const device: Device = await openDevice("emulator", { check: "off" });
const record = readFactRecord();

/** Where the emulator does not answer as the GPU did, and why. */
const others: Readonly<Record<string, string>> = {
  "warp/shfl-inactive": "undefined by the PTX ISA: 9.7.9.6",
  "reduce/red-global-add-f64": "which NaN it is",
  "reduce/atom-shared-add-f64": "which NaN it is",
};

/** What the emulator refuses, rather than guess. */
const refused = (error: unknown): boolean => error instanceof WarpsmithError && error.code === "W9124";

const recorded = (fact: Fact): string | undefined => {
  const [asked, answer] = record.answers[fact.name] ?? [];
  return asked === askedDigest(fact) && !(fact.name in others) ? answer : undefined;
};

/** What is wrong with the emulator's answer; undefined where nothing is. */
async function wrongWith(fact: Fact): Promise<string | undefined> {
  try {
    const answer = await runFact(device, fact).catch((error: unknown) => {
      if (error instanceof WarpsmithError && (error.code === fact.expected || refused(error))) return error.code;
      throw error;
    });
    if (fact.expected !== undefined) expect(typeof answer === "string" ? answer : [...answer]).toEqual(fact.expected);
    const known = recorded(fact);
    if (known !== undefined && !known.startsWith("W") && typeof answer !== "string") expect(answerDigest(answer)).toBe(known);
    return undefined;
  } catch (error) {
    return `${fact.name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const familyOf = ({ name }: Fact): string => name.split("/")[0] ?? "";

describe("facts on the emulator", () => {
  afterAll(() => device.dispose());
  it.each([...new Set(allFacts.map(familyOf))])("%s", async (family) => {
    const wrong: string[] = [];
    for (const fact of allFacts.filter((f) => familyOf(f) === family)) {
      const problem = await wrongWith(fact);
      if (problem !== undefined) wrong.push(problem);
    }
    if (wrong.length > 0) throw new Error(wrong.join("\n\n"));
  });
});

it.skipIf(noPtxas !== undefined)("facts assemble", { timeout: 60_000 }, () => {
  expect(assemble(moduleOf(allFacts))).toMatchObject({ ok: true });
});
