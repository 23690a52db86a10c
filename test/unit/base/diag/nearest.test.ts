import { expect, it } from "vitest";
import { likely } from "../../../../src/base/diag/index.ts";
import { meantOption, wordFix } from "../../../../src/base/diag/other-names.ts";

it.each([
  ["shpe", ["shape", "strides", "rank"], "shape"],
  ["shuffleXor", ["shuffle", "ballot", "lane"], "shuffle"],
  ["logarithm", ["log", "log10", "sqrt"], "log"],
  ["squareRoot", ["sqrt", "sin"], undefined],
  ["foo", ["shape", "strides"], undefined],
  ["store_accumulator", ["scale", "store", "convert"], "store"],
  ["try_wait", ["wait", "tryWait", "testWait"], "tryWait"],
])("%s of %j: %s", (name, words, meant) => {
  expect(likely(name, words)).toBe(meant);
});

const arrive = ["tx", "count", "pred", "rank"];
const map = ["box", "swizzle", "interleave", "l2Promotion", "oobFill", "elementStrides"];
const kernel = ["block", "grid", "cluster", "smem", "registers", "blocksPerSM", "debug"];

it.each([
  ["predicate", arrive, "pred"],
  ["tx_count", arrive, "tx"],
  ["txCount", arrive, "tx"],
  ["pred", ["other", "mask"], "mask"],
  ["mask", ["pred", "cacheHint"], "pred"],
  ["l2promo", map, "l2Promotion"],
  ["l2_promotion", map, "l2Promotion"],
  ["swizzleMode", map, "swizzle"],
  ["boxShape", map, "box"],
  ["oob", map, "oobFill"],
  ["threads", kernel, "block"],
  ["blocks", kernel, "block"],
  ["blocks", ["grid", "device"], "grid"],
  ["sharedMemory", kernel, "smem"],
  ["maxnreg", kernel, "registers"],
  ["vec", ["vector", "perPhase", "maxPhase"], "vector"],
  ["per_phase", ["vector", "perPhase", "maxPhase"], "perPhase"],
  ["numStages", ["stages", "producers", "consumers"], "stages"],
  ["memoryScope", ["scope", "order"], "scope"],
  ["debug", ["grid", "device", "stream"], undefined],
  ["part", ["primary", "fraction", "secondary"], undefined],
])("the option %s of %j: %s", (name, options, meant) => {
  expect(meantOption(name, options)).toBe(meant);
});

const swizzles = '"none", "32B", "64B" or "128B"';

it.each([
  ['"device"', '"block", "cluster", "gpu" or "system"', '"gpu"'],
  ['"cta"', '"block", "cluster", "gpu" or "system"', '"block"'],
  ["128", swizzles, '"128B"'],
  ["64", swizzles, '"64B"'],
  ['"SWIZZLE_128B"', swizzles, '"128B"'],
  ['the text "rowMajor"', '"grouped", "hilbert", "row" or "column"', '"row"'],
  ['"evict_first"', '"evictFirst" or "evictLast"', '"evictFirst"'],
  ['"float32"', '"f32" or "f16"', '"f32"'],
  ['"256B"', swizzles, undefined],
  ["seq_cst", '"relaxed", "acquire", "release", "acq_rel"', undefined],
  ["3", '"eager" or a whole number', undefined],
])("%s in place of %s: %s", (given, allowed, word) => {
  expect(wordFix(given, allowed)).toBe(word === undefined ? allowed : `${word}; there are ${allowed}`);
});
