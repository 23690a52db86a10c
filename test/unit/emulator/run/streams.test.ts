import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernel, openDevice, type Tensor, threadIdx } from "warpsmith";
import { EmulatorStream, type StreamPosition } from "../../../../src/emulator/run/streams.ts";
import { ofProperty, rotating } from "../../../support/amount.ts";

/**
 * What streams mean, without a thought of what it costs: each keeps all that it was told to follow, as it was then. A host that has seen the
 * end of a stream's work has seen the end of all of that.
 */
class Plain {
  last: number | undefined;
  followed: Ending[] = [];

  ending(): Ending {
    return { of: this, last: this.last, followed: [...this.followed] };
  }
}

interface Ending {
  readonly of: Plain;
  readonly last: number | undefined;
  readonly followed: readonly Ending[];
}

function end(ending: Ending, seen = new Set<Ending>()): void {
  if (seen.has(ending)) return;
  seen.add(ending);
  if (ending.of.last === ending.last) ending.of.last = undefined;
  for (const other of ending.followed) end(other, seen);
}

const most = 4;
const stream = fc.nat(most - 1);
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant("launch" as const), stream }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("follow" as const), stream, other: stream }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("break" as const), stream }) },
  // The host begins to wait, and has waited, with other work between.
  { weight: 2, arbitrary: fc.record({ what: fc.constant("wait" as const), stream }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("waited" as const), nth: fc.nat(3) }) },
);

describe("streams", () => {
  it("know which launch the next one may overlap, as if they kept everything", () => {
    const check = (actions: readonly (typeof action extends fc.Arbitrary<infer T> ? T : never)[]): void => {
      const streams = Array.from({ length: most }, () => new EmulatorStream());
      const plain = Array.from({ length: most }, () => new Plain());
      const waits: { readonly own: ReturnType<EmulatorStream["ending"]>; readonly plain: Ending }[] = [];
      actions.forEach((a, number) => {
        if (a.what === "waited") {
          const [wait] = waits.splice(a.nth % Math.max(1, waits.length), 1);
          if (!wait) return;
          EmulatorStream.ended(wait.own);
          end(wait.plain);
          return;
        }
        const [own, model] = [streams[a.stream], plain[a.stream]];
        if (!own || !model) throw new Error("no such stream");
        if (a.what === "launch") {
          const position = own.nextPosition();
          expect(nameOf(position), `launch ${number}`).toBe(model.last);
          position.left = named(number);
          model.last = number;
        } else if (a.what === "break") {
          own.breaks();
          model.last = undefined;
        } else if (a.what === "wait") waits.push({ own: own.ending(), plain: model.ending() });
        else if (a.other !== a.stream) {
          own.follow(streams[a.other] ?? own);
          model.followed.push((plain[a.other] ?? model).ending());
        }
      });
    };
    fc.assert(fc.property(fc.array(action, { maxLength: 60, size: "max" }), check), ofProperty(20_000, 300));
  });

  it("remember what is under way, and no more", () => {
    const own = new EmulatorStream();
    for (let i = 0; i < 100; i++) {
      const other = new EmulatorStream();
      other.nextPosition();
      own.follow(other);
      // Made, used and let go.
      if (i % 2) other.breaks();
      else EmulatorStream.ended(other.ending());
    }
    expect(own.ending().size).toBe(1);
  });

  const count = kernel({ block: 32, grid: 1 }, function count(x: Tensor<"i32", 1>) {
    x[threadIdx.x]! += 1;
  });

  it("that are made, waited for and let go take no longer each time", async () => {
    await using gpu = await openDevice("emulator", { threads: 1 });
    using x = gpu.zeros("i32", [32]);
    for (let i = 0; i < 60; i++) {
      using own = gpu.stream();
      count.launch({ stream: own }, x);
      await own.sync();
    }
    expect(await x.read()).toEqual(new Int32Array(32).fill(60));
  });

  it("that are used by turns take no longer each time", rotating, async () => {
    await using gpu = await openDevice("emulator", { threads: 1 });
    using x = gpu.zeros("i32", [32]);
    using one = gpu.stream(),
      two = gpu.stream();
    for (let i = 0; i < 60; i++) {
      count.launch({ stream: one }, x);
      await one.sync();
      count.launch({ stream: two }, x);
      if (i % 2) await two.sync();
    }
    expect(await x.read()).toEqual(new Int32Array(32).fill(120));
  });
});

/** What a launch has left, by its number. */
const named = (number: number): object => ({ number });
const nameOf = (position: StreamPosition): number | undefined =>
  (position.begin() as unknown as { readonly number: number } | undefined)?.number;
