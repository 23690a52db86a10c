import { defineErrors } from "../../base/diag/index.ts";

export const tuneErrors = defineErrors({
  W7543: {
    message: (a: { what: string; given: string; expected: string }) =>
      `tune() takes ${a.expected} as its ${a.what}, and it was given ${a.given}`,
    fix: () =>
      "write tune({ depth: [2, 3, 4] }, ({ depth }) => tensorCorePipeline(product, { …, depth }), { device, program: product })",
  },
  W7546: {
    message: (a: { name: string; lacks: "arguments" | "a reference"; why: string }) =>
      `tune() has no ${a.lacks === "arguments" ? "arguments" : "reference"} for ${a.name}: ${a.why}`,
    fix: (a) =>
      a.lacks === "arguments"
        ? "give the tensors to run it with: tune(…, …, { args: [a, b, c], … })"
        : "give a kernel or a function that computes what is right: tune(…, …, { reference: (a, b, c) => …, … })",
  },
});
