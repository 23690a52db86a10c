/** First values of variables: what is read, and what is refused, as ptxas 13.0 does. */
import { expect, it } from "vitest";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { parsePtx } from "../../../../src/ptx/parse/index.ts";
import { assemble } from "../../../support/ptxas.ts";

const taken = [
  ...["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"].flatMap((type) => [
    `.global .${type} a = 1;`,
    `.global .${type} a = -1 + 3 * WARP_SZ;`,
  ]),
  ...["f32", "f64"].flatMap((type) => ["0f40000000", "0d4000000000000000", "-1.5"].map((x) => `.const .${type} a = ${x};`)),
  ...["b8", "b16", "b32", "b64"].flatMap((type) => ["7", "0f40000000", "1.5"].map((x) => `.global .${type} a = ${x};`)),
  ".global .u8 a = 300;",
  ".global .u32 a = g;",
  ".global .u64 a[3] = {generic(g)+8, ga+4, 0xFF00(generic(g))};",
  ".global .u8 a[8] = {0xFF(g), 0xFF00(g), 0xFF00000000000000(generic(ga)+4)};",
  ".global .u32 a[2] = {1};",
  ".global .u32 a[2] = {};",
  ".global .u32 a[] = {1, 2, 3};",
  ".global .b32 a[3][2] = {{1}, {2, 3}};",
  ".global .u32 a[][2] = {{1, 2}, {3, 4}};",
  ".global .v2 .u32 a = {1, 2};",
  ".global .v2 .u32 a[2] = {{1, 2}};",
  ".common .global .align 4 .u32 a = 1;",
];

const refused: Readonly<Record<string, readonly string[]>> = {
  W7814: [
    ...["u8", "s16", "u32", "s64"].flatMap((type) =>
      ["0f40000000", "0d4000000000000000", "1.5"].map((x) => `.global .${type} a = ${x};`),
    ),
    ...["f32", "f64"].flatMap((type) => ["1", "-1", "WARP_SZ", "g"].map((x) => `.global .${type} a = ${x};`)),
    ...["b32", "b64", "s64", "u16", "u8"].map((type) => `.global .${type} a = g;`),
    ".global .u32 a = 99999999999999999999;",
    ".global .s8 a = 0xFF(g);",
    ".global .b8 a = 0xFF(generic(g)+4);",
    ".global .u8 a = 0xF0(g);",
    ".global .u64 a = 1(g);",
    ".global .u32 a = {1};",
    ".global .u32 a[2] = 1;",
    ".global .u32 a[] = {};",
    ".global .u32 a[2] = {{1}, {2}};",
    ".global .b32 a[2][2] = {1, 2};",
    ".global .b32 a[2][2] = {{1}, 2};",
    ".global .v2 .u32 a = 1;",
    ".global .f32 a[2] = {0f3f800000, 1};",
    ".global .u32 a[2] = {1, 0f3f800000};",
  ],
  W7815: [
    ".global .u32 a[2] = {1, 2, 3};",
    ".global .u32 a[2][2] = {{1, 2, 3}, {3}};",
    ".global .v2 .u32 a = {1, 2, 3};",
    ".global .v2 .u32 a = {1};",
    ".global .v2 .u32 a[2] = {{1}, {2, 3}};",
  ],
  W7816: [".shared .u32 a = 1;", ".extern .global .u32 a = 1;", ".global .f16 a = 0x3C00;", ".global .f16x2 a = 1;"],
  W9800: [
    ".const .align 4 .f32 a = 0f40000000 ( ;",
    ".global .align 4 .u32 a = 1 ( ;",
    ".global .u32 a[2] = {1,};",
    ".global .u32 a = ;",
    ".global .f32 a = 1.5+2;",
  ],
};

const module = (declaration: string): string =>
  `.version 8.3\n.target sm_90a\n.address_size 64\n.global .align 8 .u64 g;\n.global .align 4 .u32 ga[4];\n${declaration}\n.visible .entry k() { ret; }\n`;

function codeOf(declaration: string): string {
  try {
    parsePtx(module(declaration), "k.ptx");
    return "none";
  } catch (error) {
    if (!(error instanceof WarpsmithError)) throw error;
    expect(error.message).toMatch(/k\.ptx:6:\d+/);
    return error.code;
  }
}

it.each(taken)("takes %s", (declaration) => {
  expect(codeOf(declaration)).toBe("none");
  expect(assemble(module(declaration))?.ok ?? true).toBe(true);
});

it.each(Object.entries(refused).flatMap(([code, all]) => all.map((one) => [code, one] as const)))(
  "%s: %s",
  (code, declaration) => {
    expect(codeOf(declaration)).toBe(code);
    expect(assemble(module(declaration))?.ok ?? false).toBe(false);
  },
);
