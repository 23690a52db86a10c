// What tsc leaves behind: the parts of the page of stages, which are read as text.
import { cpSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
cpSync(join(root, "src/stages/page"), join(root, "dist/stages/page"), { recursive: true });
