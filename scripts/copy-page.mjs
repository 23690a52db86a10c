// What tsc leaves behind: the parts of the page of stages, and the launchers of a build, which are read as text.
import { cpSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
cpSync(join(root, "src/stages/page"), join(root, "dist/stages/page"), { recursive: true });
for (const file of ["launcher.hpp", "launcher.py"]) cpSync(join(root, "src/build/launchers", file), join(root, "dist/build/launchers", file));
