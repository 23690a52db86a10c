import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undefinedResults, widthOf } from "../../../../../../src/emulator/watch/check/undefined/bits.ts";
import { type Immediate, type Operand, parsePtx, type Register } from "../../../../../../src/ptx/parse/index.ts";
import { ofProperty } from "../../../../../support/amount.ts";
import { runPtx } from "../../../run-ptx.ts";

/** Sources are `%d1`, `%d2`, `%d3` of 64 bits, cut to what each instruction takes. */
const declarations = ".reg .b64 %d<8>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .pred %p<4>;";

const instructionOf = (text: string) => {
  const tree = parsePtx(
    `.version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n${declarations}\n${text}\nexit;\n}\n`,
  );
  const [i] = tree.functions[0]?.body?.instructions ?? [];
  if (!i) throw new Error(`no instruction: ${text}`);
  return i;
};

/** Bits that a 64-bit source has left in the registers that instructions take. */
const narrow = `
  cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;
  cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2;
  mov.b32 %f1, %r1; mov.b32 %f2, %r2;
  setp.eq.u32 %p1, 0, 0; setp.ne.u32 %p2, 0, 0;`;

const immediates = fc.oneof(
  fc.constantFrom(0n, 1n, 0xffn, 0x7fffffffn, 0xffffffffn, -1n, 0x3210n, 0x88b0n),
  fc.bigInt(0n, 0xffffffffn),
);
const amounts = fc.nat(40);

/** Instructions with one result of 32 or 64 bits. */
const texts = fc.oneof(
  fc.tuple(fc.constantFrom("and", "or", "xor"), immediates).map(([op, c]) => `${op}.b32 %r0, %r1, ${c};`),
  fc.constantFrom("and", "or", "xor").map((op) => `${op}.b64 %d0, %d1, %d2;`),
  fc.tuple(fc.constantFrom("shl.b32", "shr.u32", "shr.s32"), amounts).map(([op, n]) => `${op} %r0, %r1, ${n};`),
  fc.tuple(fc.constantFrom("shl.b64", "shr.u64", "shr.s64"), fc.nat(70)).map(([op, n]) => `${op} %d0, %d1, ${n};`),
  fc.constantFrom(
    "shl.b32 %r0, %r1, %r2;",
    "shr.s32 %r0, %r1, %r2;",
    "not.b32 %r0, %r1;",
    "mov.b32 %r0, %r1;",
    "brev.b32 %r0, %r1;",
  ),
  fc.tuple(amounts, amounts).map(([at, n]) => `bfi.b32 %r0, %r1, %r2, ${at}, ${n};`),
  fc.tuple(fc.constantFrom("u32", "s32"), amounts, amounts).map(([t, at, n]) => `bfe.${t} %r0, %r1, ${at}, ${n};`),
  fc.tuple(fc.constantFrom("u64", "s64"), fc.nat(70), fc.nat(70)).map(([t, at, n]) => `bfe.${t} %d0, %d1, ${at}, ${n};`),
  fc.tuple(immediates, fc.nat(255)).map(([c, table]) => `lop3.b32 %r0, %r1, ${BigInt.asUintN(32, c)}, %r2, ${table};`),
  fc.nat(255).map((table) => `lop3.b32 %r0, %r1, %r2, %r3, ${table};`),
  fc.nat(0xffff).map((selector) => `prmt.b32 %r0, %r1, %r2, ${selector};`),
  fc
    .tuple(fc.constantFrom("l.wrap", "r.wrap", "l.clamp", "r.clamp"), amounts)
    .map(([m, n]) => `shf.${m}.b32 %r0, %r1, %r2, ${n};`),
  fc.constantFrom(
    ...[
      "cvt.u32.u8 %r0, %r1;",
      "cvt.s32.s8 %r0, %r1;",
      "cvt.u64.u32 %d0, %r1;",
      "cvt.s64.s32 %d0, %r1;",
      "cvt.u32.u64 %r0, %d1;",
    ],
    ...[
      "cvt.s32.s16 %r0, %h1;",
      "mov.b64 %d0, {%r1, %r2};",
      "mov.b32 %r0, {%h1, %h2};",
      "neg.s32 %r0, %r1;",
      "popc.b32 %r0, %r1;",
    ],
    ...["add.u32 %r0, %r1, %r2;", "sub.u32 %r0, %r1, %r2;", "mul.lo.u32 %r0, %r1, %r2;", "mad.lo.u32 %r0, %r1, %r2, %r3;"],
    ...["mul.hi.u32 %r0, %r1, %r2;", "mul.wide.u32 %d0, %r1, %r2;", "add.u64 %d0, %d1, %d2;", "min.s32 %r0, %r1, %r2;"],
    ...["selp.b32 %r0, %r1, %r2, %p1;", "selp.b32 %r0, %r1, %r2, %p2;", "selp.b64 %d0, %d1, %d2, %p1;"],
    ...["xor.b32 %r0, %r1, %r1;", "sub.u32 %r0, %r1, %r1;", "add.f32 %f0, %f1, %f2;"],
  ),
);

const word = fc.bigInt(0n, 2n ** 64n - 1n);
/** Mostly defined, as they are. */
const holes = fc.oneof(fc.constant(0n), fc.constantFrom(1n, 0x80n, 0xff00n, 0x80000000n, 2n ** 63n, 2n ** 64n - 1n), word);
const three = <T>(one: fc.Arbitrary<T>) => fc.tuple(one, one, one);

const rows = 16;

/** What the instruction leaves for many values of the undefined bits, the others as given. */
async function outcomes(text: string, values: readonly bigint[], undefinedBits: readonly bigint[], fill: readonly bigint[]) {
  const input = new DataView(new ArrayBuffer(24 * rows));
  for (let row = 0; row < rows; row++) {
    values.forEach((value, n) => {
      const hole = undefinedBits[n] ?? 0n;
      const other = row === 0 ? 0n : row === 1 ? -1n : (fill[(row + n) % fill.length] ?? 0n) >> BigInt(row % 7);
      input.setBigUint64(24 * row + 8 * n, BigInt.asUintN(64, (value & ~hole) | (other & hole)), true);
    });
  }
  const result = /%[drf]0/.exec(text)?.[0] ?? "%r0";
  const wide = result === "%d0";
  const view = await runPtx({
    input: new Uint8Array(input.buffer),
    outputBytes: 8 * rows,
    block: [rows, 1, 1],
    options: { check: "off" },
    body: `  mad.wide.u32 %d31, %tid, 24, %in;
  ld.global.u64 %d1, [%d31]; ld.global.u64 %d2, [%d31+8]; ld.global.u64 %d3, [%d31+16];${narrow}
  ${text}
  mad.wide.u32 %d30, %tid, 8, %out;
  st.global.b${wide ? 64 : 32} [%d30], ${result};`,
  });
  return Array.from({ length: rows }, (_, row) =>
    wide ? view.getBigUint64(8 * row, true) : BigInt(view.getUint32(8 * row, true)),
  );
}

const constantOf = (o: Operand | undefined): bigint | undefined =>
  o?.kind === "int" ? (o as Immediate & { kind: "int" }).value : undefined;

function undefinedBy(text: string, holes: readonly bigint[]): bigint {
  const i = instructionOf(text);
  const undefinedIn = (r: Register): bigint => {
    const hole = holes[Number(/\d/.exec(r.name)?.[0]) - 1] ?? 0n;
    return hole & ((1n << BigInt(widthOf(r))) - 1n);
  };
  const holds = (): boolean => text.includes("%p1");
  return undefinedResults(i, { undefinedIn, holds, constant: constantOf })[0]?.[1] ?? 0n;
}

describe("undefined bits", () => {
  it("hold whatever differs with the undefined bits of operands", async () => {
    const property = fc.asyncProperty(
      texts,
      three(word),
      three(holes),
      fc.array(word, { minLength: 5, maxLength: 5 }),
      async (text, values, bits, fill) => {
        const found = await outcomes(text, values, bits, fill);
        const differing = found.reduce((all, x) => all | (x ^ (found[0] ?? 0n)), 0n);
        expect(differing & ~undefinedBy(text, bits), `${text} ${bits.map((b) => b.toString(16))}`).toBe(0n);
      },
    );
    await fc.assert(property, ofProperty(400, 25));
  });

  it.each([
    ["and.b32 %r0, %r1, 0xffff00ff;", [0xff00n], 0n],
    ["and.b32 %r0, %r1, 0xffff0fff;", [0xff00n], 0xf00n],
    ["or.b32 %r0, %r1, 0xff00;", [0xfff0n], 0xf0n],
    ["shl.b32 %r0, %r1, 8;", [0xff000001n], 0x100n],
    ["shr.u32 %r0, %r1, 8;", [0x100ffn], 0x100n],
    ["shr.s32 %r0, %r1, 8;", [0x80000000n], 0xff800000n],
    ["bfi.b32 %r0, %r1, %r2, 4, 4;", [0x3n, 0xf0n], 0x30n],
    ["bfe.u32 %r0, %r1, 8, 8;", [0xffff00ffn], 0n],
    ["bfe.s32 %r0, %r1, 8, 8;", [0x8000n], 0xffffff80n],
    ["prmt.b32 %r0, %r1, %r2, 0x5410;", [0xffff0000n, 0xffff0000n], 0n],
    ["prmt.b32 %r0, %r1, %r2, 0x7610;", [0n, 0xff000000n], 0xff000000n],
    // a & b, then a ^ b.
    ["lop3.b32 %r0, %r1, 0xff, %r3, 0xc0;", [0xff0fn], 0xfn],
    ["lop3.b32 %r0, %r1, 0xff, %r3, 0x3c;", [0xff0fn], 0xff0fn],
    ["add.u32 %r0, %r1, %r2;", [0x100n], 0xffffff00n],
    ["xor.b32 %r0, %r1, %r1;", [0xffn], 0n],
    ["mov.b64 %d0, {%r1, %r2};", [0n, 1n], 1n << 32n],
    ["cvt.u32.u8 %r0, %r1;", [0xff00n], 0n],
  ] as const)("%s", (text, holes, expected) => {
    expect(undefinedBy(text, holes)).toBe(expected);
  });
});
