/** To nearest even, towards zero, towards minus and plus infinity. */
export type Rounding = "rn" | "rz" | "rm" | "rp";
