import { propertiesOf } from '../../kit/objects.ts';

export const CHOICES = ['yes', 'ok', 'no'] as const;
export type Choice = (typeof CHOICES)[number];

/** The vote of one person. */
export interface Ballot {
  readonly coming: boolean;
  /** By the ids of options; a missing one counts nothing. */
  readonly choices: ReadonlyMap<number, Choice>;
  readonly veto: number | null;
}

/** The votes for an option by people who are coming. */
export interface Sums {
  readonly yes: number;
  readonly ok: number;
  readonly no: number;
  readonly veto: number;
}

/** The facts that decide about an option, apart from its votes. */
export interface Standing {
  readonly id: number;
  /** The average of all ratings, 0 without any. */
  readonly overall: number;
  /** Why it cannot win. */
  readonly out: 'deleted' | 'closed' | null;
}

/** `tie_rating` and `tie_order`: options had equal votes, and the rating or the order decided. */
export type Outcome = 'votes' | 'tie_rating' | 'tie_order' | 'nothing_left' | 'no_votes';

export interface Decision {
  /** The id of an option; null if the outcome is `nothing_left` or `no_votes`. */
  readonly winner: number | null;
  readonly outcome: Outcome;
}

const POINTS: Readonly<Record<Choice, number>> = { yes: 2, ok: 1, no: 0 };

/** Counts the ballots of people who are coming. */
export function sumsOf(id: number, ballots: readonly Ballot[]): Sums {
  const counted = ballots.filter(({ coming }) => coming);
  const count = (choice: Choice): number =>
    counted.filter(({ choices }) => choices.get(id) === choice).length;
  const veto = counted.filter((ballot) => ballot.veto === id).length;
  return { yes: count('yes'), ok: count('ok'), no: count('no'), veto };
}

/**
 * The option with the most points of those without a veto. Of equal ones the better rated wins, then the earlier in
 * `options`.
 */
export function decide(options: readonly Standing[], ballots: readonly Ballot[]): Decision {
  if (!ballots.some(({ coming }) => coming)) return { winner: null, outcome: 'no_votes' };
  const left = options.flatMap((option) => {
    const { yes, ok, veto } = sumsOf(option.id, ballots);
    const points = yes * POINTS.yes + ok * POINTS.ok;
    return option.out === null && veto === 0 ? [{ ...option, points }] : [];
  });
  const [first, second] = left.toSorted((a, b) => b.points - a.points || b.overall - a.overall);
  if (!first) return { winner: null, outcome: 'nothing_left' };
  const winner = first.id;
  if (first.points !== second?.points) return { winner, outcome: 'votes' };
  return { winner, outcome: first.overall === second.overall ? 'tie_order' : 'tie_rating' };
}

/** Converts a ballot to the current options. If two were merged, the better choice counts. */
export function translated(
  { coming, choices, veto }: Ballot,
  currentIds: ReadonlyMap<number, number>,
): Ballot {
  const optionOf = (id: number): number => currentIds.get(id) ?? id;
  const best = new Map<number, Choice>();
  for (const [id, choice] of choices) {
    const option = optionOf(id);
    const other = best.get(option);
    if (other === undefined || POINTS[choice] > POINTS[other]) best.set(option, choice);
  }
  return { coming, choices: best, veto: veto === null ? null : optionOf(veto) };
}

/** Choices by id; undefined for anything else. */
export function readChoices(sent: unknown): ReadonlyMap<number, Choice> | undefined {
  const sentChoices = propertiesOf(sent);
  if (!sentChoices) return undefined;
  const choices = new Map<number, Choice>();
  for (const [id, value] of sentChoices) {
    const choice = CHOICES.find((one) => one === value);
    if (!/^[1-9]\d{0,14}$/.test(id) || choice === undefined) return undefined;
    choices.set(Number(id), choice);
  }
  return choices;
}
