/** Why a tensor does not lie in an allocation whose end it passes. */
export const endsAfter = (left: number | bigint, bytes: number): string =>
  `the memory there ends after ${left} bytes, and the tensor takes ${bytes}`;
