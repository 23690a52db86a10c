import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"];

/** A Chromium: `WARPSMITH_TEST_BROWSER`, or the first on the path. Undefined where there is none. */
export function findBrowser(): string | undefined {
  const { WARPSMITH_TEST_BROWSER: given } = process.env;
  return [...(given ? [given] : []), ...names].find((name) => spawnSync(name, ["--version"]).status === 0);
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly exceptionDetails?: Thrown; readonly request?: { readonly url: string } };
  readonly result?: {
    readonly targetId?: string;
    readonly sessionId?: string;
    readonly data?: string;
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: Thrown;
  };
  readonly error?: { readonly message: string };
}
interface Thrown {
  readonly text: string;
  readonly exception?: { readonly description?: string };
}
const said = ({ text, exception }: Thrown): Error => new Error(exception?.description ?? text);

const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-zygote", "--single-process", "--remote-debugging-pipe"];

/** A browser with one page, driven through the pipe of the DevTools protocol: what a person does in it, scripts do. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), "warpsmith-page-"));
  readonly #to: Writable;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #loads: (() => void)[] = [];
  #session: string | undefined;
  #count = 0;
  /** Errors that nothing in the page caught, and what it asked the network for. */
  readonly faults: Error[] = [];
  readonly requests: string[] = [];

  private constructor(path: string) {
    this.#process = spawn(path, [...options, `--user-data-dir=${join(this.#folder, "user")}`], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const [, , , to, from] = this.#process.stdio as unknown as readonly [null, null, null, Writable, Readable];
    this.#to = to;
    let text = "";
    from.setEncoding("utf8").on("data", (part: string) => {
      const whole = `${text}${part}`.split("\0");
      text = whole.pop() ?? "";
      for (const message of whole) this.#take(JSON.parse(message) as Answer);
    });
  }

  static async open(path: string): Promise<Browser> {
    const browser = new Browser(path);
    const { targetId } = await browser.#ask("Target.createTarget", {
      url: "about:blank",
      width: 1400,
      height: 800,
      newWindow: true,
    });
    const { sessionId } = await browser.#ask("Target.attachToTarget", { targetId, flatten: true });
    browser.#session = sessionId;
    for (const domain of ["Page", "Runtime", "Network"]) await browser.#ask(`${domain}.enable`, {});
    return browser;
  }

  #take(answer: Answer): void {
    const { id, method, params } = answer;
    if (id !== undefined) this.#waiting.get(id)?.(answer);
    else if (method === "Page.loadEventFired") for (const loaded of this.#loads.splice(0)) loaded();
    else if (method === "Runtime.exceptionThrown" && params?.exceptionDetails) this.faults.push(said(params.exceptionDetails));
    else if (method === "Network.requestWillBeSent" && params?.request) this.requests.push(params.request.url);
  }

  #ask(method: string, params: object): Promise<NonNullable<Answer["result"]>> {
    const id = ++this.#count;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    this.#to.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result ?? {});
      });
    });
  }

  /** Opens a page from disk. */
  async show(page: string): Promise<void> {
    const file = join(this.#folder, "page.html");
    writeFileSync(file, page);
    const loaded = new Promise<void>((resolve) => void this.#loads.push(resolve));
    await this.#ask("Page.navigate", { url: `file://${file}` });
    await loaded;
  }

  /** The page as a person sees it, as PNG. */
  async picture(): Promise<Buffer> {
    const { data } = await this.#ask("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data ?? "", "base64");
  }

  /** Whether the person likes dark pages. */
  async prefers(scheme: "light" | "dark"): Promise<void> {
    await this.#ask("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  /** What the body of a function gives, as JSON has it. */
  async run(script: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#ask("Runtime.evaluate", {
      expression: `(() => { ${script} })()`,
      returnByValue: true,
    });
    if (exceptionDetails) throw said(exceptionDetails);
    return result?.value;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
