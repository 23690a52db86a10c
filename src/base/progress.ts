/** What goes on, on a terminal. */
type Stream = NodeJS.WriteStream;

/** What takes shorter says nothing. */
const quiet = 1000;

/** A line on a terminal that says what goes on, from a second after `begin` on; gone when it is cleared. */
export class Progress {
  readonly #stream: Stream;
  readonly #begin: number;
  #shown = false;

  constructor(stream: Stream = process.stderr, begin = performance.now()) {
    this.#stream = stream;
    this.#begin = begin;
  }

  show(text: string): void {
    if (this.#stream.isTTY !== true || performance.now() - this.#begin < quiet) return;
    this.#stream.write(`\r\x1b[K${text.slice(0, (this.#stream.columns || 80) - 1)}`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#stream.write("\r\x1b[K");
    this.#shown = false;
  }
}
