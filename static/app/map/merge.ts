/** A pin or a group where it is drawn, in pixels. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/** 7 pixels for one place; from two places, 12, to 150 and more, 22. */
export const discRadius = (count: number) =>
  count < 2 ? 7 : Math.min(22, Math.max(12, 9 + 6 * Math.log10(count)));

/** Whether two discs cover each other by more than a quarter of the smaller one's diameter. */
function isCrowded(a: Spot, b: Spot) {
  const [one, other] = [discRadius(a.count), discRadius(b.count)];
  return Math.hypot(a.x - b.x, a.y - b.y) < one + other - Math.min(one, other) / 2;
}

/** Puts together what would cover each other, until nothing does. */
export function mergeSpots<Item extends Spot>(spots: readonly Item[]): (Item | Spot)[] {
  const kept: (Item | Spot)[] = [];
  const waiting: (Item | Spot)[] = spots.toSorted((a, b) => a.count - b.count);
  for (let spot = waiting.pop(); spot; spot = waiting.pop()) {
    const { x, y, count } = spot;
    const at = kept.findIndex((other) => isCrowded({ x, y, count }, other));
    const [other] = at < 0 ? [] : kept.splice(at, 1);
    if (!other) kept.push(spot);
    else {
      const sum = count + other.count;
      const mean = (mine: number, its: number) => (mine * count + its * other.count) / sum;
      waiting.push({ x: mean(x, other.x), y: mean(y, other.y), count: sum });
    }
  }
  return kept;
}
