import { type Compiled, tensorSpec, WarpsmithError } from "warpsmith";
import { assertClose, randn } from "warpsmith/testing";
import { saxpy } from "./saxpy.js";
import { Edge, scale } from "./scale.ts";

function tell({ ptx, resources, graph }: Compiled): void {
  const entry = /\.entry (\w+)/.exec(ptx)?.[1];
  console.log(
    `${entry}: ${ptx.match(/ld\.global/g)?.length} loads, ${resources.sharedBytes} bytes shared, graph ${String(graph).length > 0}`,
  );
}

const matrix = tensorSpec("f32", [256, 32]);
tell(saxpy.compile(matrix, matrix, 2));
tell(scale.compile(tensorSpec("f32", [1024]), 3, Edge.Clip));
console.log(scale.compile(tensorSpec("f32", [1024]), 3, Edge.Clip).ptx.includes(" min."));
console.log(scale.compile(tensorSpec("f32", [1024]), 3, Edge.Keep).ptx.includes(" min."));

try {
  // @ts-expect-error three dimensions where the kernel takes two
  saxpy.compile(tensorSpec("f32", [256, 32, 1]), matrix, 2);
} catch (error) {
  console.log(error instanceof WarpsmithError, (error as WarpsmithError).code);
}
console.log(assertClose(randn(4, 1), randn(4, 1), { rtol: 0, atol: 0 }).maxAbs, process.argv.slice(2));
declare const process: { readonly argv: readonly string[] };
