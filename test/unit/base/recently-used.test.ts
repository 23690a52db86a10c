import { expect, it } from "vitest";
import { RecentlyUsed } from "../../../src/base/recently-used.ts";

it("what was used last is kept, as much as there is room for", () => {
  const map = new RecentlyUsed<string, { readonly n: number }>(2);
  const values = [0, 1, 2, 3].map((n) => ({ n }));
  const put = (key: string, n: number) => map.set(key, values[n] ?? { n });
  put("a", 0);
  put("b", 1);
  expect(map.get("a")).toBe(values[0]);
  put("c", 2);
  expect(["a", "b", "c"].map((key) => map.get(key)?.n)).toEqual([0, undefined, 2]);
  put("a", 3);
  put("d", 0);
  expect(["a", "c", "d"].map((key) => map.get(key)?.n)).toEqual([3, undefined, 0]);
});
