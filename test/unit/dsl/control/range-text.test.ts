import { expect, it } from "vitest";
import { rangeText } from "../../../../src/dsl/control/range-text.ts";

const said = (head: string): string | undefined => {
  const found = rangeText(head);
  return found && `${found.variable} of ${found.bounds}`;
};

it.each([
  ["for (let k = 0; k < n; k++)", "k of n"],
  ["for (let k = 0; k < a.shape[1]; k++)", "k of a.shape[1]"],
  ["for(let k=1;k<=n;++k)", "k of 1, n + 1"],
  ["for (let k: number = 0; k <= 99; k += 1)", "k of 100"],
  ["for (let at = 0; at < x.length; at += columns)", "at of 0, x.length, columns"],
  ["for (let i = steps * depth; i < f(a, b); i += 2 * w)", "i of steps * depth, f(a, b), 2 * w"],
  ["for (let i = n - 1; i >= 0; i--)", "i of n - 1, -1, -1"],
  ["for (let i = n; i > 0; i -= 2)", "i of n, 0, -2"],
  ["for (let i = n; i >= low; i -= step)", "i of n, low - 1, -step"],
  ["for (let i = 8; i > 0; i -= a + 1)", "i of 8, 0, -(a + 1)"],
  ["for (let i = 0; i < n; i -= -2)", "i of 0, n, 2"],
])("%s is a range", (head, bounds) => {
  expect(said(head)).toBe(bounds);
});

it.each([
  "for (let k = 0, j = 1; k < n; k++)",
  "for (let k = 0; k < n; k++, j--)",
  "for (let k = 0; k < n && j; k++)",
  "for (let k = 0; k < n; k--)",
  "for (let k = 0; k !== n; k++)",
  "for (let k = 1; k < n; k *= 2)",
  "for (let k = 0; k < n; j++)",
  "for (let k = 0; n > k; k++)",
  "for (let k = 0; k < n >> 1; k++)",
  "for (let k = 0; k < n - k; k++)",
  "for (let k = 0; k < n; k += k)",
  "for (const k of ks)",
  "while (k < n)",
  "",
])("%s is none", (head) => {
  expect(said(head)).toBeUndefined();
});
