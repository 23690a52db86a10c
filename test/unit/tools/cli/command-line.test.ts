import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { Progress } from "../../../../src/base/progress.ts";
import { styledError } from "../../../../src/tools/cli/output.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "command-line-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

describe("help", () => {
  const commands = ["run", "repl", "check", "explain", "build", "emulate", "tune", "devices", "completion"];
  it.each([["--help"], ["-h"], ["help"], []])("warpsmith %s names every command", async (...words) => {
    const { status, out, err } = await runCommand(...words);
    expect([status, err]).toEqual([0, ""]);
    for (const command of commands) expect(out).toMatch(new RegExp(`^ {2}${command} `, "m"));
    expect(out).toContain("Exit status: 0;");
  });

  it.each(commands)("warpsmith %s --help: usage, options, an example", async (command) => {
    for (const words of [
      [command, "--help"],
      ["help", command],
    ]) {
      const { status, out, err } = await runCommand(...words);
      expect([status, err]).toEqual([0, ""]);
      expect(out).toContain(`Usage: warpsmith ${command}`);
      expect(out).toContain("Options:");
      expect(out).toMatch(new RegExp(`Examples?:\\n {2}warpsmith ${command}`));
    }
  });

  it.each([[], ...commands.map((command) => [command])])("warpsmith %s --help, word by word", async (...command) => {
    const { out } = await runCommand(...command, "--help");
    await expect(out).toMatchFileSnapshot(join(import.meta.dirname, "help", `${command[0] ?? "warpsmith"}.txt`));
  });

  it("README.md and docs/cli.md have every command", () => {
    for (const page of ["README.md", "docs/cli.md"]) {
      const text = readFileSync(join(import.meta.dirname, "../../../..", page), "utf8");
      const missing = commands.filter((command) => !new RegExp(`^\\| \`(warpsmith )?${command}[ \`]`, "m").test(text));
      expect([page, missing]).toEqual([page, []]);
    }
  });

  it("the version", async () => {
    expect(await runCommand("--version")).toEqual({ status: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: "" });
  });
});

describe("what cannot be read is one line, and exit status 2", () => {
  const ptx = join(folder, "k.ptx");
  const text = join(folder, "notes.txt");
  writeFileSync(ptx, "");
  writeFileSync(text, "");
  it.each([
    [["rnu", "main.ts"], "unknown command 'rnu': did you mean run?"],
    [["nonsense"], "unknown command 'nonsense'"],
    [["help", "rnu"], "unknown command 'rnu': did you mean run?"],
    [["nonsense", "--help"], "unknown command 'nonsense'"],
    [["rnu", "-h"], "unknown command 'rnu': did you mean run?"],
    [["help", "--jsn"], "unknown option '--jsn'"],
    [["devices", "more"], "too many arguments for 'devices'. Expected 0 arguments but got 1"],
    [["build", "a.ts", "b.ts"], "too many arguments for 'build'. Expected 1 argument but got 2"],
    [["repl", "main.ts"], "too many arguments for 'repl'. Expected 0 arguments but got 1"],
    [["completion", "bash", "more"], "too many arguments for 'completion'. Expected 1 argument but got 2"],
    [["--quiet"], "unknown option '--quiet'"],
    [["run"], "missing required argument 'file'"],
    [["run", "--tracing"], "unknown option '--tracing'"],
    [["run", "--profile"], "option '--profile <file>' argument missing"],
    [["run", "--profile", "out.txt", text], `${text} is no program`],
    [["run", "nowhere.ts"], "there is no file nowhere.ts"],
    [["run", ""], "the name of the file is empty"],
    [["check", ""], "the name of the file is empty"],
    [["build", ""], "the name of the file is empty"],
    [["explain", ""], "the name of the file is empty"],
    [["run", folder], `${folder} is a folder`],
    [["run", ptx], `${ptx} is PTX and no program; launch it with warpsmith emulate`],
    [["run", text], `${text} is no program`],
    [["run", "--profile", folder, ptx], "is PTX"],
    [["emulate", folder], "cannot be read: it is a folder"],
    [["build"], "missing required argument 'file'"],
    [["build", "nowhere.ts"], "there is no file nowhere.ts"],
    [["build", folder], `${folder} is a folder`],
    [["build", text], `${text} is no program`],
    [
      ["build", import.meta.filename, "--for", "nod"],
      "--for takes node, cpp, python, with commas between them, not nod: did you mean node?",
    ],
    [["build", import.meta.filename, "--for", "cpp,"], "--for takes node, cpp, python, with commas between them, not nothing"],
    [["build", import.meta.filename, "--output", "x"], "unknown option '--output': did you mean --out?"],
    [["build", import.meta.filename, "--out"], "option '--out <folder>' argument missing"],
    [["tune"], "missing required argument 'kernel'"],
    [["tune", "matmul"], "missing required argument 'sizes'"],
    [["tune", "softmax", "4x4x4"], "there is no kernel softmax to tune. There is matmul, gatedMatmul"],
    [["tune", "matmul", "4x4"], "matmul has no problem 4x4 of bf16, nt: sizes are MxNxK"],
    [["tune", "matmul", "4x4x0"], "matmul has no problem 4x4x0"],
    [["tune", "matmul", "4x4x4", "--dtype", "f64"], "matmul has no problem 4x4x4 of f64, nt"],
    [["tune", "matmul", "4x4x4", "--budget", "soon"], "--budget takes a whole number from 1 to 86400, not soon"],
    [["tune", "matmul", "4x4x4", "--job", "2"], "unknown option '--job': did you mean --jobs?"],
    [["check", "--strct", "main.ts"], "unknown option '--strct': did you mean --strict?"],
    [["check", "nowhere.ts"], "there is no file nowhere.ts"],
    [["check", ptx], `${ptx} is PTX and no program`],
    [["repl", "--dvice", "cuda"], "unknown option '--dvice': did you mean --device?"],
    [["emulate"], "missing required argument 'file'"],
    [["emulate", "nowhere.ptx"], "nowhere.ptx cannot be read: it is not there"],
    [["emulate", ptx, "--blok", "32"], "unknown option '--blok': did you mean --block?"],
    [["explain"], "missing required argument 'file'"],
    [["explain", "nowhere.ts"], "there is no file nowhere.ts"],
    [["explain", "softmax"], "there is no file softmax, and no kernel of that name to explain. There is matmul"],
    [["explain", folder], `${folder} is a folder`],
    [["explain", ptx], `${ptx} is PTX and no program`],
    [["explain", "matmul"], "say which sizes of matmul, MxNxK, such as 4096x4096x4096"],
    [["explain", "matmul", "4x4"], "matmul has no problem 4x4: sizes are MxNxK"],
    [["explain", "matmul", "4x4x4", "--dtype", "f64"], "--dtype takes f16 or bf16, not f64"],
    [["explain", "matmul", "4x4x4", "--layout", "row"], "--layout takes nt, nn, tn or tt, not row"],
    [
      ["explain", "matmul", "4x4x4", "--gpu", "A100"],
      "option '--gpu <name>' argument 'A100' is invalid. Allowed choices are H200, H100",
    ],
    [["explain", "main.ts", "--jsn"], "unknown option '--jsn': did you mean --json?"],
    [["completion"], "missing required argument 'shell'"],
    [["completion", "csh"], "command-argument value 'csh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish"],
    [["devices", "--jsn"], "unknown option '--jsn': did you mean --json?"],
  ])("%j", async (words, why) => {
    const { status, out, err } = await runCommand(...words);
    expect(err).toContain(`warpsmith: ${why}`.replace("warpsmith: cannot", "cannot").replace("warpsmith: is PTX", "is PTX"));
    expect([status, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  });

  it.each([
    [["run", "--json", "nowhere.ts"], "there is no file nowhere.ts"],
    [["check", "nowhere.ts", "--json"], "there is no file nowhere.ts"],
    [["check", "--json"], "missing required argument 'file'"],
    [["explain", "nowhere.ts", "--json"], "there is no file nowhere.ts"],
    [["build", "--json", "nowhere.ts"], "there is no file nowhere.ts"],
    [["build", "--json", import.meta.filename, "--for", "c"], /^--for takes node, cpp, python/],
    [["emulate", "--json", "nowhere.ptx"], /^nowhere\.ptx cannot be read/],
    [["tune", "--json", "matmul", "4x4"], /^matmul has no problem 4x4/],
    [["devices", "--json", "--all"], "unknown option '--all'"],
  ])("as one line of JSON, where that is asked for: %j", async (words, why) => {
    const { status, out, err } = await runCommand(...words);
    const message = typeof why === "string" ? why : expect.stringMatching(why);
    expect([status, out, JSON.parse(err)]).toEqual([2, "", { error: { message } }]);
    expect(err.trimEnd()).not.toContain("\n");
  });
});

describe("warpsmith devices", () => {
  it("as text and as JSON", async () => {
    expect((await runCommand("devices")).out).toMatch(/^emulator:0 {2}emulator, compute capability 9\.0$/m);
    const { out } = await runCommand("devices", "--json");
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ kind: "emulator" }));
  });
});

describe("colours", () => {
  const message =
    "W2013  No.\n  main.ts:3:5\n  3 |   x\n    |   ^\n  fix: yes\n  in the PTX at k.ptx:1:2\n  1 | \tret;\n    | \t^^^^";
  const terminal = { isTTY: true, hasColors: () => true } as unknown as NodeJS.WriteStream;
  const pipe = { isTTY: false, hasColors: () => false } as unknown as NodeJS.WriteStream;
  const [esc, reset] = ["\x1b[", "\x1b[39m"];

  it("code, place, caret and fix on a terminal; the text is the same", () => {
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("FORCE_COLOR", undefined);
    const text = styledError(terminal, message);
    expect(text).toContain(`${esc}31mW2013${reset}`);
    expect(text).toContain(`${esc}36mmain.ts:3:5${reset}`);
    expect(text).toContain(`${esc}31m^${reset}`);
    expect(text).toContain(`${esc}32mfix:${reset}`);
    expect(text).toContain(`in the PTX at ${esc}36mk.ptx:1:2${reset}`);
    expect(text).toContain(`\t${esc}31m^^^^${reset}`);
    expect(stripVTControlCharacters(text)).toBe(message);
    expect(styledError(pipe, message)).toBe(message);
  });

  it("NO_COLOR and FORCE_COLOR count", () => {
    vi.stubEnv("NO_COLOR", "1");
    vi.stubEnv("FORCE_COLOR", undefined);
    expect(styledError(terminal, message)).toBe(message);
    vi.stubEnv("FORCE_COLOR", "1");
    expect(styledError(pipe, message)).toContain(`${esc}31mW2013`);
  });
});

describe("progress", () => {
  const written: string[] = [];
  const stream = (isTTY: boolean) =>
    ({ isTTY, columns: 20, write: (text: string) => written.push(text) > 0 }) as unknown as NodeJS.WriteStream;
  afterEach(() => void written.splice(0));

  it("is shown on a terminal after a second, in one line that goes away", () => {
    const progress = new Progress(stream(true), performance.now() - 1001);
    progress.show("3 of 103 schedules, now seed 1");
    progress.clear();
    progress.clear();
    expect(written).toEqual(["\r\x1b[K3 of 103 schedules,", "\r\x1b[K"]);
  });

  it("is not shown before, nor elsewhere", () => {
    for (const progress of [new Progress(stream(true)), new Progress(stream(false), -5000)]) {
      progress.show("3 of 103");
      progress.clear();
    }
    expect(written).toEqual([]);
  });
});
