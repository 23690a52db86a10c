import { flag } from "./common-slots.ts";
import { defineReadForms } from "./define-read-forms.ts";

const b32 = ["b32"] as const;
const texture = {
  geometry: ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"],
  vec: ["v4", "v2"],
  type: ["u32", "s32", "f16", "f32", "f16x2"],
  coordinate: ["s32", "f32"],
} as const;
const surface = { geometry: ["1d", "2d", "3d", "a1d", "a2d"] } as const;
const vec = ["", "v2", "v4"] as const;
const bits = ["b8", "b16", "b32", "b64"] as const;
const clamp = ["trap", "clamp", "zero"] as const;
const reductions = ["add", "min", "max", "and", "or"] as const;
const samplerQueries = ["force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"] as const;
const channelQueries = ["channel_data_type", "channel_order"] as const;

/** Textures (PTX ISA 9.7.10) in unified mode, and surfaces (9.7.11): `[object, {c0, …}]`, the layer first. */
export const readTexture = defineReadForms({
  /** Then offsets in texels, and what depths are compared with. */
  tex: {
    access: "load",
    nonCoherent: true,
    text: "tex",
    modifiers: { mipmap: flag("base"), ...texture },
    operands: ["vec2:type", "tensor", "vec:s32?", "s:f32?"],
  },
  /** The level is the third operand. */
  "tex.level": {
    access: "load",
    nonCoherent: true,
    text: "tex.level",
    modifiers: texture,
    operands: ["vec2:type", "tensor", "s:coordinate", "vec:s32?", "s:f32?"],
  },
  /** Derivatives along x and y of the screen. */
  "tex.grad": {
    access: "load",
    nonCoherent: true,
    text: "tex.grad",
    modifiers: texture,
    operands: ["vec2:type", "tensor", "vec:f32", "vec:f32", "vec:s32?", "s:f32?"],
  },
  tld4: {
    access: "load",
    nonCoherent: true,
    text: "tld4",
    modifiers: {
      channel: ["r", "g", "b", "a"],
      geometry: ["2d", "a2d", "cube", "acube"],
      vec: ["v4"],
      type: ["u32", "s32", "f32"],
      coordinate: ["f32"],
    },
    operands: ["vec2:type", "tensor", "vec:s32?", "s:f32?"],
  },
  txq: {
    text: "txq",
    modifiers: {
      query: [
        ...(["width", "height", "depth", "array_size", "num_mipmap_levels", "num_samples", "normalized_coords"] as const),
        ...samplerQueries,
        ...channelQueries,
      ],
      type: b32,
    },
    operands: ["d:b32", "addr"],
  },
  "txq.level": {
    text: "txq.level",
    modifiers: { query: ["width", "height", "depth"], type: b32 },
    operands: ["d:b32", "addr", "s:b32"],
  },
  istypep: { text: "istypep", modifiers: { type: ["texref", "samplerref", "surfref"] }, operands: ["dp", "s:b64"] },

  "suld.b": {
    access: "load",
    text: "suld.b",
    modifiers: { ...surface, cache: ["", "ca", "cg", "cs", "cv"], vec, type: bits, clamp },
    operands: ["v:type", "tensor"],
    wide: true,
  },
  "sust.b": {
    access: "store",
    text: "sust.b",
    modifiers: { ...surface, cache: ["", "wb", "cg", "cs", "wt"], vec, type: bits, clamp },
    operands: ["tensor", "w:type"],
    wide: true,
  },
  "sust.p": { access: "store", text: "sust.p", modifiers: { ...surface, vec, type: b32, clamp }, operands: ["tensor", "w:type"] },
  "sured.b": {
    access: "reduction",
    communicates: "always",
    text: "sured.b",
    modifiers: { op: reductions, ...surface, type: ["u32", "s32", "b32", "u64", "s64"], clamp },
    operands: ["tensor", "s:type"],
  },
  "sured.p": {
    access: "reduction",
    communicates: "always",
    text: "sured.p",
    modifiers: { op: reductions, ...surface, type: ["b32", "b64"], clamp },
    operands: ["tensor", "s:type"],
  },
  suq: {
    text: "suq",
    modifiers: { query: ["width", "height", "depth", "array_size", "memory_layout", ...channelQueries], type: b32 },
    operands: ["d:b32", "addr"],
  },
});
