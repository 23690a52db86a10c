/** docs/passes.md: the compiler's passes in their order, and what the comment at the head of each one's file says of it. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { passes } from "../../src/passes/index.ts";

const folder = join(import.meta.dirname, "../../src/passes");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" });

const intro = `# The passes

This page is written from \`src/passes\`: the list in \`index.ts\`, and the comment at the head of each pass. \`UPDATE=1 npx vitest run test/docs/passes.test.ts\` writes it again.

A pass makes a graph into another graph of the same kernel. It says what it requires and what it ensures. [ir.md](ir.md) has the operations, the
types and the two levels; [stages.md](stages.md) shows how to look at a kernel after each pass.

Tracing gives a graph of the tile level. These passes run on it, in this order:
`;

/** The paragraphs of the comment that says what a pass requires and ensures. */
function commentOf(name: string): readonly string[] {
  const file = files.find((path) => basename(path) === `${name}.ts`);
  if (file === undefined) throw new Error(`src/passes has no ${name}.ts for the pass of that name`);
  const source = readFileSync(join(folder, file), "utf8");
  const comment = [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].find(([, text]) => text?.includes("Requires:"))?.[1];
  if (comment === undefined) throw new Error(`src/passes/${file} does not say what it requires and ensures`);
  const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, "").trim());
  return lines
    .join("\n")
    .split(/\n\n|\n(?=Requires:|Ensures:)/)
    .map((paragraph) => paragraph.trim().replaceAll("\n", " "));
}

const linked = (code: string): string => `[${code}](errors.md#${code.toLowerCase()})`;

function section(name: string): string {
  const [what = "", ...rest] = commentOf(name);
  const [requires = "", ensures = "", ...more] = rest.map((text) => text.replace(/\bW\d{4}\b/g, linked));
  return `## ${name}\n\n${[what, `- ${requires}\n- ${ensures}`, ...more].join("\n\n")}\n`;
}

/** The page as Markdown. */
export function passesPage(): string {
  const rows = passes.map(({ name, level }, i) => `| ${i + 1} | [${name}](#${name}) | ${level} |`);
  const names = [...new Set(passes.map(({ name }) => name))];
  return `${intro}\n| | pass | the level of what it gives |\n|---|---|---|\n${rows.join("\n")}\n\n${names.map(section).join("\n")}`;
}
