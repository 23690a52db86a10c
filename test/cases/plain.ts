import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";

function* count(...args: readonly unknown[]): Generator<number> {
  const [first = 0, second, third] = args.filter((x): x is number => typeof x === "number");
  const [start, stop, step] = second === undefined ? [0, first, 1] : [first, second, third ?? 1];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) yield i;
}

/** What a program imports from the package, as plain JavaScript. Floats keep the precision that they are given. */
const standIns: Readonly<Record<string, unknown>> = {
  range: count,
  staticRange: count,
  i32: Math.trunc,
  f32: Math.fround,
  bool: Boolean,
  cdiv: (a: number, b: number) => Math.ceil(a / b),
};

/**
 * The exports of a module of programs as the JavaScript it reads as: neither transformed nor traced, so that what the package makes
 * of the same text can be held against it.
 */
export function plainModule<M>(url: string): M {
  const text = readFileSync(fileURLToPath(url), "utf8");
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
  });
  const exports: Record<string, unknown> = {};
  new Function("require", "exports", outputText)(() => standIns, exports);
  return exports as M;
}
