import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as room from "../../../src/layout/index.ts";
import { sharedAccess } from "../../layouts/shared-access.ts";
import * as sharedMaps from "../../layouts/shared-maps.ts";

/** What the page speaks of: the room, and the maps of shared memory that tests have. */
const layout = { ...room, ...sharedMaps, sharedAccess };

const path = join(import.meta.dirname, "../../../docs/layouts.md");
const page = readFileSync(path, "utf8");

/** Blocks that begin with "> expression": what follows is what it prints. */
const block = /```text\n(?<asked>(?:> .*\n)+)(?<answer>[\s\S]*?)```/g;

const show = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, " ");

/** What the page says in its lines with ">", run with everything that the room has. */
function evaluate(asked: string): string {
  const expression = asked.replaceAll(/^> /gm, "");
  const run = new Function(...Object.keys(layout), `return ${expression};`);
  return `${show(run(...Object.values(layout)))}\n`;
}

const blocks = [...page.matchAll(block)].map(({ groups }) => ({ asked: groups?.asked ?? "", answer: groups?.answer ?? "" }));

it("docs/layouts.md has examples", () => {
  if (process.env.UPDATE === "1")
    writeFileSync(
      path,
      page.replaceAll(block, (_, asked: string) => `\`\`\`text\n${asked}${evaluate(asked)}\`\`\``),
    );
  expect(blocks.length).toBeGreaterThan(8);
});

it.each(blocks)("prints $asked", ({ asked, answer }) => {
  expect(process.env.UPDATE === "1" ? evaluate(asked) : answer).toBe(evaluate(asked));
});

it("names everything that makes a layout", () => {
  const makers = [
    "identity",
    "strided",
    "repeated",
    "linear",
    "parseLayout",
    "blocked",
    "slice",
    "wgmmaAccumulator",
    "wgmmaOperand",
  ];
  const more = ["mmaAccumulator", "mmaOperand", "matrixFragment", "matrixAddresses", "matrixGrid", "rowMajor", "swizzle"];
  const shared = ["nvmmaShared", "swizzledShared", "sharedLayout", "paddedShared"];
  for (const name of [...makers, ...more, ...shared]) {
    expect(layout).toHaveProperty(name);
    expect(page).toContain(`${name}(`);
  }
});
