/** What kernels print, as lines: each is printed when it ends, the last one when the launch ends. */
export class KernelConsole {
  readonly #print: (line: string) => void;
  #rest = "";

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#print(line);
  }

  /** The launch is over. */
  end(): void {
    if (this.#rest !== "") this.#print(this.#rest);
    this.#rest = "";
  }
}
