import { describe, expect, it } from "vitest";
import { loadMatrices, storeMatrices } from "../../../../../src/emulator/machine/units/index.ts";

/** Element (r, c) of matrix m is 64 m + 8 r + c; rows lie apart, matrices one after another. */
const count = 4;
const addresses = Int32Array.from({ length: 32 }, (_, i) => 0x800 + 2 ** 24 + i * 48);
const at = (m: number, r: number, c: number): number => 0x400 + (8 * m + r) * 48 + 2 * c;
const empty = () => ({ bytes: new Uint8Array(4096), base: 0x400 + 2 ** 24 });
const registersOf = () => {
  const buffer = new ArrayBuffer(8 * 128);
  return { f32: new Float32Array(buffer), i32: new Int32Array(buffer) };
};
const each = (visit: (m: number, r: number, c: number) => void): void => {
  for (let m = 0; m < count; m += 1) for (let r = 0; r < 8; r += 1) for (let c = 0; c < 8; c += 1) visit(m, r, c);
};
/** Where the manual's figure has element (r, c): lane and half of the register. */
const held = (r: number, c: number) => ({ lane: 4 * r + Math.floor(c / 2), half: c % 2 });

describe.each([false, true])("matrices, transposed: %s", (transposed) => {
  const inRegister = (i32: Int32Array, m: number, r: number, c: number): number => {
    const { lane, half } = transposed ? held(c, r) : held(r, c);
    return (i32[32 * (m + 1) + lane]! >>> (16 * half)) & 0xffff;
  };

  it("are loaded", () => {
    const shared = empty();
    const view = new DataView(shared.bytes.buffer);
    each((m, r, c) => void view.setUint16(at(m, r, c), 64 * m + 8 * r + c, true));
    const registers = registersOf();
    loadMatrices(shared, addresses, transposed, registers, [32, 64, 96, 128]);
    each((m, r, c) => void expect(inRegister(registers.i32, m, r, c)).toBe(64 * m + 8 * r + c));
  });

  it("are stored", () => {
    const shared = empty();
    const registers = registersOf();
    registers.i32.forEach((_, i) => {
      registers.i32[i] = 0x10001 * i + 0x5000;
    });
    storeMatrices(shared, addresses, transposed, registers, [32, 64]);
    const view = new DataView(shared.bytes.buffer);
    each((m, r, c) => void expect(view.getUint16(at(m, r, c), true)).toBe(m < 2 ? inRegister(registers.i32, m, r, c) : 0));
  });
});

it("rows begin at multiples of 16", () => {
  const move = () =>
    loadMatrices(
      empty(),
      addresses.map((a) => a + 8),
      false,
      registersOf(),
      [0],
    );
  expect(move).toThrow(expect.objectContaining({ code: "W9111" }));
});
