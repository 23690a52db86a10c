// Makes a folder that a machine with a GPU runs without Node, without this package and without a CUDA toolkit: built kernels, a program in C++ (compiled here
// where there is a g++) and one in Python. Both compare results of a product of 512 cubed and of an elementwise kernel of ragged lengths with the host's.
//
//   node --import ./dist/register.js test/tools/built-on-gpu.ts /tmp/built
//   sh /tmp/built/run.sh          # there; exit status 0 where all is right
import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import built from "./built-on-gpu/kernels.ts";

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error("name the folder: test/tools/built-on-gpu.ts <folder>");
const folder = resolve(given);
const { files, notes } = built.write(folder, { for: ["cpp", "python"] });
const sources = join(import.meta.dirname, "built-on-gpu");
for (const file of ["main.cpp", "main.py"]) copyFileSync(join(sources, file), join(folder, file));

const flags = "-std=c++17 -O2 -Wall -Wextra -Werror -o main main.cpp -ldl";
writeFileSync(
  join(folder, "run.sh"),
  `#!/bin/sh
# Runs the programs of this folder on CUDA device 0. Without a g++ the program that was compiled with the build is taken.
cd "$(dirname "$0")" || exit 1
status=0
if command -v g++ >/dev/null; then g++ ${flags} || exit 1; fi
if [ -x main ]; then echo "C++"; ./main . || status=1; else echo "C++: skipped, there is no g++"; fi
if command -v python3 >/dev/null; then echo "Python"; python3 main.py || status=1; else echo "Python: skipped, there is no python3"; fi
exit $status
`,
);
const compiled = spawnSync("g++", flags.split(" "), { cwd: folder, encoding: "utf8" });
if (compiled.error) console.log("main is not compiled: there is no g++ here");
else if (compiled.status !== 0) throw new Error(compiled.stderr);
console.log([`${folder}: ${files.join(", ")}, main.cpp, main.py, run.sh`, ...notes].join("\n"));
