/** So many elements side by side along a dimension, which one access moves. */
export interface Vector {
  readonly count: number;
  readonly dim: number;
}

/** The thread's elements in runs of neighbours: the numbers of those of each run, by rising coordinate. */
export function runsAlong(places: readonly (readonly number[])[], { count, dim }: Vector): readonly (readonly number[])[] {
  if (count === 1) return places.map((_, i) => [i]);
  const numbers = new Map(places.map((place, i) => [place.join(), i]));
  return places.flatMap((place) => {
    const at = place[dim] ?? 0;
    if (at % count !== 0) return [];
    return [
      Array.from({ length: count }, (_, i) => {
        const number = numbers.get(place.with(dim, at + i).join());
        if (number === undefined) throw new TypeError("a thread lacks a neighbour of its own element");
        return number;
      }),
    ];
  });
}
