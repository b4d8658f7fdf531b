import type { CatalogueParts } from '../../catalogue/parts.ts';
import type { Opening } from '../../catalogue/hours/opening.ts';
import { type HoursColumns, openingOf } from '../../catalogue/restaurants/views.ts';
import { isObject, parseJson, propertiesOf } from '../../kit/objects.ts';
import { DAY_MS } from '../../kit/time.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import { PLACEHOLDER_USER, usernameKeys } from '../accounts/users.ts';
import { personOf } from '../lists/record.ts';
import type { PlaceText } from '../lists/routes.ts';
import { type Ballot, type Decision, type Outcome, decide, sumsOf, translated } from './decision.ts';
import { type NewOuting, readChoices } from './input.ts';
import { reasonsOf } from './proposal.ts';

/** An outing as the database has it. */
export interface Outing {
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
  /** The sums of the options at the decision, as JSON by the ids as they were put up. */
  readonly sums: string | null;
  readonly created_at: string;
  readonly changed_at: string;
}

interface PlaceRow extends HoursColumns {
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

/** An option as it is now: the place into which it was merged, or none if it was deleted. */
interface Option {
  /** Of the place as it is now. */
  readonly id: number;
  /** As it was put up. */
  readonly storedId: number;
  readonly name: string;
  readonly place: PlaceThen | undefined;
  readonly overall: number;
  readonly out: 'deleted' | 'closed' | null;
}

interface VoterRow {
  readonly id: number;
  readonly user_id: number | null;
  readonly guest_name: string | null;
  readonly secret_hash: Buffer | null;
  readonly address_key: Buffer | null;
  readonly username: string | null;
  /** Null before the first vote. */
  readonly coming: 0 | 1 | null;
  /** A JSON object. */
  readonly choices: string;
  readonly veto: number | null;
}

/** A user, null for the placeholder of mode none, or a guest with a secret. */
export type Voter = { readonly userId: number | null } | { readonly secret: string };

/** A voter with a ballot; a guest may have a new name, and a secret that is new. `client` is a hash of the address. */
export type Voting =
  | { readonly userId: number | null }
  | {
      readonly secret: string;
      readonly name: string | null;
      readonly isNew: boolean;
      readonly client: Buffer;
    };

/** Why a ballot cannot be stored. */
export type Refusal =
  | 'unknownSecret'
  | 'notAnOption'
  | 'nameMissing'
  | 'nameTaken'
  | 'tooMany'
  | 'tooManyGuests'
  | 'tooManyAtAddress';

/** What is used here of the Outing of swagger.yaml. */
export interface OutingJson {
  readonly options: readonly { readonly id: number; readonly name: string }[];
  readonly participants: readonly object[];
  readonly url: string;
}

export const MOST_PARTICIPANTS = 50;
/** With guests; the other places are for people with an account. */
export const MOST_WITH_GUESTS = 40;
/** Guests with one address. */
export const MOST_AT_ADDRESS = 10;
const STAYS_DAYS = 365;
const NO_SUMS = { yes: null, ok: null, no: null, veto: null };
export const MOST_OPEN = 100;
/** Of a user, until they are removed. */
export const MOST_STARTED = 1_000;

/** Outings, their options and their voters. Writes must run in a transaction. */
export class Outings {
  readonly #restaurants: CatalogueParts['stores']['restaurants'];
  readonly #placeText: PlaceText;
  readonly #sql;

  /** `sql` is outings.sql. */
  constructor(sql: QueryFile, restaurants: CatalogueParts['stores']['restaurants'], placeText: PlaceText) {
    this.#restaurants = restaurants;
    this.#placeText = placeText;
    this.#sql = {
      insert: sql.prepare<{ id: number }>('insertOuting'),
      insertOption: sql.prepare('insertOption'),
      insertCreator: sql.prepare('insertCreator'),
      putVoter: sql.prepare('putVoter'),
      get: sql.prepare<Outing>('selectOuting', 'whereId'),
      opened: sql.prepare<Outing>('selectOuting', 'whereOpened'),
      ofUser: sql.prepare<Outing>('selectOuting', 'whereTakesPart'),
      countOfUser: sql.prepare<number>('countOfUser').pluck(),
      countOpen: sql.prepare<number>('countOpen').pluck(),
      countStarted: sql.prepare<number>('countStarted').pluck(),
      options: sql.prepare<{ restaurant_id: number; name: string }>('listOptions'),
      voters: sql.prepare<VoterRow>('listVoters'),
      removeVoter: sql.prepare('deleteVoter'),
      close: sql.prepare('close'),
      cancel: sql.prepare('cancel'),
      nextDue: sql.prepare<number>('nextDue').pluck(),
      hasOld: sql.prepare<number>('hasOld').pluck(),
      removeOld: sql.prepare('deleteOld'),
      places: sql.prepare<PlaceRow>('listPlaces'),
      visitedSince: sql.prepare<number>('listVisitedSince').pluck(),
    };
  }

  /** An open outing that is over counts as decided. */
  get(id: number): Outing | undefined {
    return this.#settled(this.#sql.get.get({ id }));
  }

  /** The outing that a link opens. */
  opened(token: string): Outing | undefined {
    return this.#settled(this.#sql.opened.get({ token }));
  }

  /** The outings in which a user takes part with an id below `before`, the newest first. */
  ofUser(userId: number | null, before: number, limit: number): readonly Outing[] {
    return this.#sql.ofUser.all({ userId, before, limit }).map((one) => this.#settled(one));
  }

  countOfUser(userId: number | null): number {
    return this.#sql.countOfUser.get({ userId }) ?? 0;
  }

  countOpen(userId: number | null): number {
    return this.#sql.countOpen.get({ userId }) ?? 0;
  }

  countStarted(userId: number): number {
    return this.#sql.countStarted.get({ userId }) ?? 0;
  }

  /** The restaurants of these ids, in their order, as they are at a time. */
  placesThen(ids: readonly number[], at: string): readonly PlaceThen[] {
    const instant = Date.parse(at);
    return this.#sql.places.all({ ids: JSON.stringify(ids) }).map((row) => {
      const { status: _status, opening_hours: _hours, time_zone: _zone, ...place } = row;
      return { ...place, opening: openingOf(row, instant) };
    });
  }

  /** The restaurants that a user has visited since a day. */
  visitedSince(userId: number | null, since: string): ReadonlySet<number> {
    return new Set(this.#sql.visitedSince.all({ userId, since }));
  }

  /** Returns its id. */
  create(
    userId: number | null,
    { title, at, closesAt }: NewOuting,
    places: readonly { readonly id: number; readonly name: string }[],
    listName: string | null,
    now: string,
  ): number {
    const row = { userId, token: newSecret(), title, listName, at, closesAt, now };
    const outingId = this.#sql.insert.get(row)?.id ?? 0;
    for (const [rank, { id: restaurantId, name }] of places.entries())
      this.#sql.insertOption.run({ outingId, rank, restaurantId, name });
    this.#sql.insertCreator.run({ outingId, userId });
    return outingId;
  }

  /** The option that won. */
  winnerOf(outing: Outing): Pick<Option, 'name' | 'place'> | undefined {
    if (outing.winner === null) return undefined;
    const { options, currentIds } = this.#optionsOf(outing);
    const id = currentIds.get(outing.winner);
    return options.find((option) => option.id === id);
  }

  /** Undefined for someone who does not take part; `coming` is null before the first vote. */
  voter(outing: Outing, voter: Voter): { readonly coming: 0 | 1 | null } | undefined {
    return rowOf(voter, this.#sql.voters.all({ outingId: outing.id }));
  }

  /**
   * Stores a ballot. The first one makes the voter a participant; a new guest needs a name. Returns the reason
   * why it cannot be stored.
   */
  vote(outing: Outing, voter: Voting, ballot: Ballot): Refusal | undefined {
    const { id: outingId } = outing;
    const voters = this.#sql.voters.all({ outingId });
    const known = rowOf(voter, voters);
    const guest = 'secret' in voter ? voter : undefined;
    if (guest && !guest.isNew && !known) return 'unknownSecret';
    const { options, currentIds } = this.#optionsOf(outing);
    // As they were put up, so that reverting a merge changes no vote.
    const storedIdOf = (id: number): number | undefined =>
      currentIds.has(id) ? id : options.find((option) => option.id === id)?.storedId;
    const choices = Array.from(ballot.choices, ([id, choice]) => [storedIdOf(id), choice] as const);
    const veto = ballot.veto === null ? null : storedIdOf(ballot.veto);
    if (veto === undefined || choices.some(([id]) => id === undefined)) return 'notAnOption';
    const guestName = guest?.name ?? known?.guest_name ?? null;
    if (guest && guestName === null) return 'nameMissing';
    // A user who joined later may have a name like that of the guest, who can still vote.
    const isNewName = guestName !== null && guestName !== known?.guest_name;
    if (isNewName && voters.some((one) => one !== known && areAlike(nameOf(one), guestName)))
      return 'nameTaken';
    const refusal = known ? undefined : whyFull(voters, guest?.client);
    if (refusal) return refusal;
    this.#sql.putVoter.run({
      id: known?.id ?? null,
      outingId,
      userId: 'userId' in voter ? voter.userId : null,
      guestName,
      nameKey: guestName === null ? null : usernameKeys(guestName).usernameSkeleton,
      secretHash: guest ? hashSecret(guest.secret) : null,
      addressKey: guest?.client ?? null,
      coming: ballot.coming ? 1 : 0,
      choices: JSON.stringify(Object.fromEntries(choices)),
      veto,
    });
    return undefined;
  }

  /** Removes a participant and their ballot. False if there is no such participant, or it is the creator. */
  removeVoter({ id: outingId, author_id: creatorId }: Outing, id: number): boolean {
    return this.#sql.removeVoter.run({ outingId, id, creatorId }).changes > 0;
  }

  /** Decides an open outing, exactly once. Returns it as it is then. */
  close(outing: Outing, now: string): Outing {
    const { id } = outing;
    this.#sql.close.run({ id, now, ...this.#decide(outing) });
    return this.get(id) ?? outing;
  }

  /** The outcome stays, also where the timer has not stored it yet. */
  cancel(outing: Outing, now: string): void {
    if (outing.state === 'decided') this.close(outing, now);
    this.#sql.cancel.run({ id: outing.id, now });
  }

  /** Returns a function that decides the next outing whose voting is over, or removes some that ended long ago. */
  due(): (() => void) | undefined {
    const now = new Date().toISOString();
    const id = this.#sql.nextDue.get({ now });
    if (id !== undefined)
      return () => {
        const outing = this.#sql.get.get({ id });
        if (outing) this.close(outing, now);
      };
    const before = new Date(Date.now() - STAYS_DAYS * DAY_MS).toISOString();
    if (this.#sql.hasOld.get({ before }) === undefined) return undefined;
    return () => void this.#sql.removeOld.run({ before });
  }

  /** The Outing of swagger.yaml for a voter. Its sums are those at the decision: later ones could tell who voted how. */
  json(outing: Outing, voter: Voter | undefined): OutingJson {
    const { id, title, at, closes_at, state, outcome, token, list_name } = outing;
    const voters = this.#sql.voters.all({ outingId: id });
    const { options, currentIds } = this.#optionsOf(outing);
    const sums = propertiesOf(parseJson(outing.sums ?? 'null'));
    const sumsAt = (id: number): object => {
      const found = sums?.get(String(id));
      return isObject(found) ? found : NO_SUMS;
    };
    const own = voter && rowOf(voter, voters);
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
        restaurant: place ? parseJson(this.#placeText(place.id, true) ?? 'null') : null,
        opening: place?.opening ?? null,
        reasons: place ? reasonsOf(place, list_name) : [],
        out,
        ...sumsAt(storedId),
      })),
      // The placeholder may not want to vote.
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

  #settled<Found extends Outing | undefined>(outing: Found): Found {
    if (outing?.state !== 'open' || outing.closes_at > new Date().toISOString()) return outing;
    return { ...outing, state: 'decided', changed_at: outing.closes_at, ...this.#decide(outing) };
  }

  #decide(outing: Outing): Decision & { readonly sums: string } {
    const { options, currentIds } = this.#optionsOf(outing);
    const ballots = ballotsOf(this.#sql.voters.all({ outingId: outing.id }), currentIds);
    const { winner, outcome } = decide(options, ballots);
    const sums = options.map(({ id, storedId }) => [storedId, sumsOf(id, ballots)] as const);
    return {
      outcome,
      winner: options.find(({ id }) => id === winner)?.storedId ?? null,
      sums: JSON.stringify(Object.fromEntries(sums)),
    };
  }

  /** The options as they are now, and their ids by those as they were put up, which merges change. */
  #optionsOf({ id: outingId, at, winner }: Outing): {
    readonly options: readonly Option[];
    readonly currentIds: ReadonlyMap<number, number>;
  } {
    const all = this.#sql.options.all({ outingId });
    const currentIds = new Map(
      all.map(({ restaurant_id: id }) => [id, this.#restaurants.mergedInto(id) ?? id]),
    );
    const places = new Map(this.placesThen([...currentIds.values()], at).map((place) => [place.id, place]));
    const options = new Map<number, Option>();
    for (const { restaurant_id: stored, name } of all) {
      const id = currentIds.get(stored) ?? stored;
      const place = places.get(id);
      const out = !place ? 'deleted' : place.opening.state === 'closed' ? 'closed' : null;
      const option: Option = {
        id,
        storedId: stored,
        name: place?.name ?? name,
        place,
        overall: place?.overall ?? 0,
        out,
      };
      // Of two that became one after the decision, the winner.
      if (!options.has(id) || stored === winner) options.set(id, option);
    }
    return { options: [...options.values()], currentIds };
  }
}

function nameOf({ guest_name, username }: VoterRow): string {
  return guest_name ?? username ?? PLACEHOLDER_USER.username;
}

/** True for names that people mistake for each other. */
function areAlike(one: string, other: string): boolean {
  const [left, right] = [usernameKeys(one), usernameKeys(other)];
  return left.usernameKey === right.usernameKey || left.usernameSkeleton === right.usernameSkeleton;
}

/** Why there is no room for another participant; `client` is that of a guest. */
function whyFull(voters: readonly VoterRow[], client: Buffer | undefined): Refusal | undefined {
  if (voters.length >= MOST_PARTICIPANTS) return 'tooMany';
  if (!client) return undefined;
  if (voters.length >= MOST_WITH_GUESTS) return 'tooManyGuests';
  const near = voters.filter(({ address_key }) => address_key?.equals(client));
  return near.length >= MOST_AT_ADDRESS ? 'tooManyAtAddress' : undefined;
}

/** Undefined for someone who does not take part. */
function rowOf(voter: Voter, voters: readonly VoterRow[]): VoterRow | undefined {
  if ('userId' in voter)
    return voters.find(({ user_id, guest_name }) => user_id === voter.userId && guest_name === null);
  const hash = hashSecret(voter.secret);
  return voters.find(({ secret_hash }) => secret_hash?.equals(hash) === true);
}

/** The ballots of those who voted. */
function ballotsOf(voters: readonly VoterRow[], currentIds: ReadonlyMap<number, number>): readonly Ballot[] {
  return voters
    .filter(({ coming }) => coming !== null)
    .map(({ coming, choices, veto }) => {
      const chosen = readChoices(parseJson(choices)) ?? new Map();
      return translated({ coming: coming === 1, choices: chosen, veto }, currentIds);
    });
}
