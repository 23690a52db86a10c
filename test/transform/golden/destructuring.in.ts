import { helper } from "warpsmith";

export const shapes = helper(({ shape: [rows, cols], ...others }: any, [first = 1, ...rest]: number[]) => {
  const { a, b: { c = rows } = {}, ["k" + a]: d } = others;
  let [x, y] = rest, z = first;
  [x, y] = [y, x];
  [others.n, z] = rest;
  ({ x, y: others.m } = { x: 1, y: 2 });
  for (const { p, q } of others.list) z += p * q;
  return [a, c, d, x, y, z, cols];
});
