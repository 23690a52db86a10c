import fc from "fast-check";
import { expect, test } from "vitest";
import { open } from "../../src/dsl/hooks.ts";
import { ofProperty } from "../support/amount.ts";
import { randomPattern } from "./random-patterns.ts";
import { randomProgram } from "./random-programs.ts";
import { referenceHooks } from "./reference-hooks.ts";
import { type OpenHooks, runBoth } from "./run-both.ts";

const asked = ofProperty(100, 2);
const ofPatterns = ofProperty(300, 12);

const ways: readonly (readonly [string, OpenHooks])[] = [
  ["as plain JavaScript", (_version, _info, effects) => referenceHooks(false, effects)],
  ["with every branch tried", (_version, _info, effects) => referenceHooks(true, effects)],
  ["with the package's hooks, outside a trace", open],
];

test.each(ways)(
  "random programs mean the same transformed, %s",
  (_how, hooks) => {
    fc.assert(
      fc.property(randomProgram, (body) => {
        const { plain, transformed, code } = runBoth(body, hooks);
        expect(transformed, code).toEqual(plain);
      }),
      asked,
    );
  },
  120_000,
);

test.each(ways)(
  "random patterns take values apart as JavaScript does, %s",
  (_how, hooks) => {
    fc.assert(
      fc.property(randomPattern, (body) => {
        const { plain, transformed, code } = runBoth(body, hooks);
        expect(transformed, `${body}\n${code}`).toEqual(plain);
      }),
      ofPatterns,
    );
  },
  120_000,
);
