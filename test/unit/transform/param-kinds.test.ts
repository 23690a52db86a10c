import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { transformCached } from "../../../src/transform/cached.ts";
import { transformSource } from "../../../src/transform/index.ts";

/** What other files export. */
const files = {
  "types.ts": `import type { f32, Tensor, Static } from "warpsmith";
export type Alpha = f32;
export type Matrix<T extends string = "f32"> = Tensor<T, 2>;
export type Count = number;
export type Fixed = Static<number>;
export interface Options { alpha: f32; beta?: f32; name: string }
export class Config { alpha = 1 }
export enum Mode { Fast = 1, Slow }
type Hidden = f32;
export { type Hidden as Shown };
type Chosen = f32;
export default Chosen;
export namespace space { export type Inside = f32; export interface Thing { n: number } }
export const defaults = { alpha: 1 };
export const modes = ["fast", "slow"] as const;
export const sizes = [1, 2];
export let changing: f32 = 1;
`,
  "again.ts": `export type { Alpha as Beta } from "./types.js"; export * from "./types.ts"; export * as all from "./types.ts";`,
  "ours.ts": `export type { f16 } from "warpsmith"; export * from "warpsmith";`,
  "bare.ts": `export * from "some-package";`,
  "circle.ts": `export * from "./circle-too.ts"; export type { Loop } from "./circle-too.ts";`,
  "circle-too.ts": `export * from "./circle.ts"; export type { Loop } from "./circle.ts";`,
  "broken.ts": `export type Alpha = ; const = 3;`,
  "folder/index.ts": `export type { Alpha } from "../types.js";`,
  "declared.d.ts": `export type Alpha = import("warpsmith").i32;`,
  "tool.js": `export class Tool {}`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "warpsmith-params-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const types = (names: string): string => `import type { ${names} } from "./types.ts";`;

/** Before the kernel, the annotation of its parameter, and the kind it must have, with what else is told of it. */
const table: readonly (readonly [before: string, annotation: string, kind: string])[] = [
  // Where the type is in another file.
  [types("Alpha"), "Alpha", "scalar f32"],
  [types("Alpha as A"), "A", "scalar f32"],
  [types("Count"), "Count", "bare number"],
  [types("Fixed"), "Fixed", "static"],
  [types("Matrix"), "Matrix", "tensor f32 2"],
  [types("Matrix"), `Matrix<"f16">`, "tensor f16 2"],
  [types("Options"), "Options", "other"],
  [types("Config"), "Config", "other"],
  [types("Mode"), "Mode", "other"],
  [types("Mode"), "Mode.Fast", "other"],
  [types("Shown"), "Shown", "scalar f32"],
  [types("Hidden"), "Hidden", "unclear"],
  [`import type Chosen from "./types.ts";`, "Chosen", "scalar f32"],
  [`import type * as t from "./types.ts";`, "t.Alpha", "scalar f32"],
  [`import type * as t from "./types.ts";`, "t.space.Inside", "scalar f32"],
  [`import type * as t from "./types.ts";`, "t.space.Thing", "other"],
  [`import type { all } from "./again.ts";`, "all.Alpha", "scalar f32"],
  [`import type { Beta } from "./again.ts";`, "Beta", "scalar f32"],
  [`import type { Matrix } from "./again.js";`, "Matrix", "tensor f32 2"],
  [`import type { Nothing } from "./again.js";`, "Nothing", "unclear"],
  [`import type { f16 } from "./ours.ts";`, "f16", "scalar f16"],
  [`import type { i32 } from "./ours.ts";`, "i32", "scalar i32"],
  [`import type { Alpha } from "./folder";`, "Alpha", "scalar f32"],
  [`import type { Alpha } from "./types";`, "Alpha", "scalar f32"],
  [`import type { Alpha } from "./declared.js";`, "Alpha", "scalar i32"],
  [`import { Tool } from "./tool.js";`, "Tool", "other"],
  [`import type { Alpha } from "./bare.ts";`, "Alpha", "unclear"],
  [`import type { Loop } from "./circle.ts";`, "Loop", "unclear"],
  [`import type { Alpha } from "./broken.ts";`, "Alpha", "unclear"],
  [`import type { Alpha } from "./nowhere.ts";`, "Alpha", "unclear"],
  [`import type { Alpha } from "some-package";`, "Alpha", "unclear"],
  [`import type { Alpha } from "#types";`, "Alpha", "unclear"],
  ["", `import("./types.ts").Alpha`, "scalar f32"],
  ["", `import("./types.ts").Options`, "other"],
  ["", `import("warpsmith").f32`, "scalar f32"],
  ["", `typeof import("./types.ts")`, "other"],
  // Unions.
  ["", "f32 | undefined", "unclear"],
  ["", "number | undefined", "unclear"],
  ["", "i32 | f32", "unclear"],
  [types("Alpha"), "string | Alpha", "unclear"],
  ["", "0 | 1 | undefined", "other"],
  ["", `"fast" | "slow"`, "other"],
  ["", `Tensor<"f32", 1> | undefined`, "other"],
  ["", "Static<number> | undefined", "other"],
  ["", "f32 & { brand: true }", "scalar f32"],
  ["", "number & { brand: true }", "bare number"],
  // Aliases and their parameters.
  ["type Same<T> = T;", "Same<f32>", "scalar f32"],
  ["type Same<T> = T; type Twice<U> = Same<Same<U>>;", "Twice<f32>", "scalar f32"],
  ["type Maybe<T> = T | undefined; type Twice<T> = Maybe<Maybe<T>>;", "Twice<string>", "other"],
  ["type Maybe<T> = T | undefined; type Twice<T> = Maybe<Maybe<T>>;", "Twice<f32>", "unclear"],
  ["type Or<T, U = T> = U;", "Or<f32>", "scalar f32"],
  ["type Mat<T extends string, R extends number = 2> = Tensor<T, R>;", `Mat<"f16">`, "tensor f16 2"],
  [`type Half = "f16"; type Mat<T extends string> = Tensor<T, 1>;`, "Mat<Half>", "tensor f16 1"],
  ["type Loop = Loop | string;", "Loop", "unclear"],
  ["function make<T>() {", "T", "unclear"],
  ["function make<T extends number>() {", "T", "bare number"],
  ["function make<T extends f32>() {", "T", "unclear"],
  ["function make<T extends string>() {", "T", "other"],
  ["function make<D extends string>() {", "Tensor<D, 2>", "tensor 2"],
  // What only TypeScript computes.
  ["", `Readonly<f32>`, "scalar f32"],
  ["", `Readonly<{ n: number }>`, "other"],
  ["", `Exclude<f32 | string, string>`, "unclear"],
  ["", `Exclude<"a" | "b", "a">`, "other"],
  ["type Mapped<T> = { [K in keyof T]: T[K] };", "Mapped<f32>", "scalar f32"],
  ["type Mapped<T> = { [K in keyof T]: T[K] };", "Mapped<{ n: number }>", "other"],
  ["type If<T> = T extends string ? f32 : string;", "If<string>", "unclear"],
  ["type If<T> = T extends string ? 1 : string;", "If<string>", "other"],
  ["const make = () => 1;", "ReturnType<typeof make>", "unclear"],
  [types("Options"), `Options["alpha"]`, "scalar f32"],
  [types("Options"), `Options["beta"]`, "unclear"],
  [types("Options"), `Options["name"]`, "other"],
  [types("Options"), "Options[keyof Options]", "unclear"],
  ["", `{ n: f32 }["n"]`, "scalar f32"],
  ["", "f32[][number]", "unclear"],
  [`import { modes } from "./types.ts";`, "(typeof modes)[number]", "other"],
  [`import { sizes } from "./types.ts";`, "(typeof sizes)[number]", "unclear"],
  [`import { defaults } from "./types.ts";`, "typeof defaults", "other"],
  [`import { defaults } from "./types.ts";`, "typeof defaults.alpha", "unclear"],
  [`import { changing } from "./types.ts";`, "typeof changing", "scalar f32"],
  ["const three = 3;", "typeof three", "other"],
  ["let three = 3;", "typeof three", "unclear"],
  ["const made = Number(3);", "typeof made", "unclear"],
  [types("Options"), "keyof Options", "other"],
  // Objects and globals.
  ["", "{ alpha: number }", "other"],
  ["", "[number, number]", "other"],
  ["", "readonly number[]", "other"],
  ["", "(x: f32) => f32", "other"],
  ["", "Map<string, number>", "other"],
  ["", "Float32Array", "other"],
  ["", "string", "other"],
  ["", "unknown", "other"],
  ["", "Number", "unclear"],
  ["", "NotDeclared", "unclear"],
  ["interface Local { n: number }", "Local", "other"],
  ["class Local { n = 1 }", "Local", "other"],
  ["namespace space { export type Inside = f32; }", "space.Inside", "scalar f32"],
  ["namespace space { export type Inside = f32; } import Short = space.Inside;", "Short", "scalar f32"],
];

function program(before: string, annotation: string): string {
  const after = before.endsWith("{") ? "}" : "";
  return `import { kernel, type f32, type i32, type Static, type Tensor } from "warpsmith";
${before}
const k = kernel({}, (a: ${annotation}) => {});
${after}`;
}

function kindOf(code: string): string {
  const [, text = ""] = /params: \[\{ name: "a", (.*?) \}\]/.exec(code) ?? [];
  const value = (name: string): string | undefined => new RegExp(`\\b${name}: "?(\\w+)"?`).exec(text)?.[1];
  const kind = value("kind");
  return kind === "unclear"
    ? kind
    : [kind, value("dtype"), value("rank"), value("type")].filter((x) => x !== undefined).join(" ");
}

test.each(table)("%s a: %s", (before, annotation, kind) => {
  const { code } = transformSource(program(before, annotation), { fileName: join(folder, "main.ts"), emit: "ts" });
  expect(kindOf(code)).toBe(kind);
});

test("the result says which files it was made from, those that it looked for among them", () => {
  const source = program(`import type { Alpha } from "./folder";`, "Alpha");
  const { reads } = transformSource(source, { fileName: join(folder, "main.ts") });
  const names = (reads ?? []).map(
    ({ path, digest }) => `${path.slice(folder.length + 1)}${digest === null ? " is not there" : ""}`,
  );
  expect(names).toEqual([
    "folder.ts is not there",
    "folder.tsx is not there",
    "folder.mts is not there",
    "folder.d.ts is not there",
    "folder/index.ts",
    "types.ts",
  ]);
  expect(transformSource(program("", "f32"), { fileName: join(folder, "main.ts") }).reads).toBeUndefined();
});

test("what the cache gives follows the other file, also one that was not there before", async () => {
  const cache = join(folder, "cache");
  const source = program(`import type { Size } from "./size.ts";`, "Size");
  const kind = async (): Promise<string> =>
    kindOf((await transformCached(source, { fileName: join(folder, "main.ts"), emit: "ts" }, cache)).code);
  const say = (type: string): void => writeFileSync(join(folder, "size.ts"), `export type Size = ${type};`);
  expect(await kind()).toBe("unclear");
  say(`import("warpsmith").f32`);
  expect(await kind()).toBe("scalar f32");
  expect(await kind()).toBe("scalar f32");
  say("string");
  expect(await kind()).toBe("other");
  rmSync(join(folder, "size.ts"));
  expect(await kind()).toBe("unclear");
});
