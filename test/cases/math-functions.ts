"use kernel";
import { erf, erfc, fast } from "warpsmith";

export type Unary = (x: number) => number;
export type Binary = (x: number, y: number) => number;

/** The same bits as in JavaScript. */
export const exactFunctions: Readonly<Record<string, Unary>> = {
  abs: (x) => Math.abs(x),
  floor: (x) => Math.floor(x),
  ceil: (x) => Math.ceil(x),
  trunc: (x) => Math.trunc(x),
  round: (x) => Math.round(x),
  sign: (x) => Math.sign(x),
};

/** Within an error. */
export const functions: Readonly<Record<string, Unary>> = {
  exp: (x) => Math.exp(x),
  expm1: (x) => Math.expm1(x),
  log: (x) => Math.log(x),
  log1p: (x) => Math.log1p(x),
  log2: (x) => Math.log2(x),
  log10: (x) => Math.log10(x),
  sin: (x) => Math.sin(x),
  cos: (x) => Math.cos(x),
  tan: (x) => Math.tan(x),
  asin: (x) => Math.asin(x),
  acos: (x) => Math.acos(x),
  atan: (x) => Math.atan(x),
  sinh: (x) => Math.sinh(x),
  cosh: (x) => Math.cosh(x),
  tanh: (x) => Math.tanh(x),
  asinh: (x) => Math.asinh(x),
  acosh: (x) => Math.acosh(x),
  atanh: (x) => Math.atanh(x),
  cbrt: (x) => Math.cbrt(x),
  sqrt: (x) => Math.sqrt(x),
  erf: (x) => erf(x),
  erfc: (x) => erfc(x),
};
export const functionsOfTwo: Readonly<Record<string, Binary>> = {
  pow: (x, y) => x ** y,
  atan2: (x, y) => Math.atan2(x, y),
  hypot: (x, y) => Math.hypot(x, y),
};
export const powersOfTwo: Unary = (x) => 2 ** x;
export const powers: Readonly<Record<string, Unary>> = {
  square: (x) => x ** 2,
  cube: (x) => x ** 3,
};

export const approximations: Readonly<Record<string, Unary>> = {
  exp: (x) => fast.exp(x),
  exp2: (x) => fast.exp2(x),
  log2: (x) => fast.log2(x),
  rcp: (x) => fast.rcp(x),
  rsqrt: (x) => fast.rsqrt(x),
  tanh: (x) => fast.tanh(x),
  sin: (x) => fast.sin(x),
  cos: (x) => fast.cos(x),
};
export const quotients: Readonly<Record<string, Binary>> = {
  divide: (x, y) => fast.divide(x, y),
};
