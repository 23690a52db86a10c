/** Barriers in shared memory (PTX ISA 9.7.13.15), by one thread: what their phases do. */
import { count, defineFact, type Fact, script } from "./fact.ts";

const bar = "mov.u32 %r100, %smem;";
const init = (n: number): string => `${bar} mbarrier.init.shared::cta.b64 [%r100], ${n};`;
const arrive = (state = "%d0", n = 1): string => `mbarrier.arrive.shared::cta.b64 ${state}, [%r100], ${n};`;
const arriveExpecting = (bytes: number): string => `mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r100], ${bytes};`;
const expect = (bytes: number): string => `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r100], ${bytes};`;
const complete = (bytes: number): string => `mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r100], ${bytes};`;
const parity = (p: number | string): string =>
  `mbarrier.test_wait.parity.shared::cta.b64 %p0, [%r100], ${p}; selp.u32 %r0, 1, 0, %p0;`;
const state = (register: string): string =>
  `mbarrier.test_wait.shared::cta.b64 %p0, [%r100], ${register}; selp.u32 %r0, 1, 0, %p0;`;
const pending = (register: string): string => `mbarrier.pending_count.b64 %r0, ${register};`;

type Keep = (register: string) => string;

const fact = (name: string, question: string, write: (keep: Keep) => readonly string[], expected: readonly number[]): Fact =>
  defineFact({ name: `mbarrier/${name}`, question, ...script(write), expected });

/** Whether the phases of parity 0 and 1 are over. */
const both = (keep: Keep): readonly string[] => [parity(0), keep("%r0"), parity(1), keep("%r0")];

export const mbarrierFacts: readonly Fact[] = [
  fact(
    "fresh",
    "Which parities pass on a fresh barrier, by test_wait and by try_wait?",
    (keep) => [
      init(1),
      ...both(keep),
      "mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r100], 1; selp.u32 %r0, 1, 0, %p0;",
      keep("%r0"),
    ],
    [0, 1, 1],
  ),
  fact(
    "many-phases",
    "Which parities pass after 0, 1, 2 … 20 phases?",
    (keep) => [init(1), ...count(21).flatMap(() => [...both(keep), arrive()])],
    count(21).flatMap((phase) => (phase % 2 === 0 ? [0, 1] : [1, 0])),
  ),
  fact(
    "parity-of-more-bits",
    "Does a parity of 2 or 3 mean 0 or 1?",
    (keep) => [
      init(1),
      "mov.u32 %r2, 2; mov.u32 %r3, 3;",
      ...["%r2", "%r3"].flatMap((p) => [parity(p), keep("%r0")]),
      arrive(),
      ...["%r2", "%r3"].flatMap((p) => [parity(p), keep("%r0")]),
    ],
    [0, 1, 1, 0],
  ),
  fact(
    "old-state",
    "Does a state pass two, three and four phases later? (It is valid for the current and the preceding phase only.)",
    (keep) => [init(1), arrive("%d1"), ...count(4).flatMap(() => [state("%d1"), keep("%r0"), arrive("%d2")])],
    [1, 0, 1, 0],
  ),
  fact(
    "pending-count",
    "What is the pending count of the state that an arrival gives: before it, or after?",
    (keep) => [
      init(3),
      ...count(4).flatMap((i) => [arrive(`%d${i + 1}`), pending(`%d${i + 1}`), keep("%r0")]),
      arrive("%d5", 2),
      pending("%d5"),
      keep("%r0"),
    ],
    [3, 2, 1, 3, 2],
  ),
  fact(
    "arrive-drop",
    "How many arrivals do the phases after arrive_drop wait for?",
    (keep) => [
      init(3),
      "mbarrier.arrive_drop.shared::cta.b64 %d0, [%r100];",
      arrive("%d0", 2),
      ...both(keep),
      ...count(3).flatMap(() => [arrive("%d1"), pending("%d1"), keep("%r0"), ...both(keep)]),
    ],
    [1, 0, 2, 1, 0, 1, 0, 1, 2, 0, 1],
  ),
  fact(
    "bytes-before",
    "May bytes come before they are expected? The phase has an arrival left.",
    (keep) => [init(1), complete(16), ...both(keep), arriveExpecting(16), ...both(keep)],
    [0, 1, 1, 0],
  ),
  fact(
    "expect-completes",
    "No arrivals are left, 16 bytes have come that nobody expected: does expect_tx of 16 complete the phase?",
    (keep) => [init(1), complete(16), arrive(), ...both(keep), expect(16), ...both(keep)],
    [0, 1, 1, 0],
  ),
  fact(
    "expect-completes-then",
    "And is it over after expect_tx of 16 more and as many bytes?",
    (keep) => [init(1), complete(16), arrive(), expect(16), expect(16), complete(16), ...both(keep)],
    [1, 0],
  ),
  fact(
    "expect-nothing",
    "Does an arrival that expects 0 bytes complete the phase?",
    (keep) => [init(1), arriveExpecting(0), ...both(keep)],
    [1, 0],
  ),
  fact(
    "no-bytes",
    "No arrivals are left, 16 bytes are expected: does complete_tx of 0 do anything, and of 16?",
    (keep) => [init(1), arriveExpecting(16), complete(0), ...both(keep), complete(16), ...both(keep)],
    [0, 1, 1, 0],
  ),
  fact(
    "most-bytes",
    "May 2 ** 20 - 1 bytes be expected, and come in two parts?",
    (keep) => [init(1), arriveExpecting(1048575), complete(1048000), ...both(keep), complete(575), ...both(keep)],
    [0, 1, 1, 0],
  ),
  fact(
    "no-complete",
    "What state does arrive.noComplete give, and does the last arrival complete as ever?",
    (keep) => [
      init(3),
      "mbarrier.arrive.noComplete.shared::cta.b64 %d1, [%r100], 2;",
      pending("%d1"),
      keep("%r0"),
      ...both(keep),
      arrive(),
      ...both(keep),
    ],
    [3, 0, 1, 1, 0],
  ),
  fact(
    "most-arrivals",
    "May a barrier have 2 ** 20 - 1 arrivals, and take them at once?",
    (keep) => [init(1048575), arrive("%d1", 1048574), pending("%d1"), keep("%r0"), ...both(keep), arrive(), ...both(keep)],
    [1048575, 0, 1, 1, 0],
  ),
  fact(
    "copies-arrive",
    "cp.async.mbarrier.arrive, without .noinc: does it count for itself alone?",
    (keep) => [
      init(1),
      "add.u32 %r101, %smem, 64; cp.async.ca.shared.global [%r101], [%in], 16;",
      "cp.async.mbarrier.arrive.shared::cta.b64 [%r100];",
      "cp.async.wait_all;",
      ...both(keep),
      arrive(),
      ...both(keep),
    ],
    [0, 1, 1, 0],
  ),
  fact(
    "copies-arrive-noinc",
    "cp.async.mbarrier.arrive.noinc: does it take the place of an arrival?",
    (keep) => [
      init(1),
      "add.u32 %r101, %smem, 64; cp.async.ca.shared.global [%r101], [%in], 16;",
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r100];",
      "cp.async.wait_all;",
      "nanosleep.u32 10000;",
      ...both(keep),
    ],
    [1, 0],
  ),
];
