// Writes the drawings beside the README.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pictures } from "./pictures.ts";

for (const [name, draw] of Object.entries(pictures)) writeFileSync(join(import.meta.dirname, name), draw());
