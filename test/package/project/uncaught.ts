import { tensorSpec } from "warpsmith";

function shape(): void {
  tensorSpec("f33" as never, [1]);
}

const [how] = process.argv.slice(2);
process.on("exit", (code) => console.log("exit", code));
if (how === "heard") process.on("uncaughtException", (error) => console.log("heard", error.name));
if (how === "another") throw new TypeError("mine");
if (how === "later") setTimeout(shape, 1);
else if (how === "rejected") void (async () => shape())();
else shape();
