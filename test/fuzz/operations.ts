/**
 * Every operation of the language that a random program may use: how an author writes it, and how plain JavaScript says the same.
 * `$0`, `$1`, … stand for the operands, `$T` for the type of the result, `$n` for a static number. Where only one text stands, it means the
 * same in both: comparisons, truth values and the bitwise operators on 32 bits are JavaScript's own.
 * `H` is `arithmetic.ts`.
 */
interface Operation {
  readonly kernel: string;
  readonly host: string;
}
const both = (text: string): Operation => ({ kernel: text, host: text });
const as = (kernel: string, host: string): Operation => ({ kernel, host });

export const operations = {
  // Integers in their range, and floats: every operation rounds to its type.
  add: as("($0 + $1)", "H.round.$T($0 + $1)"),
  sub: as("($0 - $1)", "H.round.$T($0 - $1)"),
  mul: as("($0 * $1)", "H.round.$T($0 * $1)"),
  div: as("($0 / $1)", "H.round.$T($0 / $1)"),
  rem: as("($0 % $1)", "H.round.$T($0 % $1)"),
  neg: as("(-$0)", "H.round.$T(-$0)"),
  plus: as("(+$0)", "$0"),
  power: as("($0 ** $n)", "H.round.$T($0 ** $n)"),
  powerWide: as("($0 ** $nn)", "H.round.$T($0 ** $nn)"),
  mathPow: as("Math.pow($0, $n)", "H.round.$T($0 ** $n)"),
  // 32 bits.
  and: both("($0 & $1)"),
  or: both("($0 | $1)"),
  xor: both("($0 ^ $1)"),
  not: both("(~$0)"),
  shl: both("($0 << $1)"),
  shr: both("($0 >> $1)"),
  ushr: both("($0 >>> $1)"),
  toSigned: both("($0 | 0)"),
  toUnsigned: both("($0 >>> 0)"),
  addWraps: both("(($0 + $1) | 0)"),
  subWraps: both("(($0 - $1) | 0)"),
  addWrapsUnsigned: both("(($0 + $1) >>> 0)"),
  subWrapsUnsigned: both("(($0 - $1) >>> 0)"),
  sumMasked: both("(($0 + $1) & $n)"),
  threeWrap: both("(($0 + $1 - $2) | 0)"),
  imul: both("Math.imul($0, $1)"),
  clz32: both("Math.clz32($0)"),
  popcount: as("bits.popcount($0)", "H.popcount($0)"),
  clz: as("bits.clz($0)", "Math.clz32($0)"),
  reverse: as("bits.reverse($0)", "H.reverse($0)"),
  funnelShift: as("bits.funnelShift($0, $1, $2)", "H.funnelShift($0, $1, $2)"),
  // Division of integers.
  divTrunc: as("Math.trunc($0 / $1)", "H.round.$T(Math.trunc($0 / $1))"),
  divFloor: as("Math.floor($0 / $1)", "H.round.$T(Math.floor($0 / $1))"),
  divCeil: as("Math.ceil($0 / $1)", "H.round.$T(Math.ceil($0 / $1))"),
  divRound: as("Math.round($0 / $1)", "H.round.$T(Math.round($0 / $1))"),
  divOr: as("(($0 / $1) | 0)", "H.round.$T(Math.trunc($0 / $1))"),
  divConvert: as("$T($0 / $1)", "H.round.$T(Math.trunc($0 / $1))"),
  cdiv: as("cdiv($0, $1)", "H.round.$T(Math.ceil($0 / $1))"),
  // 64 bits: bigints.
  andWide: as("($0 & $1)", "H.round.$T($0 & $1)"),
  orWide: as("($0 | $1)", "H.round.$T($0 | $1)"),
  xorWide: as("($0 ^ $1)", "H.round.$T($0 ^ $1)"),
  notWide: as("(~$0)", "H.round.$T(~$0)"),
  shlWide: as("($0 << $1)", "H.round.$T($0 << $1)"),
  shrWide: as("($0 >> $1)", "H.round.$T($0 >> $1)"),
  // Math, where it is exact.
  abs: as("Math.abs($0)", "H.round.$T(Math.abs($0))"),
  min: as("Math.min($0, $1)", "Math.min($0, $1)"),
  max: as("Math.max($0, $1)", "Math.max($0, $1)"),
  min3: as("Math.min($0, $1, $2)", "Math.min($0, $1, $2)"),
  sign: as("Math.sign($0)", "H.round.$T(Math.sign($0))"),
  sqrt: as("Math.sqrt($0)", "H.round.$T(Math.sqrt($0))"),
  floor: as("Math.floor($0)", "H.round.$T(Math.floor($0))"),
  ceil: as("Math.ceil($0)", "H.round.$T(Math.ceil($0))"),
  trunc: as("Math.trunc($0)", "H.round.$T(Math.trunc($0))"),
  round: as("Math.round($0)", "H.round.$T(Math.round($0))"),
  fround: as("Math.fround($0)", "H.round.f32($0)"),
  fma: as("fma($0, $1, $2)", "H.fma.$T($0, $1, $2)"),
  // Conversions.
  convert: as("$T($0)", "H.convert.$T($0)"),
  toBool: as("bool($0)", "Boolean($0)"),
  bitsOfFloat: as('bitcast("i32", $0)', "H.bitsOfFloat($0)"),
  floatOfBits: as('bitcast("f32", $0)', "H.floatOfBits($0)"),
  castSigned: as('bitcast("i32", $0)', "($0 | 0)"),
  castUnsigned: as('bitcast("u32", $0)', "($0 >>> 0)"),
  truthAsNumber: both("($0 ? 1 : 0)"),
  // Comparisons and truth.
  eq: both("($0 === $1)"),
  ne: both("($0 !== $1)"),
  lt: both("($0 < $1)"),
  le: both("($0 <= $1)"),
  gt: both("($0 > $1)"),
  ge: both("($0 >= $1)"),
  isNot: both("(!$0)"),
  isNotNumber: both("($0 !== $0)"),
  andThen: both("($0 && $1)"),
  orElse: both("($0 || $1)"),
  choose: both("($0 ? $1 : $2)"),
} as const satisfies Readonly<Record<string, Operation>>;
