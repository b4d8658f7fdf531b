export const CHOICES = ['yes', 'ok', 'no'] as const;

/** The last ballot of a voter that was acknowledged. */
export interface Cast {
  readonly coming: boolean;
  readonly choices: Readonly<Record<number, string>>;
  readonly veto: number | null;
}

/** What the test knows of a place. */
export interface Place {
  readonly id: number;
  /** One at most. */
  readonly ratings: readonly number[];
  isDeleted: boolean;
  isClosed: boolean;
  into: Place | undefined;
  /** The change that took it away. */
  change: number;
}

export interface Expected {
  readonly ids: readonly number[];
  readonly sums: readonly (readonly number[])[];
  readonly out: readonly unknown[];
  readonly winner: number | null;
  readonly outcome: string;
}

/** Counts all again, from the first principles of the rules: no part of it is the service's. */
export function recount(
  places: readonly Place[],
  options: readonly Place[],
  casts: readonly Cast[],
): Expected {
  const current = options.map((place) => place.into ?? place);
  const shown = current.filter((place, index) => current.indexOf(place) === index);
  /** Those of places that were merged into it are its own now. */
  const overallOf = (place: Place): number => {
    const ratings = places.filter((one) => one === place || one.into === place).flatMap((one) => one.ratings);
    return ratings.length === 0 ? 0 : ratings.reduce((sum, one) => sum + one, 0) / ratings.length;
  };
  const coming = casts.filter((cast) => cast.coming);
  const rows = shown.map((place) => {
    const stored = options.filter((_option, index) => current[index] === place).map(({ id }) => id);
    const sums = [0, 0, 0, 0];
    for (const { choices, veto } of coming) {
      const best = CHOICES.findIndex((choice) => stored.some((id) => choices[id] === choice));
      if (best !== -1) sums[best] = (sums[best] ?? 0) + 1;
      if (veto !== null && stored.includes(veto)) sums[3] = (sums[3] ?? 0) + 1;
    }
    const out = place.isDeleted ? 'deleted' : place.isClosed ? 'closed' : null;
    const [yes = 0, ok = 0, , vetoes = 0] = sums;
    return {
      place,
      sums,
      out,
      points: 2 * yes + ok,
      canWin: out === null && vetoes === 0,
    };
  });
  const left = rows.filter(({ canWin }) => canWin);
  const most = Math.max(...left.map(({ points }) => points));
  const first = left.filter(({ points }) => points === most);
  const best = Math.max(...first.map(({ place }) => overallOf(place)));
  const second = first.filter(({ place }) => overallOf(place) === best);
  const [winner] = second;
  const by = first.length === 1 ? 'votes' : second.length === 1 ? 'tie_rating' : 'tie_order';
  return {
    ids: rows.map(({ place }) => place.id),
    sums: rows.map(({ sums }) => sums),
    out: rows.map(({ out }) => out),
    winner: coming.length === 0 ? null : (winner?.place.id ?? null),
    outcome: coming.length === 0 ? 'no_votes' : winner ? by : 'nothing_left',
  };
}
