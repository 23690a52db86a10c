/** The prompt: what is typed goes to the session, entry by entry. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type REPLServer, Recoverable, start } from "node:repl";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { WarpsmithError } from "../../../base/diag/index.ts";
import { readEnvironment } from "../../../base/env.ts";
import * as warpsmith from "../../../index.ts";
import { styledError } from "../output.ts";
import { completions } from "./completions.ts";
import { isUnfinished } from "./read-entry.ts";
import { Session } from "./session.ts";

/** Where it reads and prints. At a terminal it edits lines, remembers them, and shows a prompt. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly isTerminal: boolean;
}

interface Compiled {
  readonly ptx: string;
  readonly stages: readonly { readonly name: string; readonly text: string }[];
}

/** The text of a value that a statement has left. */
/** A text of several lines, such as a drawing of a layout, as it is; other values as Node shows them. */
const shown = (value: unknown, colors: boolean): string =>
  typeof value === "string" && value.includes("\n") ? value : inspect(value, { colors, depth: 4 });

class Prompt {
  readonly session = new Session();
  readonly #terminal: Terminal;
  readonly #entries: string[] = [];
  #server: REPLServer | undefined;
  /** Lines of an entry that goes on. */
  #begun = "";
  /** What runs now, and all that was typed meanwhile. */
  #running: Promise<void> = Promise.resolve();
  readonly #jobs: (() => Promise<void>)[] = [];
  #wake: () => void = () => {};
  failed = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  print(text: string): void {
    this.#terminal.output.write(`${text}\n`);
  }

  /** Tells what went wrong, and goes on. */
  tell(error: unknown): void {
    this.failed = true;
    const { output } = this.#terminal;
    if (error instanceof WarpsmithError) this.print(styledError(output as NodeJS.WriteStream, error.message));
    else this.print(error instanceof Error ? (error.stack ?? String(error)) : `Uncaught ${inspect(error)}`);
  }

  /**
   * Runs one entry after the other. It begins before node:repl does: what runs here is in none of its domains, which would take late errors
   * for their own.
   */
  async work(): Promise<void> {
    for (;;) {
      const job = this.#jobs.shift();
      if (job) await job();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #next(act: () => Promise<void>): Promise<void> {
    this.#running = new Promise((resolve) => {
      this.#jobs.push(() =>
        act()
          .catch((error: unknown) => this.tell(error))
          .then(resolve),
      );
    });
    this.#wake();
    return this.#running;
  }

  get idle(): Promise<void> {
    return this.#running;
  }

  async #enter(text: string, display?: string): Promise<void> {
    const values = await this.session.run(text, display);
    this.#entries.push(text.trimEnd());
    for (const value of values) {
      if (value === undefined) continue;
      this.session.define("_", value);
      this.print(shown(value, this.#terminal.isTerminal));
    }
  }

  /** What node:repl calls with all lines of an entry so far. */
  evaluate(lines: string, done: (error: Error | null, value?: unknown) => void): void {
    // What ran meanwhile has made it forget the lines before.
    const text = lines.startsWith(this.#begun) ? lines : this.#begun + lines;
    if (isUnfinished(text)) {
      this.#begun = text;
      done(new Recoverable(new SyntaxError("more follows")));
      return;
    }
    this.#begun = "";
    if (text.trim() === "") done(null);
    else void this.#next(() => this.#enter(text)).then(() => done(null));
  }

  /** What begins and is not finished when the input ends, is wrong. */
  async finish(): Promise<void> {
    const text = this.#begun;
    this.#begun = "";
    if (text.trim() !== "") await this.#next(() => this.#enter(text));
    await this.idle;
  }

  /** `name`, or `name(arguments)`: a kernel compiled for these, or for those of its last launch. */
  async #compiled(given: string): Promise<Compiled> {
    const [, name, args] = /^\s*([\w$]+)\s*(?:\((.*)\))?\s*;?\s*$/s.exec(given) ?? [];
    if (name === undefined) throw new Error("name a kernel, and what it is launched with: scale(x, 2)");
    const kernel = this.session.valueOf(name) as { readonly compile?: unknown } | undefined;
    if (typeof kernel?.compile !== "function") throw new Error(`${name} is no kernel`);
    const call = `${name}.compile(${args ?? this.session.launched(name) ?? ""})`;
    const [compiled] = await this.session.run(call, call);
    return compiled as Compiled;
  }

  #command(help: string, action: (rest: string) => Promise<void>) {
    return {
      help,
      action: (rest: string): void => {
        void this.#next(() => action(rest)).then(() => this.#server?.displayPrompt());
      },
    };
  }

  begin(input: Readable): REPLServer {
    const { output, isTerminal } = this.#terminal;
    const server = start({
      prompt: isTerminal ? "> " : "",
      input,
      output,
      terminal: isTerminal,
      ignoreUndefined: true,
      preview: false,
      eval: (lines, _context, _file, done) => this.evaluate(lines, done),
      completer: (line: string) => completions(line, this.session),
    });
    this.#server = server;
    if (!isTerminal) server.displayPrompt = () => {};
    // There is no other context than this one.
    delete (server.commands as Record<string, unknown>).clear;
    for (const [name, command] of Object.entries(this.#commands())) server.defineCommand(name, command);
    server.on("SIGINT", () => this.#forget());
    return server;
  }

  /** Lines that are not finished are given up. */
  #forget(): void {
    this.#begun = "";
    this.#server?.clearBufferedCommand();
  }

  #commands() {
    return {
      break: this.#command("Give up the entry that goes on over several lines", async () => this.#forget()),
      ptx: this.#command("Print the PTX of a kernel: .ptx scale, or .ptx scale(x, 2)", async (rest) =>
        this.print((await this.#compiled(rest)).ptx),
      ),
      stages: this.#command("Print what a kernel is after each pass of the compiler: .stages scale", async (rest) => {
        for (const { name, text } of (await this.#compiled(rest)).stages) this.print(`; ==== ${name}\n${text}`);
      }),
      load: this.#command("Run the statements of a file, as if they were typed: .load kernel.ts", async (rest) =>
        this.#enter(readFileSync(rest.trim(), "utf8"), rest.trim()),
      ),
      save: this.#command("Write all entries that ran to a file: .save session.ts", async (rest) => {
        writeFileSync(rest.trim(), `${this.#entries.join("\n")}\n`);
        this.print(`${this.#entries.length} entries in ${rest.trim()}`);
      }),
    };
  }
}

/** Gives the prompt one line after the other, each when all before it has run. */
async function feed(prompt: Prompt, from: Readable, server: REPLServer, to: PassThrough): Promise<void> {
  let ended = false;
  server.once("close", () => {
    ended = true;
  });
  for await (const line of createInterface({ input: from })) {
    if (ended) return;
    const taken = new Promise((resolve) => server.once("line", resolve));
    to.write(`${line}\n`);
    await taken;
    await prompt.idle;
    // `.exit` closes a moment later.
    await setImmediate();
  }
  await prompt.finish();
  to.end();
}

/** Lines of earlier sessions are where the package keeps its other files. */
function remember(server: REPLServer): Promise<void> {
  const folder = readEnvironment().values?.cache;
  if (folder === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      return resolve();
    }
    server.setupHistory(join(folder, "repl_history"), () => resolve());
  });
}

/** Runs until its input ends, or `.exit`. Gives whether everything went well. `device`: as in `openDevice`. */
export async function repl(device: string | undefined, terminal: Terminal): Promise<boolean> {
  const prompt = new Prompt(terminal);
  const gpu = await warpsmith.openDevice(device as Parameters<typeof warpsmith.openDevice>[0]);
  if (device !== undefined) process.env.WARPSMITH_DEVICE = device;
  prompt.session.define("gpu", gpu);
  if (terminal.isTerminal)
    prompt.print(`warpsmith: \`gpu\` is ${gpu.name}. Everything of the package is there by its name. .help lists commands.`);
  void prompt.work();
  const lines = new PassThrough();
  const server = prompt.begin(terminal.isTerminal ? terminal.input : lines);
  const ended = new Promise<void>((resolve) => server.once("exit", resolve));
  // Promises that nobody waits for.
  const late = (error: unknown): void => prompt.tell(prompt.session.inEntries(error));
  process.on("unhandledRejection", late);
  try {
    if (terminal.isTerminal) await remember(server);
    else void feed(prompt, terminal.input, server, lines);
    await ended;
    await prompt.finish();
    await gpu.dispose();
  } finally {
    process.off("unhandledRejection", late);
  }
  return !prompt.failed;
}
