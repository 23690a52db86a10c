/** Threads of a warp. */
export const lanes = 32;
