// Makes a folder that a machine with a GPU runs without Node, without this package and without a CUDA toolkit: built kernels, a program in C++ (compiled here
// where there is a g++) and one in Python. Both compare results of a product of 512 cubed and of an elementwise kernel of ragged lengths with the host's.
// A program beside the CUDA runtime and one of Node run where there is an nvcc, and a Node that finds this package.
// Three more folders hold builds that must be refused: for another device, of another build, with a changed file.
//
//   node --import warpsmith/register test/tools/built-on-gpu.ts /tmp/built
//   sh /tmp/built/run.sh          # there; exit status 0 where all is right
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import built from "./built-on-gpu/kernels.ts";

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error("name the folder: test/tools/built-on-gpu.ts <folder>");
const folder = resolve(given);
const sources = join(import.meta.dirname, "built-on-gpu");
const programs = ["main.cpp", "main.py", "main.mjs", "with-runtime.cu", "run.sh"];
const { files, notes } = built.write(folder);
for (const file of programs) copyFileSync(join(sources, file), join(folder, file));

/** Text of a file, changed; it must have what is to be replaced. */
function change(path: string, from: RegExp, to: string): void {
  const text = readFileSync(path, "latin1");
  if (!from.test(text)) throw new Error(`${path} has no ${from.source}`);
  writeFileSync(path, text.replace(from, to), "latin1");
}

/** A copy of the build that must be refused. */
function refused(name: string, spoil: (at: (file: string) => string) => void): void {
  const beside = join(folder, name);
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside);
  for (const file of [...files, "main.cpp", "main.py"]) copyFileSync(join(folder, file), join(beside, file));
  spoil((file) => join(beside, file));
}

refused("other-device", (at) => {
  change(at("manifest.json"), /"computeCapability": \[\s*9,\s*0\s*\]/, '"computeCapability": [10, 0]');
  change(at("manifest.json"), /"sm_90a"/, '"sm_100a"');
  change(at("manifest.json"), /"Hopper"/, '"Blackwell"');
  change(at("kernels.hpp"), /\{"sm_90a", "Hopper", 9, 0,/, '{"sm_100a", "Blackwell", 10, 0,');
});
refused("other-build", (at) => change(at("manifest.json"), /"id": "[0-9a-f]{4}/, '"id": "0000'));
refused("changed", (at) => change(at("gemm.ptx"), /\.visible/, "        "));

const flags = "-std=c++17 -O2 -Wall -Wextra -Werror -o main main.cpp -ldl";
const compiled = spawnSync("g++", flags.split(" "), { cwd: folder, encoding: "utf8" });
if (compiled.error) console.log("main is not compiled: there is no g++ here");
else if (compiled.status !== 0) throw new Error(compiled.stderr);
console.log([`${folder}: ${[...files, ...programs].join(", ")}`, ...notes].join("\n"));
