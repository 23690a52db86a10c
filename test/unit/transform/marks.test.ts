import { expect, test } from "vitest";
import { transformSource } from "../../../src/transform/index.ts";

interface Mark {
  readonly name: string;
  readonly role: string;
  readonly params: readonly Record<string, unknown>[];
}

/** What the output says of each marked function, in its order. */
function marks(source: string, modules?: readonly string[]): readonly Mark[] {
  const { code } = transformSource(source, { fileName: "case.ts", emit: "ts", ...(modules ? { modules } : {}) });
  const found = [...code.matchAll(/\.(?:fn|method)\(\d+, (\{ name: .*?, role: "\w+", params: \[.*?\] \})/g)];
  return found.map((match) => new Function(`return ${match[1]};`)() as Mark);
}

const names = (source: string, modules?: readonly string[]) => marks(source, modules).map((m) => `${m.role} ${m.name}`);

test("kernel literals, through renames and namespaces", () => {
  const body = "({}, () => {})";
  expect(names(`import { kernel as k } from "warpsmith"; export const a = k${body};`)).toEqual(["kernel a"]);
  expect(names(`import * as ws from "warpsmith"; export const b = ws.kernel${body}, c = ws.helper(() => 1);`)).toEqual([
    "kernel b",
    "helper c",
  ]);
  expect(names(`import { kernel } from "elsewhere"; export const a = kernel${body}; // warpsmith`)).toEqual([]);
  expect(names(`import { kernel } from "./mine.ts"; export const a = kernel${body};`, ["./mine.ts"])).toEqual(["kernel a"]);
  expect(names(`import { kernel } from "warpsmith"; { const kernel = (o: object, f: () => void) => f; kernel${body}; }`)).toEqual(
    [],
  );
  expect(names(`import { kernel } from "warpsmith"; const make = () => kernel({}, (function own() {}) as () => void);`)).toEqual([
    "kernel own",
  ]);
});

test("options and explicit bodies are host code", () => {
  const source = `"use kernel"; import { kernel, explicit } from "warpsmith";
    export const k = kernel({ grid: (q) => q.n + 1 }, () => {}); export const e = explicit((x) => x + 1);`;
  expect(names(source)).toEqual(["kernel k"]);
  expect(transformSource(source, { fileName: "case.ts" }).code).toContain("(q) => q.n + 1");
});

test("the directive, in functions, methods and whole modules", () => {
  expect(names(`function f() { "use kernel"; return () => 1; } function g() {}`)).toEqual(["helper f", "inner "]);
  expect(names(`class C { m() { "use strict"; "use kernel"; } n() {} get x() { "use kernel"; return 1; } }`)).toEqual([
    "helper m",
    "helper x",
  ]);
  expect(names(`const o = { m() { "use kernel"; }, n() {} };`)).toEqual(["helper m"]);
  expect(names(`"use kernel"; export function f() {} const g = () => 1; class C { constructor(n: number) {} m() {} }`)).toEqual([
    "helper f",
    "helper g",
    "helper m",
    "helper C",
  ]);
  expect(names(`function f() { const s = "x"; "use kernel"; }`)).toEqual([]);
  expect(names(`export default function () { "use kernel"; }`)).toEqual(["helper "]);
});

test("a decorated method is a kernel", () => {
  expect(names(`import { kernel } from "warpsmith"; class C { @kernel({ block: 1 }) static m(a: number) { a; } }`)).toEqual([
    "kernel m",
  ]);
});

test("a file without kernels is only compiled", () => {
  const result = transformSource(`export const x: number = 1; // "use" "kernel"`, { fileName: "case.ts" });
  expect(result.transformed).toBe(false);
  expect(result.code).toContain("export const x = 1;");
  expect(transformSource("let x: number;", { fileName: "case.ts", emit: "ts" })).toEqual({
    code: "let x: number;",
    map: undefined,
    transformed: false,
  });
});

const kinds: readonly (readonly [annotation: string, kind: Record<string, unknown>])[] = [
  [`Tensor<"f32", 2>`, { kind: "tensor", dtype: "f32", rank: 2 }],
  [`Tensor`, { kind: "tensor" }],
  [`TMA<"f16", 3>`, { kind: "tma", dtype: "f16", rank: 3 }],
  [`Map2<"f16">`, { kind: "tma", dtype: "f16" }],
  [`ws.Tensor<"bf16", N>`, { kind: "tensor", dtype: "bf16", rank: 2 }],
  [`i32`, { kind: "scalar", dtype: "i32" }],
  [`u64`, { kind: "scalar", dtype: "u64" }],
  [`(bool)`, { kind: "scalar", dtype: "bool" }],
  [`ws.f16`, { kind: "scalar", dtype: "f16" }],
  [`Count`, { kind: "scalar", dtype: "i32" }],
  [`Static<number>`, { kind: "static" }],
  [`Fixed<{ a: number }>`, { kind: "static" }],
  [`Matrix<"f32">`, { kind: "tensor", dtype: "f32", rank: 2 }],
  [`Matrix<D>`, { kind: "tensor", dtype: "f16", rank: 2 }],
  [`Vector`, { kind: "tensor", dtype: "f64", rank: 1 }],
  [`Loop`, { kind: "unclear", type: "Loop", why: "its aliases go too deep" }],
  [`number`, { kind: "bare", type: "number" }],
  [`Plain`, { kind: "bare", type: "bigint" }],
  [`boolean`, { kind: "other" }],
  [`TMA<"f16", 2> | null`, { kind: "other" }],
  [`{ a: Tensor<"f32", 2> }`, { kind: "other" }],
  [`Unknown`, { kind: "unclear", type: "Unknown", why: "nothing in the file declares Unknown" }],
];

test.each(kinds)("a parameter of type %s", (annotation, kind) => {
  const source = `import { kernel, type Tensor, type TMA, type TMA as Map2, type i32, type u64, type bool, type Static } from "warpsmith";
import type * as ws from "warpsmith";
type N = 2; type D = "f16"; type Count = i32; type Fixed<T> = Static<T>; type Plain = bigint; type Loop = Loop;
type Matrix<E> = Tensor<E, N>; type Vector<E = "f64"> = Tensor<E, 1>;
export const k = kernel({}, (p: ${annotation}) => {});`;
  const [mark] = marks(source);
  const { name, at, ...rest } = mark?.params[0] ?? {};
  expect(name).toBe("p");
  expect(rest).toEqual(kind);
  expect(at !== undefined).toBe(kind.kind === "bare" || kind.kind === "unclear");
});

test("parameters without a plain annotation", () => {
  const [mark] = marks(`function f(this: object, a, b = 1, { c }: { c: number }, ...d: number[]) { "use kernel"; }`);
  expect(mark?.params).toEqual([
    { name: "a", kind: "other" },
    { name: "b", kind: "other" },
    { name: "{ c }", kind: "other" },
    { name: "d", kind: "other" },
  ]);
});
