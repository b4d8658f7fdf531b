import type { CatalogueParts } from '../../catalogue/parts.ts';
import { openingOf } from '../../catalogue/restaurants/views.ts';
import { DAY_MS } from '../../kit/time.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import { usernameKeys } from '../accounts/users.ts';
import type { PlaceText } from '../lists/record.ts';
import { type Ballot, type Decision, decide, sumsOf } from './decision.ts';
import type { NewOuting } from './input.ts';
import {
  type Option,
  type Options,
  type Outing,
  type OutingJson,
  type PlaceRow,
  type PlaceThen,
  type Voter,
  type OutingRow,
  type StoredVoter,
  ballotsOf,
  nameOf,
  outingJson,
  outingOf,
  voterOf,
} from './record.ts';

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

export const MOST_PARTICIPANTS = 50;
/** The most participants that a guest may join; the rest are for people with an account. */
export const MOST_WITH_GUESTS = 40;
/** Guests with one address. */
export const MOST_AT_ADDRESS = 10;
const STAYS_DAYS = 365;
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
      get: sql.prepare<OutingRow>('selectOuting', 'whereId'),
      opened: sql.prepare<OutingRow>('selectOuting', 'whereOpened'),
      ofUser: sql.prepare<OutingRow>('selectOuting', 'whereTakesPart'),
      countOfUser: sql.prepare<number>('countOfUser').pluck(),
      countOpen: sql.prepare<number>('countOpen').pluck(),
      countStarted: sql.prepare<number>('countStarted').pluck(),
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
    return this.#settled(this.#stored(id));
  }

  /** The outing that a link opens. */
  opened(token: string): Outing | undefined {
    const row = this.#sql.opened.get({ token });
    return this.#settled(row && outingOf(row));
  }

  /** The outings in which a user takes part with an id below `before`, the newest first. */
  ofUser(userId: number | null, before: number, limit: number): readonly Outing[] {
    return this.#sql.ofUser.all({ userId, before, limit }).map((row) => this.#settled(outingOf(row)));
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
  voter(outing: Outing, voter: Voter): { readonly coming: number | null } | undefined {
    return voterOf(voter, outing.voters);
  }

  /**
   * Stores a ballot. The first one makes the voter a participant; a new guest needs a name. Returns the reason
   * why it cannot be stored.
   */
  vote(outing: Outing, voter: Voting, ballot: Ballot): Refusal | undefined {
    const { id: outingId, voters } = outing;
    const known = voterOf(voter, voters);
    const guest = 'secret' in voter ? voter : undefined;
    if (guest && !guest.isNew && !known) return 'unknownSecret';
    const { options, currentIds } = this.#optionsOf(outing);
    // The ids at the proposal, so that reverting a merge changes no vote.
    const storedIdOf = (id: number): number | undefined =>
      currentIds.has(id) ? id : options.find((option) => option.id === id)?.storedId;
    const choices = Array.from(ballot.choices, ([id, choice]) => [storedIdOf(id), choice] as const);
    const veto = ballot.veto === null ? null : storedIdOf(ballot.veto);
    if (veto === undefined || choices.some(([id]) => id === undefined)) return 'notAnOption';
    const guestName = guest?.name ?? known?.guest_name ?? null;
    if (guest && guestName === null) return 'nameMissing';
    // A user who joined later may have a similar name; the guest can still vote.
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

  /** Stores the outcome first if the timer has not done so yet. */
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
        const outing = this.#stored(id);
        if (outing) this.close(outing, now);
      };
    const before = new Date(Date.now() - STAYS_DAYS * DAY_MS).toISOString();
    if (this.#sql.hasOld.get({ before }) === undefined) return undefined;
    return () => void this.#sql.removeOld.run({ before });
  }

  /** The Outing of swagger.yaml for a voter. */
  json(outing: Outing, voter: Voter | undefined): OutingJson {
    return outingJson(outing, this.#optionsOf(outing), voter, this.#placeText);
  }

  #stored(id: number): Outing | undefined {
    const row = this.#sql.get.get({ id });
    return row && outingOf(row);
  }

  #settled<Found extends Outing | undefined>(outing: Found): Found {
    if (outing?.state !== 'open' || outing.closes_at > new Date().toISOString()) return outing;
    return { ...outing, state: 'decided', changed_at: outing.closes_at, ...this.#decide(outing) };
  }

  #decide(outing: Outing): Decision & { readonly sums: string } {
    const { options, currentIds } = this.#optionsOf(outing);
    const ballots = ballotsOf(outing.voters, currentIds);
    const { winner, outcome } = decide(options, ballots);
    const sums = options.map(({ id, storedId }) => [storedId, sumsOf(id, ballots)] as const);
    return {
      outcome,
      winner: options.find(({ id }) => id === winner)?.storedId ?? null,
      sums: JSON.stringify(Object.fromEntries(sums)),
    };
  }

  #optionsOf({ options: all, at, winner }: Outing): Options {
    const currentIds = new Map(
      all.map(({ restaurant_id: id }) => [id, this.#restaurants.successorOf(id) ?? id]),
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
      // If two options were merged after the decision, the winner stays.
      if (!options.has(id) || stored === winner) options.set(id, option);
    }
    return { options: [...options.values()], currentIds };
  }
}

/** True for names that people mistake for each other. */
function areAlike(one: string, other: string): boolean {
  const [left, right] = [usernameKeys(one), usernameKeys(other)];
  return left.usernameKey === right.usernameKey || left.usernameSkeleton === right.usernameSkeleton;
}

/** Why there is no room for another participant; `client` is that of a guest. */
function whyFull(voters: readonly StoredVoter[], client: Buffer | undefined): Refusal | undefined {
  if (voters.length >= MOST_PARTICIPANTS) return 'tooMany';
  if (!client) return undefined;
  if (voters.length >= MOST_WITH_GUESTS) return 'tooManyGuests';
  const near = voters.filter(({ address_key }) => address_key === client.toString('hex'));
  return near.length >= MOST_AT_ADDRESS ? 'tooManyAtAddress' : undefined;
}
