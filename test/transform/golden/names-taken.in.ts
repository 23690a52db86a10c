import * as ws from "warpsmith";

const $ = 1, $1 = 2;
export const k = ws.kernel({ block: 1 }, (x: ws.Tensor<"i32", 1>, n: ws.i32) => {
  let $v = 0;
  for (const [a] of [[$]]) if (a < n) $v = a + $1;
  x[0] = $v;
});
