import { describe, expect, it } from "vitest";
import { columnAt, cursorOver, lineAt } from "../../../../src/ptx/parse/cursor.ts";
import { lex } from "../../../../src/ptx/parse/lex.ts";

function tokens(text: string): readonly string[] {
  const t = lex(text);
  const end = t.kinds.indexOf(0, 0);
  return Array.from({ length: end }, (_, i) => text.slice(t.starts[i], t.ends[i]));
}

describe("lex", () => {
  it.each([
    ["an opcode is one word", "ld.global.L1::no_allocate.v4.b32 x", ["ld.global.L1::no_allocate.v4.b32", "x"]],
    ["parts may begin with digits", "cp.async.bulk.tensor.2d.x", ["cp.async.bulk.tensor.2d.x"]],
    ["a label's colon is its own", "$L__BB0_1:mov", ["$L__BB0_1", ":", "mov"]],
    ["directives are separate", ".visible.entry k", [".visible", ".entry", "k"]],
    ["ranges", "%r<10>;", ["%r", "<", "10", ">", ";"]],
    ["guards and pairs", "@!%p1 p|q", ["@", "!", "%p1", "p", "|", "q"]],
    ["addresses", "[%rd1+-8]", ["[", "%rd1", "+", "-", "8", "]"]],
    ["numbers", "0f3F800000 0d3FF0000000000000 0x1Fu 017 0b101U 1.5e-3 2E5 7U", undefined],
    ["sums of numbers", "128+4", ["128", "+", "4"]],
    ["comments", "a // b\n c /* d\n e */ f", ["a", "c", "f"]],
    ["a comment that does not end", "a /* b", ["a"]],
    ["texts", '"a \\" b" c', ['"a \\" b"', "c"]],
    ["other characters stand alone", "a # é", ["a", "#", "é"]],
  ])("%s", (_what, text, expected) => {
    if (expected === undefined)
      expect(tokens(text)).toEqual([
        ...["0f3F800000", "0d3FF0000000000000", "0x1F", "u", "017", "0b101U", "1.5e-3", "2E5", "7U"],
      ]);
    else expect(tokens(text)).toEqual(expected);
  });

  it("counts lines and columns, after comments too", () => {
    const c = cursorOver(lex("a\n  b /* 1\n2 */ c\n\td"), "k.ptx");
    const places = (tokens: readonly number[]) => tokens.map((t) => [lineAt(c, t), columnAt(c, t)]);
    expect(places([0, 1, 2, 3, 4])).toEqual([
      [1, 1],
      [2, 3],
      [3, 6],
      [4, 2],
      [4, 3],
    ]);
    expect(places([3, 0, 2])).toEqual([
      [4, 2],
      [1, 1],
      [3, 6],
    ]);
  });
});
