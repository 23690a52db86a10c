/** "[64, 32]": a shape, strides, a box. */
export const bracketed = (numbers: readonly unknown[]): string => `[${numbers.join(", ")}]`;

const most = 8;
/** Names, of many the first: "a, b and 7 more". */
export const firstNames = (names: readonly string[]): string =>
  names.length > most ? `${names.slice(0, most).join(", ")} and ${names.length - most} more` : names.join(", ");
