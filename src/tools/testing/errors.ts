/** Errors of tools/testing: comparisons in tests. */
import { defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";

export const testingErrors = defineErrors({
  W7901: {
    message: (a: { what: string; given: string; expected: string; give?: string | undefined }) =>
      `${a.what} is ${a.given}, which is not ${a.expected}.`,
    fix: (a) => `give ${a.give ?? a.expected}`,
  },
  W7902: {
    message: (a: {
      wrong: number;
      count: number;
      index: number;
      actual: number;
      expected: number;
      error: number;
      allowed: number;
    }) =>
      `${a.wrong} of ${a.count} elements are not close; the worst is element ${a.index}: ${a.actual} where ${a.expected} was expected, off by ${a.error} where ${a.allowed} is allowed.`,
    fix: () => "check the kernel at that element, or give the tolerance that its arithmetic needs",
  },
  W7903: {
    message: (a: { actual: number; expected: number }) => `There are ${a.actual} elements where ${a.expected} were expected.`,
    fix: () => "compare arrays of one length",
  },
  W7904: {
    message: (a: { name: string; given: number; rows: number; columns: number }) =>
      `The matrix ${a.name} has ${a.given} elements, but [${a.rows}, ${a.columns}] has ${a.rows * a.columns}.`,
    fix: () => "give row-major matrices of [M, K] and [K, N] elements",
  },
});

export type ErrorCode = keyof typeof testingErrors;
export const makeError: MakeError<typeof testingErrors> = raising(testingErrors).makeError;
export const fail: Fail<typeof testingErrors> = raising(testingErrors).fail;
