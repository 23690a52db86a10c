import { defineOps } from "./define-ops.ts";

const check = { effects: ["io"], level: "tile", ofDebug: true } as const;

/** What `debug` checks without being asked by an `assert`. A pass makes compare and trap of those that can fail. */
export const checkOps = defineOps({
  "check.holds": {
    doc: "`condition` holds here; else entry `check` of the graph's checks says what is wrong, with these values. It is sure to hold where `value` is in [least, most].",
    operands: { condition: "pred", values: "scalar*", value: "scalar?" },
    attrs: { check: "number", least: "number?", most: "number?" },
    references: { check: "checks" },
    ...check,
  },
  "check.exact": {
    doc: "The integer operator that the author wrote as `symbol` and that gave `result` gave the exact one. `a`, `b`: of a quotient that several ops round, what was divided.",
    operands: { result: "scalar", a: "scalar?", b: "scalar?" },
    attrs: { symbol: "string" },
    ...check,
  },
  "check.wraps": {
    doc: "`bits` is a checked result modulo 2^32 by definition: whoever takes it does not need the exact one.",
    operands: { bits: "scalar" },
    ...check,
  },
});
