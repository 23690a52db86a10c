// Makes `dist` of `src`: one file of code and one of types for each entry, and what several share in chunks of their own. Runs after tsc, which has
// checked all of it and left declarations in dist/declarations. docs/decisions/0042-the-package-is-bundled.md says why.
//
//   npm run build [-- --source-maps]      with maps beside the code, for who debugs the package itself
import { createHash } from "node:crypto";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { sourcesDigest } from "./sources-digest.mjs";

const root = join(import.meta.dirname, "..");
const src = join(root, "src"), dist = join(root, "dist"), declarations = join(dist, "declarations");
const { dependencies, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sourcemap = process.argv.includes("--source-maps");

/** By their paths below src, without an ending. */
const exported = Object.values(exports).flatMap((entry) => entry.default?.match(/^\.\/dist\/(.*)\.js$/)?.[1] ?? []);
/** What is started by its path (src/base/own-files.ts), and what tools of the repository import. */
const started = ["tools/cli/main", "entries/register-hooks", "entries/emulator-worker", "kernels/tune/worker", "entries/inside"];
const external = [/^node:/, new RegExp(`^(${Object.keys(dependencies).join("|")})(/|$)`)];

/** The package's own names mean its own modules: whatever a program imports of it, it has one instance of each. */
const ownNames = (folder, ending) =>
  Object.fromEntries(
    Object.entries(exports)
      .flatMap(([name, entry]) => (entry.default ? [[`warpsmith${name.slice(1)}`, entry.default]] : []))
      .map(([name, file]) => [name, file.replace(/^\.\/dist\/(.*)\.js$/, (_, path) => join(folder, path + ending))])
      // The longer name first: the shorter one would take it for a file of its own.
      .sort(([a], [b]) => b.length - a.length),
  );
const inputs = (names, folder, ending) => Object.fromEntries(names.map((name) => [name, join(folder, name + ending)]));
const below = (folder) => (id) => relative(src, id).replaceAll("\\", "/").match(folder) !== null;

async function bundle(input, output) {
  const made = await rolldown({ external, checks: { bundlerTimings: false }, ...input });
  const written = await made.write({ format: "es", ...output });
  await made.close();
  return written.output;
}

/** The transform that users have, for the package's own kernels. */
async function ownTransform() {
  const dir = join(dist, "transform-first");
  await bundle({ input: { transform: join(src, "transform/index.ts"), options: join(src, "transform/options.ts") }, tsconfig: false }, { dir });
  const load = (file) => import(pathToFileURL(join(dir, file)));
  const [{ transformSource }, { mayHoldKernels }] = [await load("transform.js"), await load("options.js")];
  rmSync(dir, { recursive: true });
  return {
    name: "own-kernels",
    transform: {
      filter: { id: /[\\/]src[\\/]kernels[\\/]/ },
      handler(text, id) {
        if (!mayHoldKernels(text, ["warpsmith"])) return null;
        const displayName = `warpsmith/${relative(src, id).replaceAll("\\", "/")}`;
        const { code, map, transformed } = transformSource(text, { fileName: id, displayName });
        return transformed ? { code, map: map ?? null, moduleType: "js" } : null;
      },
    },
  };
}

/**
 * Chunks, from the ground up: each takes what its folders hold and what that stands on, less what those before it have taken. What none of them
 * takes is left to the bundler: commands, and what is loaded late.
 */
const floors = [
  ["foundation", /^(base\/(?!tuned-choices)|entries\/shared\/read-source\.ts$)/],
  // What is needed without the rest of its room.
  ["leaves", /^(inspect\/(cubin\/|report\/gpus\.ts$)|kernels\/tune\/names\.ts$|tools\/(cli\/(output|refusal)|testing\/randn)\.ts$)/],
  ["transform-cache", /^transform\/(cached|options|other-files)\.ts$/],
  ["transform", /^transform\//],
  ["runtime", /^(runtime\/|tools\/built\/|entries\/shared\/device-kinds\.ts$|cuda\/map-encoder\.ts$)/],
  ["profile", /^(inspect\/profile\/(?!page)|entries\/shared\/profiles-at-exit\.ts$)/],
  ["ptx", /^ptx\/(parse|names)\//],
  ["emulator", /^(emulator\/|entries\/shared\/(open-emulator|emulator-threads)\.ts$)/],
  ["load-ptx", /^tools\/load-ptx\//],
  ["compiler", /^(index\.ts$|kernel\/|dsl\/|compile\.ts$)/],
  ["schedules", /^schedule\//],
  ["library", /^kernels\/(?!tune\/worker\.ts$)/],
  ["command-line", /^tools\/cli\/(input-file|options|command-line)\.ts$/],
];
const groups = floors.map(([name, folder], i) => ({ name, test: below(folder), priority: floors.length - i }));

const code = await bundle(
  {
    input: inputs([...exported, ...started], src, ".ts"),
    platform: "node",
    tsconfig: false,
    transform: { target: "es2022" },
    resolve: { alias: ownNames(src, ".ts") },
    plugins: [await ownTransform()],
  },
  {
    ...{ dir: dist, entryFileNames: "[name].js", chunkFileNames: "[name].js", sourcemap, codeSplitting: { groups } },
    // Classes are shown by their names. What comments say is said in the types.
    ...{ keepNames: true, comments: { jsdoc: false } },
  },
);
for (const { fileName, code: text } of code)
  if (fileName.includes("/") && text?.includes("import.meta.url")) throw new Error(`${fileName} asks where it lies, and does not lie at the top of dist`);

/** The libraries of TypeScript that declarations name: a project with an older target has them by that alone. */
const referencesOf = (files) =>
  [...new Set(files.flatMap((file) => readFileSync(file, "utf8").match(/^\/\/\/ <reference lib=.*$/gm) ?? []))].map((line) => `${line}\n`).join("");

const types = await bundle(
  {
    input: inputs(exported, declarations, ".d.ts"),
    resolve: { alias: ownNames(declarations, ".d.ts") },
    plugins: [dts({ dtsInput: true, tsconfig: false, emitDtsOnly: true })],
    // No comments that name files of declarations.
    experimental: { attachDebugInfo: "none" },
  },
  {
    ...{ dir: dist, entryFileNames: "[name].ts", chunkFileNames: "[name].d.ts" },
    codeSplitting: { groups: [{ name: "shared", test: () => true, minShareCount: 2 }] },
  },
);
for (const { fileName, moduleIds, code: text } of types) writeFileSync(join(dist, fileName), referencesOf(moduleIds) + text);
rmSync(declarations, { recursive: true });

// What is read as text: the parts of pages, and the launchers of a build.
for (const part of ["inspect/page/base.css", "inspect/stages/page", "inspect/profile/page", "tools/build/launchers/launcher.hpp", "tools/build/launchers/launcher.py"])
  cpSync(join(src, part), join(dist, part), { recursive: true, filter: (file) => !file.endsWith(".d.ts") });

// `npx warpsmith` in a clone links to the file, and npm makes it executable only once.
chmodSync(join(dist, "tools/cli/main.js"), 0o755);

// A digest of all code: what is kept on disk of one build serves no other.
const hash = createHash("sha256");
for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".js")).sort())
  hash.update(`${file}\n`).update(readFileSync(join(dist, file)));
writeFileSync(join(dist, "build-id"), `${hash.digest("hex")}\n`);
// Whether it is what is published of the sources as they stand (test/package/packed.ts).
if (!sourcemap) writeFileSync(join(dist, "built-from"), `${sourcesDigest(root)}\n`);
