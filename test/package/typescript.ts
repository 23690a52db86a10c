import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The versions of TypeScript that the README names; each is a package of that name among the project's own. */
const versions = ["typescript-5.9", "typescript-6", "typescript"] as const;
type Version = (typeof versions)[number];

/** The TypeScript that a page shows. */
export const programsOf = (page: string): string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

/** The first program of a page, by its name; what is a part of something else is none. */
function firstOf(page: string): readonly [name: string, text: string][] {
  const [, part, text = ""] =
    /^( *<!-- part of [^>]*>\n)? *```ts\n([\s\S]*?)^ *```$/m.exec(readFileSync(join(root, page), "utf8")) ?? [];
  return text === "" || part !== undefined ? [] : [[basename(page, ".md"), text]];
}
/** The first program of each page of the documents, but of the chapters of the language, which show statements. */
export const firstPrograms = readdirSync(join(root, "docs")).flatMap((file) =>
  file.endsWith(".md") ? firstOf(`docs/${file}`) : [],
);

/** What a program says that it prints: the comments behind its calls of `console.log`. */
export const printedBy = (program: string): string[] =>
  [...program.matchAll(/^console\.log\(.*\);\s*\/\/ (.*)$/gm)].map(([, text = ""]) => text.trim());

const tsc = (version: Version, cwd: string, ...args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [join(root, "node_modules", version, "bin/tsc"), ...args], { cwd, encoding: "utf8" });

/** What a version says of a configuration; no text where all is well. */
const typeErrors = (version: Version, cwd: string, config: string): string => {
  const { stdout, stderr, status } = tsc(version, cwd, "-p", config);
  return status === 0 ? stdout : `${stdout}${stderr}`;
};

/**
 * A folder in a project with the package, as a stranger makes it: `"type": "module"`, which programs need that await at the top, and the
 * tsconfig.json of `tsc --init` as it stands. The README's programs lie there. Two more configurations extend it: `examples.json` with what
 * the README says for `y[i]`, and for Node and imports of .ts what TypeScript asks for; `old.json`, an older target, with declarations checked.
 */
function initProject(project: string, version: Version): string {
  const folder = join(project, `init-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  write("package.json", { private: true, type: "module" });
  const { status, stdout, stderr } = tsc(version, folder, "--init");
  if (status !== 0) throw new Error(`tsc --init failed:\n${stdout}${stderr}`);
  for (const [i, text] of programsOf("README.md").entries()) write(`readme-${i + 1}.ts`, text);
  const extended = (options: object, rest: object) => ({
    extends: "./tsconfig.json",
    compilerOptions: { noEmit: true, ...options },
    ...rest,
  });
  const examples = { noUncheckedIndexedAccess: false, allowImportingTsExtensions: true, types: ["node"] };
  write("examples.json", extended(examples, { include: ["../all-examples"] }));
  write("old.json", extended({ target: "es2020", skipLibCheck: false }, { files: ["readme-1.ts"] }));
  for (const [i, text] of programsOf("docs/getting-started.md").entries()) write(`getting-started-${i + 1}.ts`, text);
  for (const [name, text] of firstPrograms) write(`first-of-${name}.ts`, text);
  return folder;
}

/** Each version with each configuration: of the project, and of one that `tsc --init` has made. Libraries are checked, too, except where `--init` says otherwise. */
const configurations = [
  "tsconfig.json",
  "tsconfig.strictest.json",
  "tsconfig.bundler.json",
  "init: tsconfig.json",
  "init: examples.json",
  "init: old.json",
  "init: examples",
] as const;
export const combinations = versions.flatMap((version) =>
  configurations.map((configuration) => [version, configuration] as const),
);

/** What a version says of a configuration in a project with the package; no text where all is well. */
export function errorsIn(project: string, version: Version, configuration: (typeof configurations)[number]): string {
  const [, config] = /^init: (.*)$/.exec(configuration) ?? [];
  if (config === undefined) return typeErrors(version, project, configuration);
  if (config !== "examples") return typeErrors(version, initProject(project, version), config);
  // As the README copies them: they have a configuration of their own.
  const copied = join(project, `examples-${version}`);
  cpSync(join(project, "node_modules/warpsmith/examples"), copied, { recursive: true });
  return typeErrors(version, project, copied);
}
