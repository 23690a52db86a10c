"use kernel";
/**
 * Programs of control flow. Each is run by every thread with its number `i`, the kernel's parameter `n` and an element `x` of an array
 * of whole numbers, and again as plain JavaScript. `whole` ones give an i32, `real` ones an f32 that needs no rounding.
 */
import { bool, f32, i32, range, staticRange } from "warpsmith";

export type Program = (i: number, n: number, x: number) => number;

class Point {
  x: number;
  y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
  plus(dx: number, dy: number): Point {
    return new Point(this.x + dx, this.y + dy);
  }
  move(dx: number): void {
    this.x += dx;
  }
}

function firstMultiple(of: number, from: number): number {
  for (const k of range(from, from + 50)) {
    if (k % of === 0) return k;
  }
  return -1;
}

function classify(k: number): number {
  if (k < 3) return 1;
  if (k < 10) {
    if (k % 2 === 0) return 2;
    return 3;
  }
  return 4;
}

function power(base: number, exponent: number): number {
  return exponent === 0 ? 1 : base * power(base, exponent - 1);
}

function fibonacci(k: number): number {
  return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}

export const whole: Readonly<Record<string, Program>> = {
  nestedIf(i, n) {
    let a = 1,
      b = 2,
      c = 3;
    if (i > 5) {
      a = i;
      if (i % 2 === 0) {
        b = a + n;
        if (b > 60) c = 100;
      } else {
        c = b - i;
      }
    } else if (i === 3) {
      a = -1;
      c = n;
    }
    return a * 10000 + b * 100 + c;
  },
  elseIfChain(i) {
    let r: number;
    if (i < 4) r = 1;
    else if (i < 9) r = 2;
    else if (i < 30) r = i;
    else r = 4;
    return r;
  },
  oneSidedAssignment(i, n) {
    let last = n;
    if (i > 20) last = i;
    if (i > 40) last += 7;
    return last;
  },
  swap(i, n) {
    let a = i,
      b = n;
    if (a > b) [a, b] = [b, a];
    return a * 1000 + b;
  },
  sumOfRange(i, n) {
    let sum = 0;
    for (const k of range(n)) sum += k * i;
    return sum;
  },
  zeroTrips(i) {
    let sum = 5;
    for (const k of range(i, i - 3)) sum += k;
    for (const k of range(0)) sum += k;
    return sum;
  },
  negativeStep(i) {
    let code = 0;
    for (const k of range(i, 0, -3)) code = (code * 31 + k) % 100003;
    return code;
  },
  stepOfThree(i, n) {
    let code = 0;
    for (const k of range(i, i + n, 3)) code = (code * 31 + k) % 100003;
    return code;
  },
  stagedBounds(i, n) {
    let code = 0;
    for (const k of range(i % 7, (i * 5) % 41)) code = (code * 17 + k + n) % 65521;
    return code;
  },
  unrollOption(i, n) {
    let code = 0;
    for (const k of range(0, n + (i % 5), 1, { unroll: 4 })) code = (code * 17 + k) % 65521;
    return code;
  },
  unrollStep(i, n) {
    let code = 1;
    for (const k of range(i, i + n, 2, { unroll: 3 })) code = (code * 13 + k) % 65521;
    return code;
  },
  nestedLoops(i, n) {
    let sum = 0;
    for (const j of range(n)) for (const k of range(j)) sum += j * k - i;
    return sum;
  },
  triangle(i) {
    let count = 0;
    for (const j of range(i)) {
      let row = 0;
      for (const k of range(j)) row += k;
      count += row % 5;
    }
    return count;
  },
  breakOut(i, n) {
    let k = 0;
    for (const j of range(n)) {
      if (j * j > i) break;
      k = j + 1;
    }
    return k;
  },
  continueOn(i, n) {
    let sum = 0;
    for (const j of range(n)) {
      if ((i + j) % 3 === 0) continue;
      sum += j;
    }
    return sum;
  },
  breakAndContinue(i, n) {
    let sum = 0;
    for (const j of range(n + 20)) {
      if (j % 4 === 1) continue;
      if (sum > i * 3) break;
      sum += j;
      if (j > 30) continue;
      sum++;
    }
    return sum;
  },
  labels(i, n) {
    let found = -1;
    outer: for (const j of range(1, n)) {
      for (const k of range(1, n)) {
        if (k > j) continue outer;
        if (j * k > i + 10) {
          found = j * 100 + k;
          break outer;
        }
      }
    }
    return found;
  },
  labelledBlock(i, n) {
    let r = 1;
    // biome-ignore lint/suspicious/noConfusingLabels: the language has them
    work: {
      if (i < 10) break work;
      r = 2;
      if (i < n) break work;
      r = 3;
    }
    return r;
  },
  collatz(i) {
    let steps = 0;
    let k = i + 1;
    while (k !== 1) {
      k = k % 2 === 0 ? Math.trunc(k / 2) : 3 * k + 1;
      steps++;
    }
    return steps;
  },
  whileTrueBreak(i, n) {
    let k = i;
    while (bool(true)) {
      k = k * 3 + 1;
      if (k > 50 * n) break;
    }
    return k;
  },
  doWhile(i) {
    let k = i,
      digits = 0;
    do {
      k = Math.trunc(k / 3);
      digits++;
    } while (k > 0);
    return digits;
  },
  gcd(i, n) {
    let a = i + 1,
      b = n;
    while (b !== 0) {
      const rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  },
  forStaged(i, n) {
    let sum = 0;
    for (let k = i32(0); k < n; k += 2) sum += k ^ i;
    return sum;
  },
  forStatic(i) {
    let sum = 0;
    for (let k = 0; k < 5; k++) sum += (k + 1) * i;
    return sum;
  },
  switchCases(i, n) {
    let r = 0;
    switch (i % 6) {
      case 0:
      case 1:
        r = 10;
        break;
      case 2:
        r = n;
        break;
      case 4: {
        const twice = i * 2;
        r = twice;
        break;
      }
      default:
        r = -1;
    }
    return r;
  },
  switchReturns(i, n) {
    switch (i % 4) {
      case 0:
        return 5;
      case 1:
        return n;
      case 2:
        return i;
    }
    return -2;
  },
  earlyReturn(i, n) {
    if (i === 3) return -3;
    let sum = 0;
    for (const k of range(n)) {
      if (k === i) return sum;
      sum += k;
    }
    if (i > 50) return i;
    return sum + 1000;
  },
  helpersReturn: (i, n) => classify(i) * 1000 + firstMultiple(7, i) + classify(n),
  recursion: (i) => power(i % 10, 3) + fibonacci(9),
  shortCircuit(i, n) {
    let calls = 0;
    const touch = (v: boolean): boolean => {
      calls++;
      return v;
    };
    const r = i > 4 && touch(i > 8) && touch(i > n);
    const s = i < 4 || touch(i === 6) || touch(i === 7);
    return calls * 4 + (r ? 2 : 0) + (s ? 1 : 0);
  },
  ternaryChain: (i, n) => (i < 5 ? n : i < 9 ? -i : i === 11 ? 0 : i * 2),
  phases(i, n) {
    let phase = false,
      count = 0;
    for (const k of range(n)) {
      if (phase) count += k;
      if (k % 3 === i % 3) phase = !phase;
    }
    return count * 2 + (phase ? 1 : 0);
  },
  openTypes(i, n) {
    let least = 1000,
      most = -1000,
      at = 0;
    for (const k of range(n)) {
      const v = (k * 37 + i * 11) % 101;
      if (v < least) {
        least = v;
        at = k;
      }
      most = Math.max(most, v);
    }
    return least * 10000 + most * 100 + at;
  },
  objectFields(i, n) {
    const state = { count: i32(0), sum: i32(1), other: 7 };
    for (const k of range(n)) {
      if ((k + i) % 2 === 0) {
        state.count++;
        state.sum += k * state.other;
      }
    }
    return state.count * 10000 + state.sum;
  },
  fieldsInBranches(i) {
    const p = { a: 1, b: { c: 2 } };
    if (i > 10) p.a = i;
    if (i > 20) p.b.c = i * 2;
    else p.b.c += 5;
    return p.a * 1000 + p.b.c;
  },
  arraysMerged(i, n) {
    let row = [i, n, 1];
    if (i % 2 === 0) row = [n, 3, i];
    for (const _ of range(i % 5)) row = [row[1]!, row[2]!, (row[0]! + row[1]!) % 1000];
    return row[0]! * 1000000 + row[1]! * 1000 + row[2]!;
  },
  elementsChanged(i, n) {
    const acc = [i32(0), i32(1), i32(2)];
    for (const k of range(n)) {
      for (const j of staticRange(3)) acc[j] = (acc[j]! * 3 + k + j + i) % 1009;
    }
    return acc[0]! + acc[1]! * 2 + acc[2]! * 3;
  },
  classInstances(i, n) {
    let p = new Point(i, n);
    for (const k of range(6)) {
      if (k > i % 4) p = p.plus(k, 1);
      else p = new Point(p.y, p.x);
    }
    if (p.x > 20) p.move(100);
    return p.x * 1000 + p.y;
  },
  closures(i, n) {
    const makers = [];
    for (const k of staticRange(4)) makers.push((v: number) => v * (k + 1) + n);
    let sum = 0;
    for (const make of makers) sum += make(i);
    return sum;
  },
  closureAssigns(i, n) {
    let total = i32(0);
    const add = (v: number) => {
      total += v;
      return total;
    };
    for (const k of range(n)) if (add(k) > 40) add(-30);
    return total + add(i);
  },
  destructuring(i, n) {
    const {
      a,
      b: [c, ...rest],
      ...others
    } = { a: i, b: [n, i + 1, i + 2], d: 4, e: i * 3 };
    let [p, q] = [a, c];
    if (i > 9) ({ x: p, y: q } = new Point(q!, p));
    return p! * 7 + q! * 5 + rest[1]! * 3 + others.d + others.e;
  },
  spreadAndMap(i, n) {
    const values = [i, ...[n, i + n].map((v) => v * 2), ...Array.from({ length: 2 }, (_, k) => k * i)];
    return values.reduce((sum, v, k) => sum + v * (k + 1), 0);
  },
  optionalAndNullish(i) {
    const options: { scale?: number; bias?: number } = { scale: 3 };
    return i * (options.scale ?? 1) + (options.bias ?? 5) + (typeof i === "number" ? 1 : 2);
  },
  noValueYet(i, n) {
    let t: number;
    if (i < n) t = i;
    else t = n;
    return t;
  },
  carriedTypes(i, n) {
    let whole = 0,
      on = bool(false),
      real = f32(0);
    for (const k of range(n)) {
      whole += k;
      on = whole % 3 === i % 3;
      if (on) real += 0.5;
    }
    return whole * 100 + (on ? 50 : 0) + i32(real);
  },
  loopInBranch(i, n) {
    let r = i;
    if (i % 2 === 0) {
      for (const k of range(n)) r += k;
    } else {
      while (r > 3) r -= 4;
    }
    return r;
  },
  branchDeep(i) {
    let r = 0;
    for (const bit of staticRange(6)) {
      if ((i >> bit) & 1) r = r * 3 + bit;
      else r += 1;
    }
    return r;
  },
  compound(i, n) {
    let a = i;
    a += n;
    a *= 3;
    a -= i;
    a %= 97;
    a <<= 2;
    a |= 1;
    a ^= 5;
    a &= 1023;
    a >>= 1;
    return a++ + ++a - a--;
  },
  logicalAssignment(i, n) {
    let a = i % 3;
    a ||= n;
    let b = i % 2;
    b &&= n + 1;
    return a * 100 + b;
  },
};

export const real: Readonly<Record<string, Program>> = {
  sumUntil(_i, n, x) {
    let sum = 0,
      k = i32(0);
    while (sum < 40 && k < n) {
      sum += x * 0.5;
      k++;
    }
    return sum;
  },
  bestOf(_i, n, x) {
    let best = -1000;
    for (const k of range(n)) best = Math.max(best, x - f32(k));
    return best;
  },
  twoSums(i, n, x) {
    let even = 0,
      odd = 0;
    for (const k of range(n)) {
      if ((k + i) % 2 === 0) even += x;
      else odd -= 0.25;
    }
    return even * 2 + odd;
  },
  mixedChoice: (i, _n, x) => (i > 20 ? (x > 0 ? x * 2 : -x) : x && 8),
  pairCarried(_i, n, x) {
    let best: [number, number] = [x, 0];
    for (const k of range(n)) {
      const at = f32(k),
        v = x * at - at * at * 0.5;
      if (v > best[0]) best = [v, at];
    }
    return best[0] + best[1] * 0.25;
  },
};
