import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { program } from "../../../../src/tools/cli/command-line.ts";
import { runCommand } from "./run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
const shells = ["bash", "zsh", "fish"] as const;
const scriptOf = async (shell: string): Promise<string> => (await runCommand("completion", shell)).out;
const has = (shell: string): boolean => spawnSync(shell, ["-c", ":"]).status === 0;

describe.each(shells)("completion %s", (shell) => {
  it("names every command and every long option", async () => {
    const { status, out, err } = await runCommand("completion", shell);
    expect([status, err]).toEqual([0, ""]);
    for (const command of program().commands) {
      expect(out).toContain(command.name());
      for (const { long } of command.options) expect(out).toContain(shell === "fish" ? `-l ${long?.slice(2)}` : long);
    }
  });

  it.skipIf(!has(shell))("is a script that the shell can read", async () => {
    const file = join(folder, `completion.${shell}`);
    writeFileSync(file, await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

it("refuses another shell", async () => {
  const { status, err } = await runCommand("completion", "csh");
  expect(status).toBe(2);
  expect(err).toContain("'csh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish");
});

describe.skipIf(!has("bash"))("in bash", () => {
  writeFileSync(join(folder, "main.ts"), "");
  writeFileSync(join(folder, "two words.ts"), "");

  /** What is proposed where the last of the words is being typed. */
  async function proposed(...words: readonly string[]): Promise<readonly string[]> {
    const line = ["warpsmith", ...words].map((word) => `'${word}'`).join(" ");
    const script = `${await scriptOf("bash")}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_warpsmith\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8", cwd: folder });
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean);
  }

  it.each<[readonly string[], readonly string[]]>([
    [["ex"], ["explain"]],
    [["c"], ["check", "completion"]],
    [["--v"], ["--version"]],
    [["run", "ma"], ["main.ts"]],
    [["run", "two"], ["two words.ts"]],
    [["run", "--pro"], ["--profile"]],
    [["run", "--profile", "m"], ["main.ts"]],
    [["run", "--print-after", "lic"], ["licm"]],
    [
      ["run", "--print-after-all"],
      ["--print-after-all", "--print-after-all=text", "--print-after-all=diff"],
    ],
    [["run", "main.ts", "--pro"], []],
    [["run", "--profile", "t.json", "m"], ["main.ts"]],
    [["check", "main.ts", "--st"], ["--strict"]],
    [
      ["explain", "--gpu", ""],
      ["H200", "H100"],
    ],
    [["build", "--for", "p"], ["python"]],
    [["emulate", "--check", "s"], ["strict"]],
    [["tune", "m"], ["matmul"]],
    [["tune", "g"], ["gatedMatmul"]],
    [["tune", "matmul", ""], []],
    [
      ["tune", "matmul", "--layout", "n"],
      ["nt", "nn"],
    ],
    [["completion", "z"], ["zsh"]],
    [["help", "dev"], ["devices"]],
    [["devices", "--j"], ["--json"]],
    [["nonsense", ""], []],
  ])("%j", async (words, expected) => {
    expect(await proposed(...words)).toEqual(expected);
  });
});
