import { it } from "vitest";
import { tensorCorePipeline } from "warpsmith/schedule";
import { writeFileSync } from "node:fs";
import { adding } from "./products.ts";
import { agree } from "../agree.ts";

it("golden", async () => {
  try {
  const made = tensorCorePipeline(adding([64, 64, 64]), { tile: [32, 32, 16], workgroup: [64, 2, 1], depth: 3, storeStage: 1 });
  writeFileSync("/tmp/tc.txt", made.printAfterAll());
  let spread = false;
  for (const p of made.passes) { console.log(p.name); spread ||= p.name === "distribute-copies"; await agree(p.program, spread ? ["normal", "strict"] : ["normal"]); }
  } catch (e) { console.log(String((e as Error).message), (e as Error).stack); throw e; }
}, 200000);
