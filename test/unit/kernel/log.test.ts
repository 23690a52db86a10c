import { describe, expect, it } from "vitest";
import { logLayout } from "../../../src/base/log-layout.ts";
import type { LogSite, ScalarType } from "../../../src/ir/index.ts";
import { readLog } from "../../../src/kernel/log.ts";

const span = { file: "k.ts", line: 3, column: 5, length: 7 };
const site = (parts: readonly string[], types: readonly ScalarType[]): LogSite => ({ kind: "log", parts, types, spans: [span] });

/** A record area with these records: [site, block, thread, words of values]. */
function area(...records: readonly (readonly number[])[]): Uint32Array {
  const words = new Uint32Array(256);
  words.set(records.flat(), logLayout.firstRecord);
  return words;
}
const bits = (type: "f32" | "f64", x: number): number[] => [
  ...new Uint32Array((type === "f32" ? Float32Array : Float64Array).of(x).buffer),
];

describe("the log of a launch", () => {
  it("prints each value as Node prints it", () => {
    const cases: [ScalarType, readonly number[], string][] = [
      ["i32", [0xffffffff], "-1"],
      ["u32", [0xffffffff], "4294967295"],
      ["i64", [5, 0xffffffff], "-4294967291n"],
      ["u64", [0xffffffff, 0xffffffff], "18446744073709551615n"],
      ["f32", bits("f32", 0.1), "0.10000000149011612"],
      ["f64", bits("f64", 1e21), "1e+21"],
      ["f32", bits("f32", -0), "-0"],
      ["f64", bits("f64", Number.NaN), "NaN"],
      ["f16", [0x3e00], "1.5"],
      ["bf16", [0x3fc0], "1.5"],
      ["e4m3", [0x38], "1"],
      ["i8", [0xff], "-1"],
      ["u16", [0xffff], "65535"],
      ["pred", [1], "true"],
    ];
    for (const [type, words, text] of cases) {
      const [line] = readLog(area([1, 0, 0, 0, 0, 0, 0, ...words]), [site(["x = ", "."], [type])]);
      expect(line?.text, type).toBe(`x = ${text}.`);
    }
  });

  it("gives block, thread and place, in the order of the records, to the first word that nobody wrote", () => {
    const sites = [site(["a ", ""], ["i32"]), site(["b"], [])];
    const lines = readLog(area([2, 1, 2, 3, 4, 5, 6], [1, 0, 0, 0, 7, 0, 0, 42]), sites);
    expect(lines).toEqual([
      { text: "b", block: [1, 2, 3], thread: [4, 5, 6], span },
      { text: "a 42", block: [0, 0, 0], thread: [7, 0, 0], span },
    ]);
  });
});
