import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../../../src/emulator/index.ts";
import { ofProperty } from "../../../../support/amount.ts";
import { wordsOf } from "../../run-ptx.ts";
import { findings } from "../../watch/check/finds.ts";

const lanes = Array.from({ length: 32 }, (_, lane) => lane);
const most = 3;

/** What each lane does in one round: for whom it waits, where, how late it comes, and whose word it reads then. */
interface Round {
  /** The group of each lane. */
  readonly groups: readonly number[];
  readonly places: readonly number[];
  readonly delays: readonly number[];
  readonly partners: readonly number[];
}

const perLane = (max: number) => fc.array(fc.nat(max), { minLength: 32, maxLength: 32 });
const rounds = fc.array(
  fc
    .record({ groups: perLane(most), places: perLane(most - 1), delays: perLane(12), choices: perLane(31) })
    .map(({ choices, ...round }): Round => {
      const partners = lanes.map((lane) => {
        const members = lanes.filter((other) => round.groups[other] === round.groups[lane]);
        return members[(choices[lane] ?? 0) % members.length] ?? lane;
      });
      return { ...round, partners };
    }),
  { minLength: 1, maxLength: 4 },
);

const maskOf = (groups: readonly number[], group: number | undefined): number =>
  lanes.reduce((mask, lane) => (groups[lane] === group ? mask | (1 << lane) : mask), 0);

/** Of each round and lane: mask, place, delay, partner. */
const inputOf = (all: readonly Round[]): Uint8Array =>
  new Uint8Array(
    Int32Array.from(
      all.flatMap(({ groups, places, delays, partners }) =>
        lanes.flatMap((lane) => [maskOf(groups, groups[lane]), places[lane] ?? 0, delays[lane] ?? 0, partners[lane] ?? 0]),
      ),
    ).buffer,
  );

/** `%r1` mask, `%r2` place, `%r3` delay, `%r4` partner of round n; the lane has spun for its delay. */
const come = (n: number): string => `
  mad.lo.u32 %r10, %tid, 16, ${n * 512};
  cvt.u64.u32 %d1, %r10;
  add.u64 %d1, %in, %d1;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];
$late${n}:
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra $come${n};
  sub.u32 %r3, %r3, 1;
  bra $late${n};
$come${n}:`;

/** Lanes write a word, meet those of their mask at one of three places, and read their partner's. */
const syncs = (all: readonly Round[]): string => `
  mov.u32 %r20, smem;
  mov.u32 %r0, 0;
${all
  .map(
    (_, n) => `${come(n)}
  mad.lo.u32 %r11, %tid, 4, %r20;
  mad.lo.u32 %r12, %r0, 33, %tid;
  st.shared.u32 [%r11+${128 * n}], %r12;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra $first${n};
  setp.eq.u32 %p2, %r2, 1;
  @%p2 bra $second${n};
  bar.warp.sync %r1;
  bra $met${n};
$first${n}:
  bar.warp.sync %r1;
  bra $met${n};
$second${n}:
  setp.eq.u32 %p3, %tid, 5;
  @%p3 bar.warp.sync %r1;
  @!%p3 bar.warp.sync %r1;
$met${n}:
  mad.lo.u32 %r13, %r4, 4, %r20;
  ld.shared.u32 %r14, [%r13+${128 * n}];
  mad.lo.u32 %r0, %r0, 7, %r14;`,
  )
  .join("\n")}`;

function syncModel(all: readonly Round[]): readonly number[] {
  let words = lanes.map(() => 0);
  for (const { partners } of all) {
    const written = lanes.map((lane) => (Math.imul(words[lane] ?? 0, 33) + lane) | 0);
    words = lanes.map((lane) => (Math.imul(words[lane] ?? 0, 7) + (written[partners[lane] ?? 0] ?? 0)) | 0);
  }
  return words;
}

/** Groups shuffle, vote, add and elect at one place. */
const exchanges = (all: readonly Round[]): string => `
  mov.u32 %r0, 1;
${all
  .map(
    (_, n) => `${come(n)}
  shfl.sync.idx.b32 %r11, %r0, %r4, 31, %r1;
  and.b32 %r12, %r0, 1;
  setp.eq.u32 %p2, %r12, 1;
  vote.sync.ballot.b32 %r13, %p2, %r1;
  redux.sync.add.u32 %r14, %tid, %r1;
  elect.sync %r15|%p3, %r1;
  xor.b32 %r0, %r11, %r13;
  add.u32 %r0, %r0, %r14;
  mad.lo.u32 %r0, %r0, 5, %r15;
  add.u32 %r0, %r0, %tid;`,
  )
  .join("\n")}`;

function exchangeModel(all: readonly Round[]): readonly number[] {
  let words = lanes.map(() => 1);
  for (const { groups, partners } of all) {
    words = lanes.map((lane) => {
      const members = lanes.filter((other) => groups[other] === groups[lane]);
      const ballot = members.reduce((set, other) => ((words[other] ?? 0) & 1 ? set | (1 << other) : set), 0);
      const sum = members.reduce((a, b) => a + b, 0);
      const mixed = ((words[partners[lane] ?? 0] ?? 0) ^ ballot) + sum;
      return (Math.imul(mixed, 5) + (members[0] ?? 0) + lane) | 0;
    });
  }
  return words;
}

const schedule = fc.oneof(fc.constant<Schedule>("eager"), fc.nat(1000));

describe("lanes with random masks", () => {
  const options = ofProperty(150, 10);

  it("bar.warp.sync: a barrier for each mask, wherever lanes come to it", async () => {
    const property = fc.asyncProperty(rounds, schedule, fc.constantFrom("off", "normal"), async (all, at, check) => {
      const words = await wordsOf(syncs(all), 32, { input: inputOf(all), sharedBytes: 512, options: { schedule: at, check } });
      expect([...words]).toEqual(syncModel(all));
    });
    await fc.assert(property, options);
  });

  it("shfl, vote, redux, elect: each group by itself", async () => {
    const property = fc.asyncProperty(rounds, schedule, fc.constantFrom("off", "normal"), async (all, at, check) => {
      const words = await wordsOf(exchanges(all), 32, { input: inputOf(all), options: { schedule: at, check } });
      expect([...words]).toEqual(exchangeModel(all));
    });
    await fc.assert(property, options);
  });

  it("the word of a lane of another mask: a race", async () => {
    const property = fc.asyncProperty(rounds, fc.nat(31), async ([round], shift) => {
      const { groups = [], partners = [] } = round ?? {};
      const other = lanes.find((lane) => groups[lane] !== groups[shift]);
      fc.pre(round !== undefined && other !== undefined);
      const wrong = [
        { ...(round as Round), partners: partners.map((partner, lane) => (lane === shift ? (other ?? 0) : partner)) },
      ];
      const kernel = { body: syncs(wrong), input: inputOf(wrong), outputBytes: 4, sharedBytes: 512 };
      expect((await findings(kernel)).map(({ code }) => code)).toContain("W9201");
    });
    await fc.assert(property, ofProperty(60, 6));
  });
});

describe("who waits for whom", () => {
  /** The upper lanes of the second half come when the first half has passed. */
  it("a half that is complete goes on, though lanes of the other half are missing", async () => {
    const body = `
  mov.u32 %r20, smem;
  and.b32 %r1, %tid, 16;
  mov.u32 %r2, 0xffff;
  shl.b32 %r2, %r2, %r1;
  setp.eq.u32 %p1, %tid, 0;
  mov.u32 %r3, 0;
  @%p1 st.volatile.shared.u32 [%r20], %r3;
  bar.sync 0;
  setp.lt.u32 %p2, %tid, 24;
  @%p2 bra $exchange;
$wait:
  ld.volatile.shared.u32 %r3, [%r20];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra $wait;
$exchange:
  redux.sync.add.u32 %r0, %tid, %r2;
  mov.u32 %r4, 1;
  @%p1 st.volatile.shared.u32 [%r20], %r4;`;
    const words = await wordsOf(body, 32, { sharedBytes: 64 });
    expect([...words]).toEqual(lanes.map((lane) => (lane < 16 ? 120 : 376)));
  });

  it("lanes that have exited are not waited for", async () => {
    const body = `
  setp.ge.u32 %p1, %tid, 20;
  @%p1 exit;
  setp.ge.u32 %p2, %tid, 10;
  @%p2 bra $here;
  bar.warp.sync 0xffffffff;
  bra $there;
$here:
  bar.warp.sync 0xffffffff;
$there:
  add.u32 %r0, %tid, 1;`;
    expect([...(await wordsOf(body, 32))].slice(0, 20)).toEqual(lanes.slice(0, 20).map((lane) => lane + 1));
  });

  it("a lane of the mask that never comes: a deadlock that names it", async () => {
    const body = `
  setp.ge.u32 %p2, %tid, 8;
  @%p2 bra $end;
  setp.eq.u32 %p1, %tid, 7;
  @%p1 bra $other;
  bar.warp.sync 0xff;
  bra $end;
$other:
  bar.warp.sync 0xf0;
$end:`;
    const [found] = await findings({ body, outputBytes: 4 });
    expect(found?.code).toBe("W9001");
    expect(found?.message).toMatch(/it waits for lane 7 of the warp/);
    expect(found?.message).toMatch(/it waits for lanes 4-6 of the warp/);
  });
});
