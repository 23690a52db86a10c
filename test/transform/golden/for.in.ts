import { helper } from "warpsmith";

export const powers = helper((n: number) => {
  const kept: (() => number)[] = [];
  let total = 0;
  for (let i = 0, j = 10; i < n; i++, j--) total += i * j;
  for (let i = 0; i < n; i += 2) {
    kept.push(() => i);
  }
  for (;;) {
    if (total > 10) break;
    total++;
  }
  let i = 7;
  for (let i = 0; i < n; i++) {
    if (i === 3) return total;
  }
  return total + i;
});
