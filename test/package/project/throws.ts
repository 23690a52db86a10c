import { kernel, type Static, type Tensor, tensorSpec, threadIdx } from "warpsmith";

interface Options {
  readonly width: number;
}

function checked(options: Options): number {
  "use kernel";
  if (options.width % 32 !== 0) {
    throw new RangeError(`a width of ${options.width} is not whole warps`);
  }
  return options.width;
}

const fill = kernel({ block: 32 }, function fill(x: Tensor<"f32", 1>, options: Static<Options>) {
  const width = checked(options);
  x[threadIdx.x] = width;
});
fill.compile(tensorSpec("f32", [32]), { width: 33 });
