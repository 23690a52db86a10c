import { f32, f64, int, type Reg } from "../ptx/index.ts";
import { branch, type Context, emit, fresh, nextLabel, placeLabel, unless, when } from "./context.ts";

interface Format {
  readonly bits: "b32" | "b64";
  readonly uint: "u32" | "u64";
  readonly width: number;
  readonly mantissa: number;
}
const formats = {
  f32: { bits: "b32", uint: "u32", width: 32, mantissa: 23 },
  f64: { bits: "b64", uint: "u64", width: 64, mantissa: 52 },
} as const satisfies Readonly<Record<string, Format>>;

/** The mantissa with its leading one in place, and the exponent that belongs to it. */
interface Parts {
  readonly mantissa: Reg;
  readonly exponent: Reg;
}

const ones = (n: number): bigint => (1n << BigInt(n)) - 1n;

/** Shifts the mantissa until its leading one stands where a normal number's stands. Gives the distance. */
function normalise(ctx: Context, format: Format, mantissa: Reg): Reg {
  const shift = fresh(ctx, "b32");
  emit(ctx, "clz", { type: format.bits }, [shift, mantissa]);
  emit(ctx, "sub", { type: "s32" }, [shift, shift, int(format.width - 1 - format.mantissa)]);
  emit(ctx, "shl", { type: format.bits }, [mantissa, mantissa, shift]);
  return shift;
}

/** Takes a magnitude apart; it is not 0. */
function takeApart(ctx: Context, format: Format, magnitude: Reg): Parts {
  const [mantissa, high, exponent, small] = [
    fresh(ctx, format.bits),
    fresh(ctx, format.bits),
    fresh(ctx, "b32"),
    fresh(ctx, "pred"),
  ];
  emit(ctx, "shr", { type: format.uint }, [high, magnitude, int(format.mantissa)]);
  emit(ctx, "setp", { is: "eq", type: format.uint }, [small, high, int(0)]);
  if (format.width === 64) emit(ctx, "cvt", { to: "u32", from: "u64" }, [exponent, high]);
  else emit(ctx, "mov", { type: "b32" }, [exponent, high]);
  emit(ctx, "and", { type: format.bits }, [mantissa, magnitude, int(ones(format.mantissa))]);
  emit(ctx, "or", { type: format.bits }, [mantissa, mantissa, int(1n << BigInt(format.mantissa))], unless(small));
  const shift = normalise(ctx, format, mantissa);
  emit(ctx, "sub", { type: "s32" }, [exponent, int(1), shift], when(small));
  return { mantissa, exponent };
}

/** x mod y on mantissas, one bit of the quotient at a time, as in long division; leaves x's exponent at y's. */
function divideLong(ctx: Context, format: Format, x: Parts, y: Parts, name: string): void {
  const [more, fits] = [fresh(ctx, "pred"), fresh(ctx, "pred")];
  const subtract = () => {
    emit(ctx, "setp", { is: "ge", type: format.uint }, [fits, x.mantissa, y.mantissa]);
    emit(ctx, "sub", { type: format.uint }, [x.mantissa, x.mantissa, y.mantissa], when(fits));
  };
  emit(ctx, "setp", { is: "gt", type: "s32" }, [more, x.exponent, y.exponent]);
  branch(ctx, `${name}_last`, unless(more));
  placeLabel(ctx, `${name}_bit`);
  subtract();
  emit(ctx, "shl", { type: format.bits }, [x.mantissa, x.mantissa, int(1)]);
  emit(ctx, "sub", { type: "s32" }, [x.exponent, x.exponent, int(1)]);
  emit(ctx, "setp", { is: "gt", type: "s32" }, [more, x.exponent, y.exponent]);
  branch(ctx, `${name}_bit`, when(more));
  placeLabel(ctx, `${name}_last`);
  subtract();
}

/** Puts mantissa and exponent together again; subnormal numbers included. The mantissa is not 0. */
function putTogether(ctx: Context, format: Format, { mantissa, exponent }: Parts, out: Reg): void {
  const [normal, high, low, down] = [fresh(ctx, "pred"), fresh(ctx, format.bits), fresh(ctx, "b32"), fresh(ctx, "b32")];
  const shift = normalise(ctx, format, mantissa);
  emit(ctx, "sub", { type: "s32" }, [exponent, exponent, shift]);
  emit(ctx, "setp", { is: "gt", type: "s32" }, [normal, exponent, int(0)]);
  emit(ctx, "sub", { type: "s32" }, [low, exponent, int(1)]);
  if (format.width === 64) emit(ctx, "cvt", { to: "s64", from: "s32" }, [high, low]);
  else emit(ctx, "mov", { type: "b32" }, [high, low]);
  emit(ctx, "shl", { type: format.bits }, [high, high, int(format.mantissa)]);
  emit(ctx, "sub", { type: "s32" }, [down, int(1), exponent]);
  emit(ctx, "add", { type: format.uint }, [out, mantissa, high], when(normal));
  emit(ctx, "shr", { type: format.uint }, [out, mantissa, down], unless(normal));
}

/** a - trunc(a / b) * b without rounding, as JavaScript's %: the classic long division on the bits. */
export function lowerRemainder(ctx: Context, type: "f32" | "f64", a: Reg, b: Reg): Reg {
  const format: Format = formats[type];
  const name = nextLabel(ctx, "rem");
  const whole = () => fresh(ctx, format.bits);
  const [abits, bbits, x, y, sign, out, result] = [whole(), whole(), whole(), whole(), whole(), whole(), fresh(ctx, type)];
  const infinity = int(ones(format.width - 1 - format.mantissa) << BigInt(format.mantissa));
  const test = (is: "eq" | "gt" | "ge" | "lt", p: Reg, q: Reg | typeof infinity): Reg => {
    const t = fresh(ctx, "pred");
    emit(ctx, "setp", { is, type: format.uint }, [t, p, q]);
    return t;
  };
  emit(ctx, "mov", { type: format.bits }, [abits, a]);
  emit(ctx, "mov", { type: format.bits }, [bbits, b]);
  emit(ctx, "and", { type: format.bits }, [x, abits, int(ones(format.width - 1))]);
  emit(ctx, "and", { type: format.bits }, [y, bbits, int(ones(format.width - 1))]);
  emit(ctx, "xor", { type: format.bits }, [sign, abits, x]);
  emit(ctx, "mov", { type: format.bits }, [out, type === "f32" ? f32(Number.NaN) : f64(Number.NaN)]);
  for (const bad of [test("eq", y, int(0)), test("ge", x, infinity), test("gt", y, infinity)])
    branch(ctx, `${name}_end`, when(bad));
  emit(ctx, "mov", { type: format.bits }, [out, abits]);
  branch(ctx, `${name}_end`, when(test("lt", x, y)));
  const top = takeApart(ctx, format, x);
  divideLong(ctx, format, top, takeApart(ctx, format, y), name);
  emit(ctx, "mov", { type: format.bits }, [out, sign]);
  branch(ctx, `${name}_end`, when(test("eq", top.mantissa, int(0))));
  putTogether(ctx, format, top, out);
  emit(ctx, "or", { type: format.bits }, [out, out, sign]);
  placeLabel(ctx, `${name}_end`);
  emit(ctx, "mov", { type: format.bits }, [result, out]);
  return result;
}
