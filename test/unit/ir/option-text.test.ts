import { expect, test } from "vitest";
import { printGraph } from "../../../src/ir/index.ts";
import { parseGraph } from "../../../src/ir/parse.ts";
import { programOptions } from "../../support/program-options.ts";

const graph = parseGraph("kernel @k() block(32, 1, 1) cluster(1, 1, 1) {\n  exit\n}\n");
const head = (text: string) => text.split("\n")[0];

test.each([
  ["nothing but what every kernel has", {}, ""],
  ["registers", { registers: 168 }, " registers(168)"],
  ["blocks of a multiprocessor", { blocksPerSM: 2 }, " blocks_per_sm(2)"],
  ["bytes placed by hand", { dynamicShared: 4096 }, " dynamic_shared(4096)"],
  ["switches", { contract: true, debug: true }, " contract debug"],
  [
    "all of it",
    { registers: 64, blocksPerSM: 1, dynamicShared: 8, debug: true },
    " registers(64) blocks_per_sm(1) dynamic_shared(8) debug",
  ],
])("the text of a graph says its options: %s", (_, given, text) => {
  const changed = { ...graph, ...programOptions({ block: [64, 2, 1], cluster: [2, 1, 1], ...given }) };
  expect(head(printGraph(changed))).toBe(`kernel @k() block(64, 2, 1) cluster(2, 1, 1)${text} {`);
  expect(parseGraph(printGraph(changed))).toStrictEqual(changed);
});
