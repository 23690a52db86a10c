import { anyScope, anyShared, anyTypes, flag, halves, hint, orders, scopes } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const spaces = [
  ...(["", "const", "global", "local", "param", "param::entry", "param::func"] as const),
  ...(["shared", "shared::cta", "shared::cluster"] as const),
] as const;
const access = {
  mmio: flag("mmio"),
  order: ["", "weak", "volatile", "relaxed", "acquire", "release"],
  scope: anyScope,
  space: spaces,
} as const;
const levels = {
  level1: ["", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"],
  level2: ["", "L2::evict_normal", "L2::evict_first", "L2::evict_last"],
  hint,
} as const;
const prefetch = ["", "L2::64B", "L2::128B", "L2::256B"] as const;
const vec = ["", "v2", "v4", "v8"] as const;
const atomicSpaces = ["", "global", "shared", "shared::cta", "shared::cluster"] as const;
const reductions = ["and", "or", "xor", "add", "inc", "dec", "min", "max"] as const;
const atomicTypes = ["b32", "b64", "u32", "s32", "u64", "s64", "f32", "f64", ...halves] as const;
const noftz = flag("noftz");
const proxies = { sync: ["sync"], aligned: ["aligned"] } as const;

/** A fence of shared memory alone. */
const restricted = {
  order: ["acquire", "release"],
  restrict: ["sync_restrict::shared::cta", "sync_restrict::shared::cluster"],
  scope: ["cluster"],
} as const;

/** Matrices of a warp, to its registers or from them. */
const matrices = {
  modifiers: { shape: ["m8n8"], num: ["x1", "x2", "x4"], trans: flag("trans"), space: anyShared, type: ["b16"] },
  collective: true,
} as const;

/** Loads, stores (PTX ISA 9.7.9), atomics, fences (9.7.13), fences of tensor maps and their fields. */
export const readMemory = defineReadForms({
  ld: {
    text: "ld",
    modifiers: { ...access, cache: ["", "ca", "cg", "cs", "lu", "cv"], nc: flag("nc"), ...levels, prefetch, vec, type: anyTypes },
    operands: ["v:type", "addr", "s:b64?hint"],
    wide: true,
    access: "load",
    communicates: "strong",
  },
  st: {
    text: "st",
    modifiers: { ...access, cache: ["", "wb", "cg", "cs", "wt"], ...levels, vec, type: anyTypes },
    operands: ["addr", "w:type", "s:b64?hint"],
    wide: true,
    access: "store",
    communicates: "strong",
  },
  ldu: {
    nonCoherent: true,
    text: "ldu",
    modifiers: { space: flag("global"), vec, type: anyTypes },
    operands: ["v:type", "addr"],
    wide: true,
    access: "load",
  },
  atom: {
    text: "atom",
    modifiers: {
      order: orders,
      scope: anyScope,
      space: atomicSpaces,
      op: [...reductions, "exch"],
      noftz,
      hint,
      vec: ["", "v2", "v4", "v8"],
      type: [...atomicTypes, "b128"],
    },
    operands: ["v:type", "addr", "w:type", "s:b64?hint"],
    access: "atomic",
    communicates: "always",
  },
  "atom.cas": {
    text: "atom.cas",
    modifiers: {
      order: orders,
      scope: anyScope,
      space: atomicSpaces,
      hint,
      type: ["b16", "b32", "b64", "b128"],
    },
    operands: ["d:type", "addr", "s:type", "s:type", "s:b64?hint"],
    access: "atomic",
    communicates: "always",
  },
  red: {
    text: "red",
    modifiers: {
      order: ["", "relaxed", "release"],
      scope: anyScope,
      space: atomicSpaces,
      op: reductions,
      noftz,
      hint,
      vec,
      type: atomicTypes,
    },
    operands: ["addr", "w:type", "s:b64?hint"],
    access: "reduction",
    communicates: "always",
  },
  "red.async": {
    text: "red.async",
    modifiers: {
      order: ["relaxed"],
      scope: ["cluster"],
      space: flag("shared::cluster"),
      completion: ["mbarrier::complete_tx::bytes"],
      op: reductions,
      type: ["u32", "s32", "u64", "b32"],
    },
    operands: ["addr", "s:type", "addr"],
    access: "reduction",
    async: "store",
  },
  "st.async": {
    text: "st.async",
    modifiers: {
      weak: flag("weak"),
      space: flag("shared::cluster"),
      completion: ["mbarrier::complete_tx::bytes"],
      vec,
      type: ["b32", "b64", "u32", "u64", "s32", "s64", "f32", "f64"],
    },
    operands: ["addr", "w:type", "addr"],
    access: "store",
    async: "store",
  },

  fence: {
    text: "fence",
    modifiers: { order: ["", "acq_rel", "sc", "acquire", "release"], scope: scopes },
    operands: [],
    fence: "memory",
  },
  "fence.restrict": {
    text: "fence",
    modifiers: restricted,
    operands: [],
    fence: "other",
  },
  "fence.mbarrier_init": { text: "fence.mbarrier_init.release.cluster", operands: [], fence: "inits" },
  "fence.proxy.alias": { text: "fence.proxy.alias", operands: [], fence: "other" },
  "fence.proxy.async": {
    text: "fence.proxy.async",
    modifiers: { space: ["", "global", "shared::cta", "shared::cluster"] },
    operands: [],
    fence: "async",
  },
  "fence.proxy.async.generic": {
    text: "fence.proxy.async::generic",
    modifiers: restricted,
    operands: [],
    fence: "async",
  },
  "fence.proxy.tensormap.release": {
    text: "fence.proxy.tensormap::generic.release",
    modifiers: { scope: scopes },
    operands: [],
    fence: "other",
  },
  "fence.proxy.tensormap.acquire": {
    text: "fence.proxy.tensormap::generic.acquire",
    modifiers: { scope: scopes },
    operands: ["addr", "imm"],
    fence: "maps",
  },
  membar: { text: "membar", modifiers: { level: ["cta", "gl", "sys"] }, operands: [], fence: "memory" },
  "membar.proxy": { text: "membar.proxy", modifiers: { kind: ["alias", "async"] }, operands: [], fence: "other" },

  /** With `ordinal`, the second operand is the dimension. */
  "tensormap.replace": {
    text: "tensormap.replace.tile",
    modifiers: {
      field: ["global_address", "rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"],
      space: ["", "global", "shared::cta"],
      object: ["b1024"],
      type: ["b32", "b64"],
    },
    operands: ["addr", "s:type"],
    crossesClusters: true,
    overwrites: true,
  },
  "tensormap.replace.dimension": {
    text: "tensormap.replace.tile",
    modifiers: {
      field: ["box_dim", "global_dim", "global_stride", "element_stride"],
      space: ["", "global", "shared::cta"],
      object: ["b1024"],
      type: ["b32", "b64"],
    },
    operands: ["addr", "imm", "s:type"],
    crossesClusters: true,
    overwrites: true,
  },
  "tensormap.cp_fenceproxy": {
    text: "tensormap.cp_fenceproxy",
    modifiers: {
      to: ["global"],
      from: ["shared::cta"],
      proxy: ["tensormap::generic"],
      order: ["release"],
      scope: scopes,
      ...proxies,
    },
    operands: ["addr", "addr", "imm"],
    collective: true,
    crossesClusters: true,
    overwrites: true,
  },
  alloca: { text: "alloca", modifiers: { type: ["u32", "u64"] }, operands: ["d:type", "s:type", "imm?"], stack: true },
  stacksave: { text: "stacksave", modifiers: { type: ["u32", "u64"] }, operands: ["d:type"] },
  stackrestore: { text: "stackrestore", modifiers: { type: ["u32", "u64"] }, operands: ["s:type"], stack: true },
  ldmatrix: { text: "ldmatrix.sync.aligned", ...matrices, operands: ["vec:b32", "addr"], access: "load", overtaken: true },
  stmatrix: { text: "stmatrix.sync.aligned", ...matrices, operands: ["addr", "vec:b32"], access: "store" },
  movmatrix: { text: "movmatrix.sync.aligned.m8n8.trans.b16", operands: ["d:b32", "s:b32"], collective: true, exchanges: true },
});
