import type { Opening } from '../../catalogue/hours/opening.ts';
import type { HoursColumns } from '../../catalogue/restaurants/views.ts';
import { isObject, parseJson, propertiesOf } from '../../kit/objects.ts';
import {
  type Check,
  type Stored,
  isNumber,
  isNumberOrNull,
  isText,
  isTextOrNull,
  readStored,
} from '../../storage/stored.ts';
import { hashSecret } from '../accounts/tokens.ts';
import { PLACEHOLDER_USER } from '../accounts/users.ts';
import { type PlaceText, personOf } from '../lists/record.ts';
import { type Ballot, type Outcome, readChoices, translated } from './decision.ts';

const OPTION_COLUMNS = { restaurant_id: isNumber, name: isText };

const VOTER_COLUMNS = {
  id: isNumber,
  user_id: isNumberOrNull,
  guest_name: isTextOrNull,
  username: isTextOrNull,
  /** In hexadecimal digits; empty for a user. */
  secret_hash: isText,
  address_key: isText,
  /** Null before the first vote. */
  coming: isNumberOrNull,
  /** A JSON object. */
  choices: isText,
  veto: isNumberOrNull,
};

export type StoredVoter = Stored<typeof VOTER_COLUMNS>;

/** An outing with its options in the order in which they were proposed, and its voters, the earliest first. */
export interface Outing extends OutingColumns {
  readonly options: readonly Stored<typeof OPTION_COLUMNS>[];
  readonly voters: readonly StoredVoter[];
}

/** An outing as a statement returns it, with its options and voters as JSON. */
export interface OutingRow extends OutingColumns {
  readonly options: string;
  readonly voters: string;
}

export function outingOf(row: OutingRow): Outing {
  return {
    ...row,
    options: entriesOf(row.options, OPTION_COLUMNS),
    voters: entriesOf(row.voters, VOTER_COLUMNS),
  };
}

function entriesOf<Columns extends Readonly<Record<string, Check<unknown>>>>(
  json: string,
  columns: Columns,
): readonly Stored<Columns>[] {
  const entries: unknown = JSON.parse(json);
  if (!Array.isArray(entries)) throw new TypeError('an outing has no array');
  return entries.map((entry: unknown) => readStored(isObject(entry) ? { ...entry } : {}, columns));
}

interface OutingColumns {
  readonly id: number;
  /** The creator; null for the placeholder of mode none. */
  readonly author_id: number | null;
  readonly author_name: string | null;
  readonly token: string;
  readonly title: string | null;
  readonly list_name: string | null;
  readonly at: string;
  readonly closes_at: string;
  readonly state: 'open' | 'decided' | 'cancelled';
  readonly outcome: Outcome | null;
  readonly winner: number | null;
  /** The totals of the options at the decision, as JSON by their ids when they were proposed. */
  readonly sums: string | null;
  readonly created_at: string;
  readonly changed_at: string;
}

export interface PlaceRow extends HoursColumns {
  readonly id: number;
  readonly name: string;
  readonly address: string | null;
  readonly overall: number;
  readonly rating_count: number;
}

/** A restaurant with its opening hours at a time. */
export interface PlaceThen extends Omit<PlaceRow, 'status' | 'opening_hours' | 'time_zone'> {
  readonly opening: Opening;
}

/** An option today: its place, or the one into which that was merged, or none if it was deleted. */
export interface Option {
  /** The id of the current place. */
  readonly id: number;
  /** The id when the option was proposed. */
  readonly storedId: number;
  readonly name: string;
  readonly place: PlaceThen | undefined;
  readonly overall: number;
  readonly out: 'deleted' | 'closed' | null;
}

/** A user, null for the placeholder of mode none, or a guest with a secret. */
export type Voter = { readonly userId: number | null } | { readonly secret: string };

/** The options of an outing today, and their ids by the ids at the proposal, which a merge may change. */
export interface Options {
  readonly options: readonly Option[];
  readonly currentIds: ReadonlyMap<number, number>;
}

/** Why a place was proposed: public facts, and the list if the outing shows it. */
export type OptionReason =
  | { readonly kind: 'open'; readonly until: string | null }
  | { readonly kind: 'hours_unknown' }
  | { readonly kind: 'list'; readonly name: string }
  | { readonly kind: 'rated'; readonly overall: number; readonly count: number };

/** `listName` is the list that the options are from. */
function reasonsOf(
  {
    opening: { state, until },
    overall,
    rating_count: count,
  }: Pick<PlaceThen, 'opening' | 'overall' | 'rating_count'>,
  listName: string | null,
): readonly OptionReason[] {
  const reasons: OptionReason[] = [];
  if (state === 'open') reasons.push({ kind: 'open', until });
  if (state === 'unknown') reasons.push({ kind: 'hours_unknown' });
  if (listName !== null) reasons.push({ kind: 'list', name: listName });
  if (count > 0) reasons.push({ kind: 'rated', overall, count });
  return reasons;
}

/** What is used here of the Outing of swagger.yaml. */
export interface OutingJson {
  readonly options: readonly { readonly id: number; readonly name: string }[];
  readonly participants: readonly object[];
  readonly url: string;
}

const NO_SUMS = { yes: null, ok: null, no: null, veto: null };

/** The Outing of swagger.yaml for a voter. Its totals are those at the decision: later ones could reveal who voted how. */
export function outingJson(
  outing: Outing,
  { options, currentIds }: Options,
  voter: Voter | undefined,
  placeText: PlaceText,
): OutingJson {
  const { id, title, at, closes_at, state, outcome, token, list_name, voters } = outing;
  const sums = propertiesOf(parseJson(outing.sums ?? 'null'));
  const sumsAt = (option: number): object => {
    const found = sums?.get(String(option));
    return isObject(found) ? found : NO_SUMS;
  };
  const own = voter && voterOf(voter, voters);
  const [ballot = null] = own ? ballotsOf([own], currentIds) : [];
  const all = {
    id,
    title,
    at,
    closes_at,
    state,
    outcome,
    winner: outing.winner === null ? null : (currentIds.get(outing.winner) ?? null),
    created_by: personOf(outing),
    options: options.map(({ id: option, storedId, name, place, out }) => ({
      id: option,
      name,
      restaurant: place ? parseJson(placeText(place.id, true) ?? 'null') : null,
      opening: place?.opening ?? null,
      reasons: place ? reasonsOf(place, list_name) : [],
      out,
      ...sumsAt(storedId),
    })),
    // The placeholder takes part only once it has voted.
    participants: voters
      .filter((one) => one.coming !== null || one.user_id !== null)
      .map((one) => ({
        id: one.id,
        name: nameOf(one),
        is_guest: one.guest_name !== null,
        coming: one.coming === null ? null : one.coming === 1,
        has_voted: one.coming !== null,
      })),
    ballot: ballot && { ...ballot, choices: Object.fromEntries(ballot.choices) },
    url: `/o/${token}`,
  };
  return all;
}

export function nameOf({ guest_name, username }: StoredVoter): string {
  return guest_name ?? username ?? PLACEHOLDER_USER.username;
}

/** The row of a voter; undefined for someone who does not take part. */
export function voterOf(voter: Voter, voters: readonly StoredVoter[]): StoredVoter | undefined {
  if ('userId' in voter)
    return voters.find(({ user_id, guest_name }) => user_id === voter.userId && guest_name === null);
  const hash = hashSecret(voter.secret).toString('hex');
  return voters.find(({ secret_hash }) => secret_hash === hash);
}

/** The ballots of those who voted. */
export function ballotsOf(
  voters: readonly StoredVoter[],
  currentIds: ReadonlyMap<number, number>,
): readonly Ballot[] {
  return voters
    .filter(({ coming }) => coming !== null)
    .map(({ coming, choices, veto }) => {
      const chosen = readChoices(parseJson(choices)) ?? new Map();
      return translated({ coming: coming === 1, choices: chosen, veto }, currentIds);
    });
}
