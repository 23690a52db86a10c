/** Makes what a program computes show in its results: a number of each thread that every way through the program changes. */
import { type Expr, isFloatType, isNarrowType, isWideType, type Stmt } from "../program.ts";
import { interval, type Maker, op, type Scope, text, type Variable, variableText, whole } from "./maker.ts";

/** Where the digests of the threads end up: an i32 each. */
export const digests = "digests";

const digest = (name: string): Expr => text(name, "i32", true);

const mixed = (name: string, e: Expr): Stmt => ({
  kind: "assign",
  name,
  value: op("xor", "i32", [op("imul", "i32", [digest(name), whole("i32", 31)]), e]),
});

/** 32 bits that tell most values of a variable apart. */
function bitsOf(v: Variable): Expr | undefined {
  const value = variableText(v);
  if (v.type === "bool") return op("truthAsNumber", "i32", [value], interval(0, 1));
  if (v.type === "i32" || isNarrowType(v.type)) return value;
  if (!v.sure) return undefined;
  if (v.type === "u32") return value;
  if (isWideType(v.type)) return op("convert", "i32", [op("andWide", v.type, [value, whole(v.type, 0x7fffffff)])]);
  if (isFloatType(v.type)) return op("convert", "i32", [op("mul", v.type, [value, text("64", v.type, false)])]);
  return undefined;
}

/** Mixes variables in that are about to be forgotten. */
export function absorb({ digest: name }: Scope, variables: readonly Variable[]): readonly Stmt[] {
  if (name === undefined) return [];
  return variables.slice(-4).flatMap((v) => {
    const bits = bitsOf(v);
    return bits ? [mixed(name, bits)] : [];
  });
}

/** Notes that the program came here. */
export function mark(m: Maker, { digest: name }: Scope): readonly Stmt[] {
  return name === undefined ? [] : [mixed(name, whole("i32", m.random.between(1, 99)))];
}

/** What a thread leaves behind when it ends. */
export function endOfThread({ digest: name }: Scope): readonly Stmt[] {
  if (name === undefined) return [];
  const own = text("i", "i32", true, interval(0, 0));
  return [{ kind: "store", place: { memory: digests, index: [own], form: "index" }, value: digest(name) }];
}

/** The digest as it begins. */
export const beginDigest = (name: string): Stmt => ({
  kind: "declare",
  name,
  constant: false,
  value: op("convert", "i32", [whole("i32", 1)]),
});

/** One value or another, by the digest. */
export const byDigest = (name: string, a: Expr, b: Expr): Expr =>
  op("choose", a.type, [op("and", "i32", [digest(name), whole("i32", 1)]), a, b]);
