// While npm packs, the pages that it packs link to nothing that it leaves out: such a link becomes its words, and the path in the repository. `npm pack` and `npm publish`
// run this before (prepack) and after (postpack). In between, what the pages were lies in .pages-before; where that was cut short, the next run brings it back.
//
//   node scripts/packed-pages.mjs without-links | as-before
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const root = join(import.meta.dirname, "..");
const kept = join(root, ".pages-before");

const textOf = (...path) => readFileSync(join(...path), "utf8");
function write(text, ...path) {
  mkdirSync(dirname(join(...path)), { recursive: true });
  writeFileSync(join(...path), text);
}

function asBefore() {
  if (!existsSync(kept)) return;
  const pages = readdirSync(join(kept, "was"), { recursive: true }).filter((name) => name.endsWith(".md"));
  const edited = pages.filter((page) => textOf(root, page) !== textOf(kept, "packed", page));
  if (edited.length > 0) throw new Error(`edited while its links were away, so look yourself what is to stay: ${edited.join(", ")}; before: .pages-before/was`);
  for (const page of pages) write(textOf(kept, "was", page), root, page);
  rmSync(kept, { recursive: true });
}

/** The paths that npm packs. */
function packed() {
  const npm = process.env.npm_execpath;
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const told = npm ? execFileSync(process.execPath, [npm, ...words], { cwd: root }) : execFileSync("npm", words, { cwd: root });
  return JSON.parse(String(told))[0].files.map(({ path }) => path);
}

function withoutLinks() {
  asBefore();
  const files = packed();
  const isPacked = (path) => files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, "")}/`));
  for (const page of files.filter((file) => file.endsWith(".md"))) {
    const text = textOf(root, page);
    const left = text.replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g, (link, picture, words, target) => {
      const path = posix.join(dirname(page), target);
      if (/^[a-z]+:/.test(target) || isPacked(path) || !existsSync(join(root, path))) return link;
      if (picture) throw new Error(`${page} shows ${path}, which is not packed`);
      return words.includes(path.replace(/\/README\.md$/, "")) ? words : `${words} (\`${path}\`)`;
    });
    if (left === text) continue;
    write(text, kept, "was", page);
    write(left, kept, "packed", page);
    write(left, root, page);
  }
}

({ "without-links": withoutLinks, "as-before": asBefore })[process.argv[2]]();
