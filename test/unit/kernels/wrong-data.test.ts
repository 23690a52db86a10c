import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Device, type DeviceTensor, openDevice } from "warpsmith";
import { attentionDecode, attentionVarlen, crossEntropy, embedding } from "warpsmith/kernels";
import { rotating } from "../../support/amount.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("emulator");
});
afterAll(() => device.dispose());

const ints = (...list: readonly number[]) => device.tensor("i32", [list.length], list) as DeviceTensor<"i32", 1>;

/** Decodes one query of one head for each of two batches, over 64 keys. */
function decode(lengths: DeviceTensor<"i32", 1>, pages?: DeviceTensor<"i32", 2>): DeviceTensor {
  const q = device.zeros("f16", [2, 1, 64]) as DeviceTensor<"f16", 3>;
  const cache = device.zeros("f16", pages ? [4, 1, 16, 64] : [2, 1, 64, 64]) as DeviceTensor<"f16", 4>;
  return attentionDecode(q, cache, cache, { lengths, ...(pages ? { pages } : {}) });
}

/** Attends to two sequences of one head, of 64 rows together. */
function packed(cuSeqlens: DeviceTensor<"i32", 1>, cuSeqlensKeys?: DeviceTensor<"i32", 1>): DeviceTensor {
  const x = device.zeros("f16", [64, 1, 64]) as DeviceTensor<"f16", 3>;
  return attentionVarlen(x, x, x, { cuSeqlens, ...(cuSeqlensKeys ? { cuSeqlensKeys } : {}) });
}

const table = (...list: readonly number[]) => device.tensor("i32", [2, 2], list) as DeviceTensor<"i32", 2>;

/** What is wrong, what calls with it, and what the error says. */
const wrong: readonly (readonly [name: string, call: () => DeviceTensor, says: string])[] = [
  ["a length beyond the keys", () => decode(ints(64, 65)), "lengths[1] is at most the keys that there is room for (65 <= 64"],
  [
    "a target beyond the classes",
    () => crossEntropy(device.zeros("f32", [2, 8]), ints(3, 8)),
    "targets[1] is a column of the logits (8 < 8",
  ],
];
/** What is found as others are, or what test/unit/kernels/embedding.test.ts asks, too. */
const more: typeof wrong = [
  ["a length below 0", () => decode(ints(-1, 3)), "lengths[0] is a number of keys (-1 >= 0"],
  ["begins of keys that go down", () => packed(ints(0, 20, 64), ints(8, 4, 64)), "go down behind element 0 (8 <= 4"],
  ["a page that is not there", () => decode(ints(32, 32), table(0, 1, 3, 4)), "pages[1, 1] is 4, which is no page of the cache"],
  ["begins that go down", () => packed(ints(0, 40, 30)), "cuSeqlens goes down behind element 1 (40 <= 30"],
  [
    "an id beyond the table",
    () => embedding(device.zeros("f32", [10, 8]), ints(1, 10)),
    "ids[1] is 10, and the table has 10 rows",
  ],
];

describe("data that a kernel cannot take is named on the emulator", () => {
  const isNamed = async (_: string, call: () => DeviceTensor, says: string) => {
    const error: unknown = await call()
      .read()
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "W7515", message: expect.stringContaining(says) });
    // The author's call first, the library's line behind it.
    expect((error as { readonly spans: readonly { readonly file: string }[] }).spans.map(({ file }) => file)).toEqual([
      expect.stringContaining("wrong-data.test.ts"),
      ...Array.from({ length: (error as { readonly spans: readonly unknown[] }).spans.length - 1 }, () =>
        expect.stringContaining("src/kernels/"),
      ),
    ]);
  };
  it.each(wrong)("%s", isNamed);
  it.each(more)("%s", rotating, isNamed);

  it("pages behind a length are not looked at", rotating, async () => {
    expect(await decode(ints(16, 32), table(0, 99, 1, 2)).read()).toHaveLength(128);
  });
});
