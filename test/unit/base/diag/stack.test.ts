import { describe, expect, it } from "vitest";
import { authorsCall, authorsFrames } from "../../../../src/base/diag/stack.ts";
import { tensorSpec } from "../../../../src/index.ts";
import { makeError } from "../../../support/all-errors.ts";

function refused(): Error {
  try {
    tensorSpec("f33" as never, [1]);
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was refused");
}

describe("the stack of an error", () => {
  it("begins at the author's call, after the message", () => {
    const error = refused();
    const [first = "", ...frames] = error.stack?.slice(`${error.name}: ${error.message}\n`.length).split("\n") ?? [];
    expect(error.stack).toContain(`WarpsmithError: ${error.message}\n`);
    expect(first).toMatch(/^ {4}at refused .*stack\.test\.ts(?:\?[^:]*)?:\d+:\d+\)$/);
    expect(frames.filter((frame) => /\/(?:src|\.unbundled)\/|node:/.test(frame))).toEqual([]);
  });

  it("can be set, is not listed, and stays what it was", () => {
    const error = refused();
    expect(Object.keys(error)).toEqual([]);
    expect(error.stack).toBe(error.stack);
    error.stack = "another";
    expect(error.stack).toBe("another");
  });

  it("leaves out the package, Node, what the transform is made of, and what is no file", () => {
    const own = new URL("../../../../src/runtime/tensor.ts", import.meta.url).href;
    const stack = [
      "Error: x",
      `    at fail (${own}:1:2)`,
      "    at Array.map (<anonymous>)",
      "    at parse (/home/a/node_modules/ts-morph/dist/ts-morph.js:5:6)",
      "    at author (/home/a/main.ts:7:8)",
      "    at other (file:///home/a/node_modules/other/index.js:9:10)",
      "    at async loadESM (node:internal/process/esm_loader:11:12)",
    ].join("\n");
    expect(authorsFrames(stack).split("\n")).toEqual([
      "",
      "    at author (/home/a/main.ts:7:8)",
      "    at other (file:///home/a/node_modules/other/index.js:9:10)",
    ]);
  });

  it.each([
    ["at k (/tmp/my project/main.ts:6:2)", "/tmp/my project/main.ts"],
    ["at /tmp/my project/main.ts:6:2", "/tmp/my project/main.ts"],
    ["at async k (/tmp/a (copy)/main.ts:6:2)", "/tmp/a (copy)/main.ts"],
    ["at async /tmp/a (copy)/main.ts:6:2", "/tmp/a (copy)/main.ts"],
    ["at new K [as other] (file:///tmp/my%20project/%23a%2520/main.ts:6:2)", "/tmp/my project/#a%20/main.ts"],
    ["at eval (eval at k (/tmp/my project/main.ts:1:2), main.ts:6:2)", "main.ts"],
    ["at k (main.ts:6:2)", "main.ts"],
  ])("%s is a place in %s", (frame, file) => {
    expect(authorsCall(`Error: no\n    ${frame}`)).toMatchObject([{ file, line: 6, column: 2 }]);
  });

  it("leaves out what compilers make of `using` and of decorators", () => {
    const stack = [
      "Error: x",
      "    at __addDisposableResource (/home/a/main.ts:57:11)",
      "    at __esDecorate (/home/a/main.ts:7:8)",
      "    at author (/home/a/main.ts:2:13)",
    ].join("\n");
    expect(authorsFrames(stack)).toBe("\n    at author (/home/a/main.ts:2:13)");
    expect(authorsCall(stack)).toMatchObject([{ line: 2, column: 13 }]);
  });

  it("is found behind more frames of the package than engines keep", () => {
    const deep = (n: number): Error => (n === 0 ? makeError("W7031", {}) : JSON.parse("1", () => deep(n - 1)));
    expect(deep(12).stack).toContain("stack.test.ts");
  });
});
