import { describe, expect, it } from "vitest";
import { copyIn, copyOut, type Line } from "../../../../../src/emulator/machine/units/swizzle.ts";

const far = 2 ** 31 + 4096;

/** A line of more bytes than anybody has to spare: the words that are used. */
const farLine = (words: Int32Array): Line => {
  const kept: Record<number, number> = {};
  words.forEach((word, i) => {
    kept[far / 4 + i] = word;
  });
  return { bytes: new Uint8Array(0), words: kept as unknown as Int32Array };
};

describe("lines beyond 2 GiB", () => {
  it("go in and out of a swizzled image", () => {
    const bytes = new Uint8Array(256);
    const image = { bytes, words: new Int32Array(bytes.buffer), place: 1024, mask: 7 };
    const words = Int32Array.from({ length: 32 }, (_, i) => 3 * i + 1);
    copyIn(image, 1024 + 128, farLine(words), far, 128);
    const back = farLine(new Int32Array(32));
    copyOut(image, 1024 + 128, back, far, 128);
    expect(Array.from({ length: 32 }, (_, i) => back.words?.[far / 4 + i])).toEqual([...words]);
  });
});
