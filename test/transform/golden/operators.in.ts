import { helper } from "warpsmith";

export const mix = helper((a: number, b: number, c: boolean) => {
  let n = -a + ~b - +a;
  n = a + // kept
    b * 2;
  n += a ** b;
  n <<= 1;
  n++;
  const before = n--;
  const either = c && a < b ? a : b || -1;
  n ||= either ?? before;
  return (a === b) !== !c ? typeof n : `${a} and ${b + 1}`;
});
