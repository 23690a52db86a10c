import { defineForms } from "./define-forms.ts";

const types = ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"] as const;
const vectors = ["", "v2", "v4"] as const;
const scopes = ["cta", "cluster", "gpu", "sys"] as const;
const evictions = [
  "",
  "L1::evict_first",
  "L1::evict_last",
  "L1::evict_normal",
  "L1::evict_unchanged",
  "L1::no_allocate",
] as const;
const done = ["mbarrier::complete_tx::bytes"] as const;
const spaces = ["global", "shared", "shared::cluster"] as const;

/** Loads, stores (PTX ISA 9.7.9), atomics, fences (9.7.13). */
export const memoryForms = defineForms({
  "ld.param": { text: "ld.param", modifiers: { type: types }, operands: ["d:type", "addr"] },
  ld: {
    text: "ld",
    modifiers: {
      space: spaces,
      cache: ["", "ca", "cg", "cs", "lu", "cv"],
      nc: ["", "nc"],
      evict: evictions,
      hint: ["", "L2::cache_hint"],
      prefetch: ["", "L2::64B", "L2::128B", "L2::256B"],
      vec: vectors,
      type: types,
    },
    operands: ["v:type", "addr", "s?"],
  },
  /** From any space. */
  "ld.generic": { text: "ld", modifiers: { type: types }, operands: ["d:type", "addr"] },
  st: {
    text: "st",
    modifiers: {
      space: spaces,
      cache: ["", "wb", "cg", "cs", "wt"],
      evict: evictions,
      hint: ["", "L2::cache_hint"],
      vec: vectors,
      type: types,
    },
    operands: ["addr", "w:type", "s?"],
  },
  "ld.acquire": {
    text: "ld.acquire",
    modifiers: { scope: scopes, space: spaces, vec: vectors, type: types },
    operands: ["v:type", "addr"],
  },
  "st.release": {
    text: "st.release",
    modifiers: { scope: scopes, space: spaces, vec: vectors, type: types },
    operands: ["addr", "w:type"],
  },
  "ld.relaxed": { text: "ld.relaxed", modifiers: { scope: scopes, space: spaces, type: types }, operands: ["d:type", "addr"] },
  "st.relaxed": {
    text: "st.relaxed",
    modifiers: { scope: scopes, space: spaces, vec: vectors, type: types },
    operands: ["addr", "w:type"],
  },
  atom: {
    text: "atom",
    modifiers: {
      order: ["relaxed", "acquire", "release", "acq_rel"],
      scope: scopes,
      space: spaces,
      op: ["add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"],
      noftz: ["", "noftz"],
      type: ["b32", "b64", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"],
    },
    operands: ["d:type", "addr", "s:type"],
  },
  red: {
    text: "red",
    modifiers: {
      order: ["relaxed", "release"],
      scope: scopes,
      space: spaces,
      op: ["add", "min", "max", "and", "or", "xor", "inc", "dec"],
      noftz: ["", "noftz"],
      type: ["b32", "b64", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"],
    },
    operands: ["addr", "s:type"],
  },
  /** Neighbours. */
  "red.vec": {
    text: "red",
    since: "8.1",
    modifiers: {
      order: ["relaxed", "release"],
      scope: scopes,
      space: ["global"],
      op: ["add", "min", "max"],
      noftz: ["", "noftz"],
      vec: ["v2", "v4", "v8"],
      type: ["f16", "bf16", "f32"],
    },
    operands: ["addr", "w:type"],
  },
  prefetch: {
    text: "prefetch",
    modifiers: { space: ["global"], level: ["L1", "L2", "L2::evict_last", "L2::evict_normal"] },
    operands: ["addr"],
  },
  "atom.cas": {
    text: "atom",
    modifiers: {
      order: ["relaxed", "acquire", "release", "acq_rel"],
      scope: scopes,
      space: spaces,
      op: ["cas"],
      type: ["b16", "b32", "b64"],
    },
    operands: ["d:type", "addr", "s:type", "s:type"],
  },
  "st.async": {
    text: "st.async",
    since: "8.1",
    modifiers: { space: ["shared::cluster"], completion: done, vec: vectors, type: ["b32", "b64"] },
    operands: ["addr", "w:type", "addr"],
  },
  "red.async": {
    text: "red.async.relaxed.cluster",
    since: "8.1",
    modifiers: {
      space: ["shared::cluster"],
      completion: done,
      op: ["add", "min", "max", "inc", "dec", "and", "or", "xor"],
      type: ["u32", "s32", "u64", "b32"],
    },
    operands: ["addr", "s:type", "addr"],
  },
  fence: { text: "fence", modifiers: { order: ["acq_rel", "sc"], scope: scopes }, operands: [] },
  "fence.proxy.async": {
    text: "fence.proxy.async",
    modifiers: { space: ["", "shared::cta", "shared::cluster", "global"] },
    operands: [],
  },
  "fence.mbarrier_init": { text: "fence.mbarrier_init.release.cluster", operands: [] },
  ldmatrix: {
    text: "ldmatrix.sync.aligned.m8n8",
    modifiers: { num: ["x1", "x2", "x4"], trans: ["", "trans"], space: ["shared"], type: ["b16"] },
    operands: ["vec", "addr"],
  },
  stmatrix: {
    text: "stmatrix.sync.aligned.m8n8",
    modifiers: { num: ["x1", "x2", "x4"], trans: ["", "trans"], space: ["shared"], type: ["b16"] },
    operands: ["addr", "vec"],
  },
});
