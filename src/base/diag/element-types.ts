/** The element types that there are, as a fix names them. */
export const elementTypes =
  '"f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2", "i64", "u64", "i32", "u32", "i16", "u16", "i8", "u8" or "bool"';
