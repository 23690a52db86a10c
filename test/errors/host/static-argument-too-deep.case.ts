// Passes a list as objects inside one another.
import { kernel, type Static, type Tensor, tensorSpec } from "warpsmith";

interface List {
  readonly value: number;
  readonly rest?: List;
}

const k = kernel({ block: 1 }, function k(x: Tensor<"f32", 1>, list: Static<List>) {
  x[0] = list.value;
});

let list: List = { value: 0 };
for (let i = 1; i < 1000; i++) list = { value: i, rest: list };

export const run = () => k.compile(tensorSpec("f32", [1]), list); // error: W2056
