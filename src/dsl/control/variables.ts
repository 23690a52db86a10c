import type { Span } from "../../base/diag/index.ts";

/** The outer variables that a branch or loop may assign, with the spans of their declarations. */
export interface Variables {
  readonly names: readonly string[];
  readonly spans: readonly (Span | undefined)[];
  get(): unknown[];
  set(values: readonly unknown[]): void;
}
export const noVariables: Variables = { names: [], spans: [], get: () => [], set: () => {} };
