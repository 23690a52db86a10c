import { kernel, TMA, WGMMAMatrix, wgmma, range } from "warpsmith";

export const product = kernel({ block: 128 }, (a: TMA<"f16", 2>, tiles: any, extra?: { f?: (n: number) => void }) => {
  let D = WGMMAMatrix.accumulator("f32", [64, 64]);
  a.load(tiles.at(0), [0, 0], { pred: true });
  D = D.mma(tiles.at(0), tiles.at(1)); // D += A @ B
  D.mma(tiles.at(0), tiles.at(1));
  new TMA(tiles, ...[1, 2]);
  extra?.f?.(3);
  extra?.f;
  tiles?.at(0).store(range(2));
  tiles.at<number>(
    // the stage
    1,
    2, // and more
  );
  wgmma
    .commit()
    .wait(0);
  String.raw`a\n${D}`;
});
