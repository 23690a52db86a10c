import { describe, expect, it } from "vitest";
import { together } from "../../../../src/dsl/ptx/ptx.ts";
import { readForm, readFormNames } from "../../../../src/ptx/parse/index.ts";

/** An opcode of the form, with the modifiers that it must have. */
function opcode(name: (typeof readFormNames)[number]): string {
  const { text, modifiers = {} } = readForm(name);
  return [text, ...Object.values(modifiers).flatMap((values) => (values.includes("") ? [] : values[0]))].join(".");
}

describe("what the tracer takes for run by a whole warp", () => {
  const collective = readFormNames.filter((name) => readForm(name).collective);
  it.each(collective)("has %s", (name) => {
    expect(`${opcode(name)} $0;`).toMatch(together);
  });

  it.each(["vote.sync.any.pred $0, $1, -1;", "shfl.sync.up.b32 $0, $1, 1, 0, 0xFFFFFFFF;", "bar.warp.sync 4294967295;"])(
    "has %s",
    (text) => {
      expect(text).toMatch(together);
    },
  );

  it.each([
    "shfl.sync.up.b32 $0, $1, 1, 0, $2; add.s32 $0, $0, -1;",
    "bar.warp.sync 255;",
    "mbarrier.arrive.shared.b64 _, [$0];",
  ])("has not %s", (text) => {
    expect(text).not.toMatch(together);
  });
});
