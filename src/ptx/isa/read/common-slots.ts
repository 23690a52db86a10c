/** Values of slots that many instructions share. */
export const flag = <const T extends string>(name: T) => ["", name] as const;

export const integers = ["u16", "s16", "u32", "s32", "u64", "s64"] as const;
export const wideIntegers = ["u32", "s32", "u64", "s64"] as const;
export const halves = ["f16", "f16x2", "bf16", "bf16x2"] as const;
export const floats = ["f32", "f64", ...halves] as const;
export const roundings = ["", "rn", "rz", "rm", "rp"] as const;
/** A type of a load, store or move. */
export const anyTypes = [
  ...["b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"],
  ...halves,
] as const;
export const orders = ["", "relaxed", "acquire", "release", "acq_rel"] as const;
export const scopes = ["cta", "cluster", "gpu", "sys"] as const;
export const anyScope = ["", ...scopes] as const;
const shared = ["shared", "shared::cta", "shared::cluster"] as const;
export const anyShared = ["", ...shared] as const;
export const hint = flag("L2::cache_hint");
export const dimensions = ["1d", "2d", "3d", "4d", "5d"] as const;
export const completion = ["mbarrier::complete_tx::bytes"] as const;
