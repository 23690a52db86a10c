import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { some } from "../support/amount.ts";
import { makeProject, type Project } from "./packed.ts";
import { combinations, errorsIn, printedBy, programsOf } from "./typescript.ts";

/** The package as a stranger meets it: packed, installed into a project of its own, type-checked and run there. */
let project: Project;
beforeAll(async () => {
  project = await makeProject(["typescript", "vite", "@types/node"]);
}, 300_000);
afterAll(() => project?.remove());

const filesOf = (): string[] =>
  readdirSync(project.installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project.installed, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
const textOf = (file: string): string => readFileSync(join(project.installed, file), "utf8");

const greeting = [
  "saxpy: 2 loads, 0 bytes shared, graph true",
  "scale: 2 loads, 0 bytes shared, graph true",
  "true",
  "false",
  "true W7504",
  "0 []",
];

describe("the tarball", () => {
  it("holds what is built and what is read, and nothing else", () => {
    const top = new Set(filesOf().map((file) => file.split("/")[0]));
    expect([...top].toSorted()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "bench",
      "dist",
      "docs",
      "examples",
      "package.json",
    ]);
    const others = filesOf().filter((file) => file.startsWith("dist/") && !/\.(js|js\.map|d\.ts)$/.test(file));
    expect(others.toSorted()).toEqual([
      "dist/build-id",
      "dist/inspect/page/base.css",
      "dist/inspect/profile/page/page.css",
      "dist/inspect/stages/page/page.css",
      "dist/tools/build/launchers/launcher.hpp",
      "dist/tools/build/launchers/launcher.py",
    ]);
  });

  it("is of a sane size", () => {
    expect(project.tarballBytes).toBeGreaterThan(100_000);
    expect(project.tarballBytes).toBeLessThan(2_500_000);
    expect(filesOf().length).toBeLessThanOrEqual(200);
  });

  it("has what every link of its pages leads to", () => {
    const pages = filesOf().filter((file) => file.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages) {
      const targets = [...textOf(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = ""]) => target);
      const own = targets.filter((target) => !/^[a-z]+:/.test(target));
      expect(
        own.filter((target) => !existsSync(join(project.installed, dirname(page), target))),
        page,
      ).toEqual([]);
    }
  });

  // Errors show the author's lines, by maps that the transform makes. Maps of the package's own code were two thirds of it, and Node read
  // those of every module: `npm run build -- --source-maps` of a checkout makes them (docs/decisions/0042-the-package-is-bundled.md).
  it("has no source maps, nor names any", () => {
    expect(filesOf().filter((file) => file.endsWith(".map"))).toEqual([]);
    const named = filesOf().filter((file) => file.endsWith(".js") && /^\/\/# sourceMappingURL=/m.test(textOf(file)));
    expect(named).toEqual([]);
  });

  it("names only files that are there, and has types for every module that it exports", () => {
    const { exports, bin } = project.manifest;
    const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : [entry.types, entry.default]));
    for (const file of [...named, ...Object.values(bin)]) expect(existsSync(join(project.installed, file)), file).toBe(true);
    const modules = named.filter((file) => file.endsWith(".js"));
    expect(modules.length).toBeGreaterThan(10);
    expect(modules.filter((file) => !named.includes(file.replace(/\.js$/, ".d.ts")))).toEqual([]);
  });

  it("imports only its own files, Node, and what it declares", () => {
    const declared = Object.keys(project.manifest.dependencies);
    const imports = filesOf()
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^(?:import|export)\b(?:[^;"'=]*?\bfrom\s*|\s*)["']([^"']+)["']/gm)].map(([, name = ""]) => ({
          file,
          name,
        })),
      );
    expect(imports.length).toBeGreaterThan(60);
    const wrong = imports.filter(({ file, name }) => {
      if (name.startsWith(".")) return !existsSync(join(project.installed, dirname(file), name));
      return !name.startsWith("node:") && !declared.includes(name);
    });
    expect(wrong).toEqual([]);
    const used = new Set(imports.map(({ name }) => name));
    expect(declared.filter((name) => !used.has(name) && name !== "koffi")).toEqual([]);
  });
});

describe("types", () => {
  it.each(some(combinations, 1))(
    "%s with %s",
    (version, configuration) => {
      expect(errorsIn(project.folder, version, configuration)).toBe("");
    },
    180_000,
  );
});

const launchesBuilt = `import { openDevice } from "warpsmith/runtime";
import { scale } from "./dist/kernels.js";
const device = await openDevice("emulator");
const x = device.tensor("f32", [300], Array.from({ length: 300 }, (_, i) => i));
const y = device.zeros("f32", [300]);
scale.launch({}, x, y, 3);
console.log((await y.read())[299]);
await device.dispose();
`;
const typesBuilt = `import { openDevice } from "warpsmith/runtime";
import { scale } from "./built/kernels.js";
const device = await openDevice("emulator");
const x = device.zeros("f32", [8]);
scale.launch({}, x, x, 3);
const wrong: string = scale.name.length;
`;

describe("running", () => {
  const lines = (text: string) => text.trimEnd().split("\n");

  it("node --import warpsmith/register main.ts", () => {
    const { stdout, stderr, status } = project.node("--import", "warpsmith/register", "main.ts");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(lines(stdout)).toEqual(greeting);
  });

  it("npx warpsmith run main.ts", () => {
    const { stdout, status } = project.npx("warpsmith", "run", "main.ts", "--help", "--trace", "3");
    expect(status).toBe(0);
    expect(lines(stdout)).toEqual([...greeting.slice(0, -1), "0 [ '--help', '--trace', '3' ]"]);
  });

  const programs = programsOf("README.md").map((text, i) => [`readme-${i + 1}.ts`, printedBy(text)] as const);
  it.each(programs.filter(([, printed]) => printed.length > 0))(
    "%s of README.md prints what it says: %s",
    (file, printed) => {
      const { stdout, stderr, status } = project.node("--import", "warpsmith/register", file);
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      expect(lines(stdout)).toEqual(printed);
    },
    180_000,
  );
  it("every program of README.md that prints something says what", () => {
    const silent = programsOf("README.md").filter((text) => printedBy(text).length !== text.split("console.log(").length - 1);
    expect(silent).toEqual([]);
    expect(programs.filter(([, printed]) => printed.length > 0).length).toBeGreaterThanOrEqual(2);
  });

  it("every chapter of the tutorial", () => {
    const { stdout, stderr } = project.node("--import", "warpsmith/register", join("examples", "tutorial.ts"));
    expect(stderr).toBe("");
    expect(lines(stdout).map((line) => line.slice(0, 10))).toEqual(
      ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"].map((c) => `${c}  PASS `),
    );
  }, 180_000);

  it("warpsmith/kernels: a product with an epilogue of one's own", () => {
    const { stdout, stderr } = project.node("--import", "warpsmith/register", "product.ts");
    expect({ stdout, stderr }).toEqual({ stdout: "40 1 2 3 4 5 6 7 0 41\n", stderr: "" });
  });

  it("warpsmith/kernels: a product that another process has compiled", () => {
    const kept = () => readdirSync(join(project.folder, "cache", "kernel")).filter((name) => !name.startsWith("."));
    const first = project.node("--import", "warpsmith/register", "plain-product.ts");
    expect({ stdout: first.stdout, stderr: first.stderr }).toEqual({ stdout: "4 0 0 0 0 0 0 0 0 4\n", stderr: "" });
    expect(kept()).toHaveLength(1);
    const again = project.node("--import", "warpsmith/register", "plain-product.ts");
    expect({ stdout: again.stdout, stderr: again.stderr }).toEqual({ stdout: first.stdout, stderr: "" });
    expect(kept()).toHaveLength(1);
  });

  it("warpsmith build, and what it built in a folder of its own, where nothing transforms, traces or compiles", () => {
    const built = project.npx("warpsmith", "build", "built.ts", "--out", "built", "--for", "node,python", "--json");
    expect({ stderr: built.stderr, status: built.status }).toEqual({ stderr: "", status: 0 });
    expect(JSON.parse(built.stdout)).toMatchObject({ folder: "built", manifest: { kernels: { scale: { entry: "scale" } } } });
    const away = join(project.folder, "away");
    mkdirSync(away);
    cpSync(join(project.folder, "built"), join(away, "dist"), { recursive: true });
    writeFileSync(join(away, "main.mjs"), launchesBuilt);
    const { stdout, stderr, status } = project.node("--import", "./list-modules.mjs", "away/main.mjs");
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(lines(stdout)).toEqual(["897"]);
    const loaded = lines(readFileSync(join(project.folder, "modules.txt"), "utf8"));
    // A chunk says which modules it is made of.
    const chunks = loaded.flatMap((url) => /node_modules\/warpsmith\/(dist\/.+\.js)/.exec(url)?.[1] ?? []);
    const rooms = new Set(
      chunks.flatMap((chunk) =>
        [...textOf(chunk).matchAll(/^\/\/(?:#region)? src\/((?:entries\/)?[^/\n]+)/gm)].map(([, room]) => room),
      ),
    );
    for (const room of ["entries/runtime.ts", "runtime", "emulator"]) expect(rooms).toContain(room);
    for (const room of ["index.ts", "transform", "dsl", "kernel", "ir", "passes", "lower", "compile.ts"])
      expect(rooms).not.toContain(room);
    expect(loaded.filter((url) => /ts-morph|typescript/.test(url))).toEqual([]);
    // The module's types say what launches take.
    writeFileSync(join(project.folder, "typed.ts"), typesBuilt);
    const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2022", types: ["node"] };
    writeFileSync(join(project.folder, "typed.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
    const { stdout: errors } = project.npx("tsc", "-p", "typed.json");
    expect([...errors.matchAll(/^(\S+)\(.*\): error (TS\d+)/gm)].map(([, file, code]) => `${file} ${code}`)).toEqual([
      "typed.ts TS2322",
    ]);
  }, 180_000);

  it("warpsmith build refuses a file that exports nothing to build, and a build that stands on another's files", () => {
    const none = project.npx("warpsmith", "build", "scale.ts", "--out", "none");
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining("W7726")]);
    writeFileSync(join(project.folder, "kernels.py"), "# somebody's");
    const taken = project.npx("warpsmith", "build", "built.ts", "--out", ".", "--json", "--for", "python");
    expect([taken.status, JSON.parse(taken.stderr)]).toEqual([1, { error: expect.objectContaining({ code: "W7725" }) }]);
    expect(readFileSync(join(project.folder, "kernels.py"), "utf8")).toBe("# somebody's");
  }, 180_000);

  it("worker threads of the emulator: they start, share memory, and do not keep the process", () => {
    const { stdout, stderr, status } = project.node("threads.mjs");
    expect({ stdout, stderr, status }).toEqual({ stdout: "2 0 3 6 9 12 15 18 21\n", stderr: "", status: 0 });
    const registered = project.node("--import", "warpsmith/register", "threads.mjs");
    expect(registered.stdout).toBe(stdout);
  });

  it("through the plugin in a Vite build, then on plain Node", () => {
    const built = project.node("--import", "warpsmith/register", "plugin.ts");
    expect(built.stderr + built.stdout).not.toMatch(/error/i);
    const { stdout, stderr } = project.node(join("bundled", "main.js"));
    expect(stderr).toBe("");
    expect(lines(stdout)).toEqual(greeting);
  }, 180_000);

  it("npx warpsmith check: a report under the first schedule that shows it, or none", () => {
    const check = (...args: readonly string[]) => project.npx("warpsmith", "check", "late.ts", "--seeds", "1", ...args);
    const broken = check();
    expect(broken.stderr).toMatch(
      /^eager fails:\n\nW9204 {2}[\s\S]*late\.ts:34:[\s\S]*\nagain: .*WARPSMITH_SEED=eager .*late\.ts/m,
    );
    expect(broken.status).toBe(1);
    const mended = check("--", "mended");
    expect(mended.stderr).not.toContain("fails");
    expect(mended.stdout.trim()).toBe("no report under 4 schedules: eager, lazy, torn, seeds 1 to 1");
    expect(mended.status).toBe(0);
    const endless = project.npx("warpsmith", "check", "endless.ts", "--seeds", "0", "--jobs", "1", "--seconds", "15");
    expect(endless.stderr).toMatch(
      /^eager fails:\n\nit was still running after 15 s: endless: 0 of 1 cluster done, \d+ s, at .*endless\.ts:\d+\n/m,
    );
    expect(endless.status).toBe(1);
    const nothing = project.npx("warpsmith", "check", "saxpy.ts", "--seeds", "0");
    expect([nothing.status, nothing.stderr]).toEqual([1, expect.stringContaining("nothing was checked")]);
    expect(project.npx("warpsmith", "check", "late.ts", "--seeds", "many").status).toBe(2);
  }, 180_000);

  it("npx warpsmith explain: what kernels of a program cost, without running them", () => {
    const { stdout, stderr, status } = project.npx("warpsmith", "explain", "late.ts", "--", "mended");
    expect([status, stdout.match(/^launch {6}/gm)?.length, stdout.split("\n")[0]]).toEqual([
      0,
      1,
      "addBoth(x: TMA, out: f32[128])",
    ]);
    expect(stderr).not.toContain("W9");
    const [report] = JSON.parse(project.npx("warpsmith", "explain", "--json", "late.ts").stdout) as [{ work: object }];
    expect(report.work).toMatchObject({ exact: true, read: { threads: 0, tma: 1024 }, written: { threads: 512, tma: 0 } });
    const failing = `import "./late.ts";\nthrow new Error("not what was expected");\n`;
    writeFileSync(join(project.folder, "failing.ts"), failing);
    const failed = project.npx("warpsmith", "explain", "failing.ts").stderr;
    expect(failed).toMatch(/compiled and not run[\s\S]*not what was expected/);
    writeFileSync(join(project.folder, "nothing.ts"), "export {};");
    const nothing = project.npx("warpsmith", "explain", "nothing.ts");
    expect([nothing.status, nothing.stdout]).toEqual([1, ""]);
    expect(nothing.stderr).toContain("no kernel was launched, so there is nothing to explain");
  }, 180_000);

  it("npx warpsmith run --print-after-all=diff --stages: what the compiler does, also where it refuses", () => {
    const { stdout, stderr, status } = project.npx(
      "warpsmith",
      "run",
      "--print-after-all=diff",
      "--stages",
      "out.html",
      "main.ts",
    );
    expect([status, lines(stdout)]).toEqual([0, greeting]);
    expect(stderr).toMatch(/^; -{8} .*: after trace \(\w+\) -{8}\nkernel @/m);
    expect(stderr).toMatch(/^; -{8} .*: after dce \(machine\)/m);
    expect(stderr).toMatch(/^\+ .* ; saxpy\.ts:8:/m);
    expect(readFileSync(join(project.folder, "out.html"), "utf8")).toContain("saxpy.ts");
    const refused = project.npx("warpsmith", "run", "--print-after", "trace", "--stages", "out.html", "refused.ts");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/^; -{8} narrow\(.*\): error -{8}\n; W\d{4} /m)]);
    expect(readFileSync(join(project.folder, "out.html"), "utf8")).toContain('"error":"W');
    writeFileSync(join(project.folder, "nothing.ts"), "export {};");
    const none = project.npx("warpsmith", "run", "--stages", "out.html", "nothing.ts");
    expect(none.stderr).toContain("out.html was not written: the program compiled no kernel");
  });

  it("the command line says what it can do, and what is wrong", () => {
    expect(project.npx("warpsmith", "--version").stdout.trim()).toBe(project.manifest.version);
    expect(project.npx("warpsmith", "--help").stdout).toMatch(/^Usage: warpsmith .*\n[\s\S]*^ {2}run /m);
    const none = project.npx("warpsmith", "run", "nowhere.ts");
    // What npx itself may say comes before.
    expect(none.stderr).toMatch(/^warpsmith: there is no file nowhere\.ts\n$/m);
    expect(none.status).toBe(2);
    expect(project.npx("warpsmith", "devices").stdout).toContain("cuda");
    const tuned = project.npx("warpsmith", "tune", "gatedMatmul", "32x64x64", "--budget", "2", "--dry");
    expect(`${tuned.stdout}${tuned.stderr}`).toMatch(/^gatedMatmul 32x64x64 on /m);
    // Who reads has seen enough.
    const [main] = Object.values(project.manifest.bin);
    for (const words of ["completion bash", "run --help"]) {
      const cut = spawnSync("sh", ["-c", `node node_modules/warpsmith/${main} ${words} | true`], { cwd: project.folder });
      expect([words, cut.status, String(cut.stderr)]).toEqual([words, 0, ""]);
    }
  });
});

describe("mistakes", () => {
  it("what is no kernel at all is told without a stack", () => {
    const told = /W1004 {2}.*\n {2}try\.ts:4:3\n {2}4 \| {3}try \{\n.*\^\^\^\n {2}fix: .*$/m;
    for (const { stderr, status } of [
      project.npx("warpsmith", "run", "try.ts"),
      project.node("--import", "warpsmith/register", "try.ts"),
    ]) {
      expect(status).toBe(1);
      expect(stderr).toMatch(told);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(stderr).not.toContain("sentence:");
    }
  });

  it("a launch that fails with nothing that waits for it is told when the process ends, with status 1", () => {
    const register = ["--import", "warpsmith/register", "untold.ts"];
    for (const { stdout, stderr, status } of [project.npx("warpsmith", "run", "untold.ts"), project.node(...register)]) {
      expect({ stdout, status }).toEqual({ stdout: "end\n", status: 1 });
      expect(stderr).toMatch(/^W7515 {2}[\s\S]*too big[\s\S]*untold\.ts:4:/m);
      expect(stderr.match(/W7515/g)).toHaveLength(1);
    }
    const caught = project.node(...register, "caught");
    expect(caught).toMatchObject({ stdout: "caught\nend\n", stderr: "", status: 0 });
    const left = project.node(...register, "exit");
    expect(left).toMatchObject({ stdout: "", status: 0 });
  });

  it.each([
    ["node", "--import", "warpsmith/register"],
    ["npx", "warpsmith", "run"],
  ])("%s %s %s: the author's line under a caret", (by, ...args) => {
    const { stderr, status } = by === "node" ? project.node(...args, "refused.ts") : project.npx(...args, "refused.ts");
    expect(status).toBe(1);
    expect(stderr).toMatch(/W\d{4} {2}/);
    expect(stderr).toContain("refused.ts:7:");
    expect(stderr).toContain("7 |     if (sizes.includes(threadIdx.x)) place.store(0);");
    expect(stderr).toMatch(/fix: /);
  });

  const uncaught = (how: string) => project.node("--import", "warpsmith/register", "uncaught.ts", how);

  it.each(["now", "later", "rejected"])(
    "an error that nobody catches (%s): its message and the author's frames, nothing of the inside",
    (how) => {
      const { stdout, stderr, status } = uncaught(how);
      expect([status, stdout]).toEqual([1, "exit 1\n"]);
      expect(stderr).toMatch(/^WarpsmithError: W7002 {2}.*\n {2}uncaught\.ts:4:3\n {2}4 \| /);
      const frames = stderr.split("\n").filter((line) => /^ +at /.test(line));
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.filter((frame) => !frame.includes("uncaught.ts:"))).toEqual([]);
      expect(stderr).not.toContain("throw");
    },
  );

  it("who listens to such errors hears of them, and errors of others are told by Node", () => {
    const heard = uncaught("heard");
    expect([heard.status, heard.stdout, heard.stderr]).toEqual([0, "heard WarpsmithError\nexit 0\n", ""]);
    const another = uncaught("another");
    expect([another.status, another.stdout]).toEqual([1, "exit 1\n"]);
    expect(another.stderr).toMatch(/uncaught\.ts:10[\s\S]*TypeError: mine[\s\S]*Node\.js v/);
  });

  it("an exception of the author's own code shows the lines of TypeScript", () => {
    const { stderr, status } = project.node("--import", "warpsmith/register", "throws.ts");
    expect(status).toBe(1);
    expect(stderr).toContain("a width of 33 is not whole warps");
    expect(stderr).toMatch(/throws\.ts:10:/);
    expect(stderr).toMatch(/throws\.ts:16:/);
    expect(stderr).toMatch(/throws\.ts:19:/);
  });
});

/** The last: afterwards the dependencies are gone. */
describe("the second time", () => {
  it("a chapter is run without TypeScript", () => {
    const chapter = (name: string) => project.node("--import", "warpsmith/register", join("examples", "tutorial.ts"), name);
    const first = chapter("ch4");
    expect(first.stdout + first.stderr).toMatch(/^ch4 +PASS/);
    for (const name of ["ts-morph", "@jridgewell/remapping", "unplugin"]) project.poison(name);
    const second = chapter("ch4");
    expect(second.stderr).toBe("");
    expect(second.stdout).toMatch(/^ch4 +PASS/);
    const text = readFileSync(join(project.folder, "saxpy.ts"), "utf8");
    writeFileSync(join(project.folder, "new.ts"), `${text}\nconsole.log("compiled");\n`);
    const other = project.node("--import", "warpsmith/register", "new.ts");
    // Node tells it from another thread, and sometimes ends before it is said: only that it fails is sure.
    expect(other.status).not.toBe(0);
    expect(other.stdout).not.toContain("compiled");
  });
});
