/** Writes docs/api: `npm run docs:api`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiPages } from "./api-pages.ts";

const folder = join(import.meta.dirname, "../../docs/api");
const pages = apiPages();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [file, text] of pages) writeFileSync(join(folder, file), text);
console.log(`${pages.size} pages in docs/api`);
