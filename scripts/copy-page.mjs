// What tsc leaves behind: the parts of pages, and the launchers of a build, which are read as text.
import { cpSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
for (const part of ["page/base.css", "stages/page", "profile/page"])
  cpSync(join(root, "src", part), join(root, "dist", part), { recursive: true });
for (const file of ["launcher.hpp", "launcher.py"]) cpSync(join(root, "src/build/launchers", file), join(root, "dist/build/launchers", file));
