import { describe, expect, it } from "vitest";
import {
  firstUnwritten,
  forgetWritten,
  markWritten,
  moveWritten,
  nothingWritten,
} from "../../../../src/emulator/machine/written-bytes.ts";

const size = 200;
const model = (): boolean[] => Array.from({ length: size }, () => false);

describe("which bytes have been written", () => {
  it("agrees with one truth value for each byte", () => {
    let state = 1;
    const below = (n: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return (state >>> 8) % n;
    };
    const [bits, plain] = [nothingWritten(size), model()];
    for (let i = 0; i < 4000; i++) {
      const offset = below(size);
      const bytes = 1 + below(Math.min(70, size - offset));
      const missing = plain.indexOf(false, offset);
      expect(firstUnwritten(bits, offset, bytes)).toBe(missing >= 0 && missing < offset + bytes ? missing : -1);
      const to = below(5) !== 0;
      if (to) markWritten(bits, offset, bytes);
      else forgetWritten(bits, offset, bytes);
      plain.fill(to, offset, offset + bytes);
    }
  });

  it("of memory beyond 2 GiB", () => {
    const far = 2 ** 31;
    const bits = nothingWritten(far + 4096);
    expect(bits.length).toBe((far + 4096) / 32);
    markWritten(bits, far - 40, 200);
    markWritten(bits, far + 4095, 1);
    expect(firstUnwritten(bits, far - 40, 200)).toBe(-1);
    expect(firstUnwritten(bits, far - 41, 2)).toBe(far - 41);
    expect(firstUnwritten(bits, far, 400)).toBe(far + 160);
    forgetWritten(bits, far + 8, 4);
    expect(firstUnwritten(bits, far - 40, 200)).toBe(far + 8);
  });

  it("moves", () => {
    const [from, to] = [nothingWritten(64), nothingWritten(128)];
    markWritten(from, 30, 5);
    moveWritten(from, 20, to, 70, 40);
    expect(firstUnwritten(to, 80, 5)).toBe(-1);
    expect(firstUnwritten(to, 79, 1)).toBe(79);
    expect(firstUnwritten(to, 80, 6)).toBe(85);
  });
});
