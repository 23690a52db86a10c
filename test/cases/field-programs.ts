"use kernel";
/** Programs whose fields and elements begin as constants and change in loops on the GPU. As in `programs.ts`. */
import { f32, range } from "warpsmith";
import type { Program } from "./programs.ts";

class Meter {
  count = 0;
  high = false;
  last = { at: 0 };
  get level(): number {
    return this.high ? this.count : this.last.at;
  }
  set level(to: number) {
    this.count = to;
    this.high = !this.high;
  }
  hit(at: number): number {
    if (at % 3 === 1) this.last = { at };
    this.count += this.last.at;
    return this.count;
  }
}

export const wholeFields: Readonly<Record<string, Program>> = {
  field(i, n) {
    const state = { sum: 0 };
    for (const k of range(n)) state.sum += k * i;
    return state.sum;
  },

  aliasAndClosure(i, n) {
    const state = { sum: 0, phase: false };
    const same = state;
    const flip = () => {
      same.phase = !same.phase;
    };
    for (const k of range(n)) {
      if (state.phase) state.sum += k + i;
      flip();
    }
    return state.phase ? -state.sum : same.sum;
  },

  queue(i, n) {
    const last = [0, 0, 0];
    let all = 0;
    for (const k of range(n)) {
      last[0] = last[1] as number;
      last[1] = last[2] as number;
      last[2] = k * i;
      all += (last[0] as number) * 3 + (last[1] as number);
    }
    return all + (last[2] as number);
  },

  methodsAndAccessors(i, n) {
    const meter = new Meter();
    let all = 0;
    for (const k of range(n)) {
      if (k === i) {
        meter.level = k + 1;
        continue;
      }
      all += meter.hit(k) + meter.level;
      if (all > 500) break;
    }
    return all + meter.count + meter.last.at;
  },

  loopsInLoops(i, n) {
    const grid = { rows: [{ at: 0 }, { at: 0 }], steps: 0 };
    for (const k of range(n)) {
      grid.steps = 0;
      for (const j of range(k % 4)) {
        const row = j % 2 === 0 ? 0 : 1;
        if (row === 0) (grid.rows[0] as { at: number }).at += i;
        else (grid.rows[1] as { at: number }).at -= j;
        grid.steps++;
      }
    }
    return (grid.rows[0] as { at: number }).at * 100 + (grid.rows[1] as { at: number }).at + grid.steps;
  },

  whileAndReturn(i, n) {
    const search = { at: 0, tries: 0 };
    while (search.at < n) {
      search.tries++;
      search.at += 1 + (search.tries % 3);
      if (search.at > i) return search.tries * 100 + search.at;
    }
    return -search.tries;
  },
};

export const realFields: Readonly<Record<string, Program>> = {
  sumOfReals(i, n, x) {
    const state = { sum: 0, best: 0 };
    for (const k of range(n)) {
      state.sum += x * f32(k);
      if (state.sum > state.best) state.best = state.sum;
    }
    return state.sum + state.best + f32(i);
  },

  replacedObject(i, n, x) {
    const pair = { low: { of: 0, at: 0 }, seen: 0 };
    for (const k of range(n)) {
      const of = x - f32(k * i);
      if (of < pair.low.of) pair.low = { of, at: f32(k) };
      pair.seen += 0.5;
    }
    return pair.low.of + pair.low.at + pair.seen;
  },
};
