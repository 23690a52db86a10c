/** Whether a text may hold kernels or helpers; a cheap no saves parsing. */
export const mayHoldKernels = (text: string, modules: readonly string[]): boolean =>
  text.includes("use kernel") || modules.some((name) => text.includes(name));
