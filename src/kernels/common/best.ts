/** Which of two numbers is the greater one, and where it is. */

/** A number, and where it is: a column, or the first one of the load that it is in. */
export interface Best {
  readonly value: number;
  readonly at: number;
}

/** Not NaN. */
export const isNumber = (v: number): boolean => {
  "use kernel";
  return v <= Number.POSITIVE_INFINITY;
};

/** The greater one, of equal ones the first; NaN is greater than all else. */
export const better = (a: Best, b: Best): Best => {
  "use kernel";
  const [nanA, nanB] = [!isNumber(a.value), !isNumber(b.value)];
  const greater = b.value > a.value || (nanB && !nanA);
  const equal = b.value === a.value || (nanB && nanA);
  return greater || (equal && b.at < a.at) ? b : a;
};
