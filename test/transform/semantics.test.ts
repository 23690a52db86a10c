import { describe, expect, test } from "vitest";
import { open } from "../../src/dsl/hooks.ts";
import { referenceHooks } from "./reference-hooks.ts";
import { type OpenHooks, runBoth } from "./run-both.ts";
import { snippets } from "./snippets.ts";

const ways: readonly (readonly [string, OpenHooks])[] = [
  ["as plain JavaScript", (_version, _info, effects) => referenceHooks(false, effects)],
  ["with every branch tried", (_version, _info, effects) => referenceHooks(true, effects)],
  ["with the package's hooks, outside a trace", open],
];

describe.each(ways)("%s", (_how, hooks) => {
  test.each(Object.entries(snippets))("%s", (_name, body) => {
    const { plain, transformed, code } = runBoth(body, hooks);
    expect(transformed, code).toEqual(plain);
    expect(plain.result === undefined && plain.logged.length === 0).toBe(false);
  });
});
