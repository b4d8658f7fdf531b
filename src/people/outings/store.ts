import type { CatalogueParts } from '../../catalogue/parts.ts';
import { type Opening, openingAt } from '../../catalogue/hours/opening.ts';
import { type RestaurantStatus, zoneOfPlace } from '../../catalogue/restaurants/field-table.ts';
import { parseJson } from '../../kit/objects.ts';
import type { QueryFile } from '../../storage/statements.ts';
import { caseKey } from '../../storage/text.ts';
import { hashSecret, newSecret } from '../accounts/tokens.ts';
import { PLACEHOLDER_USER } from '../accounts/users.ts';
import { personOf } from '../lists/record.ts';
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
  readonly created_at: string;
  readonly changed_at: string;
}

interface PlaceRow {
  readonly id: number;
  readonly name: string;
  readonly address: string | null;
  readonly status: RestaurantStatus;
  readonly opening_hours: string | null;
  readonly time_zone: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
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
  readonly name_key: string | null;
  readonly username: string | null;
  /** Null before the first vote. */
  readonly coming: 0 | 1 | null;
  /** A JSON object. */
  readonly choices: string;
  readonly veto: number | null;
}

/** Who votes: a user, null for the placeholder of mode none, or a guest with a secret. */
export type Voter = { readonly userId: number | null } | { readonly secret: string };

export const MOST_PARTICIPANTS = 50;
export const MOST_OPEN = 100;

/** Outings, their options and their voters. Writes must run in a transaction. */
export class Outings {
  readonly #catalogue: Pick<CatalogueParts, 'stores' | 'texts'>;
  readonly #sql;

  /** `sql` is outings.sql. */
  constructor(sql: QueryFile, catalogue: Pick<CatalogueParts, 'stores' | 'texts'>) {
    this.#catalogue = catalogue;
    this.#sql = {
      insert: sql.prepare<{ id: number }>('insertOuting'),
      insertOption: sql.prepare('insertOption'),
      insertVoter: sql.prepare<{ id: number }>('insertVoter'),
      setBallot: sql.prepare('setBallot'),
      renameGuest: sql.prepare('renameGuest'),
      get: sql.prepare<Outing>('selectOuting', 'whereId'),
      opened: sql.prepare<Outing>('selectOuting', 'whereOpened'),
      ofUser: sql.prepare<Outing>('selectOuting', 'whereTakesPart'),
      countOfUser: sql.prepare<number>('countOfUser').pluck(),
      countOpen: sql.prepare<number>('countOpen').pluck(),
      options: sql.prepare<{ restaurant_id: number; name: string }>('listOptions'),
      voters: sql.prepare<VoterRow>('listVoters'),
      findGuest: sql.prepare<number>('findGuest').pluck(),
      close: sql.prepare('close'),
      cancel: sql.prepare('cancel'),
      nextDue: sql.prepare<number>('nextDue').pluck(),
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

  /** The restaurants of these ids, in their order, as they are at a time. */
  placesThen(ids: readonly number[], at: string): readonly PlaceThen[] {
    const instant = Date.parse(at);
    return this.#sql.places.all({ ids: JSON.stringify(ids) }).map((row) => {
      const { status, opening_hours: hours, time_zone, ...place } = row;
      const zone = zoneOfPlace(time_zone, place.latitude, place.longitude);
      return { ...place, opening: openingAt({ isActive: status === 'active', hours, zone }, instant) };
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
    this.#addVoter(outingId, { userId });
    return outingId;
  }

  #addVoter(
    outingId: number,
    { userId = null, name, secret }: { userId?: number | null; name?: string; secret?: string },
  ): number {
    const guest =
      name === undefined || secret === undefined
        ? { guestName: null, nameKey: null, secretHash: null }
        : { guestName: name, nameKey: caseKey(name), secretHash: hashSecret(secret) };
    return this.#sql.insertVoter.get({ outingId, userId, ...guest })?.id ?? 0;
  }

  /** The voter's row; undefined for someone who does not take part. */
  #findVoter(
    { id: outingId }: Outing,
    voters: readonly VoterRow[],
    voter: Voter | undefined,
  ): VoterRow | undefined {
    if (!voter) return undefined;
    if ('userId' in voter)
      return voters.find(({ user_id, guest_name }) => user_id === voter.userId && guest_name === null);
    const id = this.#sql.findGuest.get({ outingId, secretHash: hashSecret(voter.secret) });
    return voters.find((one) => one.id === id);
  }

  /** The place that won. */
  winnerOf(outing: Outing): PlaceThen | undefined {
    const { options } = this.#optionsOf(outing);
    return options.find(({ storedId }) => storedId === outing.winner)?.place;
  }

  /** Whether the voter has said so, or has not voted yet; false for someone who does not take part. */
  mayCome(outing: Outing, voter: Voter): boolean {
    const row = this.#findVoter(outing, this.#sql.voters.all({ outingId: outing.id }), voter);
    return row !== undefined && row.coming !== 0;
  }

  takesPart(outing: Outing, voter: Voter): boolean {
    return this.#findVoter(outing, this.#sql.voters.all({ outingId: outing.id }), voter) !== undefined;
  }

  /**
   * Stores a ballot for choices among the options. Whoever votes for the first time takes part from then on; a guest needs
   * a name. Returns the secret of a new guest. Choices must be of the options.
   */
  vote(
    outing: Outing,
    voter: Voter | undefined,
    ballot: Ballot,
    guestName: string | null,
  ):
    | { readonly outcome: 'voted'; readonly secret?: string }
    | { readonly outcome: 'unknownSecret' | 'nameMissing' | 'nameTaken' | 'tooMany' | 'notAnOption' } {
    const { id: outingId } = outing;
    const voters = this.#sql.voters.all({ outingId });
    const known = this.#findVoter(outing, voters, voter);
    if (!known && voter && 'secret' in voter) return { outcome: 'unknownSecret' };
    const { options, optionOf } = this.#optionsOf(outing);
    // As they were put up, so that reverting a merge changes no vote.
    const storedIdOf = (id: number): number | undefined =>
      options.find((option) => option.id === optionOf(id))?.storedId;
    const choices = Array.from(ballot.choices, ([id, choice]) => [storedIdOf(id), choice] as const);
    const veto = ballot.veto === null ? null : storedIdOf(ballot.veto);
    if (veto === undefined || choices.some(([id]) => id === undefined)) return { outcome: 'notAnOption' };
    const isGuest = !voter || 'secret' in voter;
    if (isGuest && guestName === null && !known) return { outcome: 'nameMissing' };
    if (isGuest && guestName !== null && isTaken(guestName, voters, known)) return { outcome: 'nameTaken' };
    if (!known && voters.length >= MOST_PARTICIPANTS) return { outcome: 'tooMany' };
    let secret: string | undefined;
    let id = known?.id;
    if (id === undefined && voter && 'userId' in voter)
      id = this.#addVoter(outingId, { userId: voter.userId });
    else if (id === undefined) {
      secret = newSecret();
      id = this.#addVoter(outingId, { name: guestName ?? '', secret });
    } else if (isGuest && guestName !== null)
      this.#sql.renameGuest.run({ id, guestName, nameKey: caseKey(guestName) });
    const chosen = JSON.stringify(Object.fromEntries(choices));
    this.#sql.setBallot.run({ id, coming: ballot.coming ? 1 : 0, choices: chosen, veto });
    return { outcome: 'voted', ...(secret !== undefined && { secret }) };
  }

  /** Decides an open outing, exactly once. Returns it as it is then. */
  close(outing: Outing, now: string): Outing {
    const { id } = outing;
    this.#sql.close.run({ id, now, ...this.#decide(outing) });
    return this.get(id) ?? outing;
  }

  cancel(id: number, now: string): void {
    this.#sql.cancel.run({ id, now });
  }

  /** Returns a function that decides the next outing whose voting is over. */
  due(): (() => void) | undefined {
    const now = new Date().toISOString();
    const id = this.#sql.nextDue.get({ now });
    if (id === undefined) return undefined;
    return () => {
      const outing = this.#sql.get.get({ id });
      if (outing) this.close(outing, now);
    };
  }

  /** The Outing of swagger.yaml for a voter, who sees the sums after the own vote. */
  json(outing: Outing, voter: Voter | undefined): object {
    const { id, title, at, closes_at, state, outcome, token, list_name } = outing;
    const voters = this.#sql.voters.all({ outingId: id });
    const { options, optionOf } = this.#optionsOf(outing);
    const ballots = ballotsOf(voters, optionOf);
    const own = this.#findVoter(outing, voters, voter);
    const [ballot = null] = own ? ballotsOf([own], optionOf) : [];
    return {
      id,
      title,
      at,
      closes_at,
      state,
      outcome,
      winner: outing.winner === null ? null : optionOf(outing.winner),
      created_by: personOf(outing),
      options: options.map(({ id: option, name, place, out }) => ({
        id: option,
        name,
        restaurant: place ? this.#restaurant(place.id) : null,
        opening: place?.opening ?? null,
        reasons: place ? reasonsOf(place.opening, { ...place, count: place.rating_count }, list_name) : [],
        out,
        ...(ballot ? sumsOf(option, ballots) : { yes: null, ok: null, no: null, veto: null }),
      })),
      // The placeholder may not want to vote.
      participants: voters
        .filter((one) => one.coming !== null || one.user_id !== null)
        .map((one) => ({
          name: nameOf(one),
          is_guest: one.guest_name !== null,
          coming: one.coming === null ? null : one.coming === 1,
          has_voted: one.coming !== null,
        })),
      ballot: ballot && { ...ballot, choices: Object.fromEntries(ballot.choices) },
      url: `/o/${token}`,
    };
  }

  #restaurant(id: number): unknown {
    const { texts, stores } = this.#catalogue;
    const text = texts.one(id, [{ name: 'cover', read: (ids) => stores.photos.covers(ids) }]);
    return text === undefined ? null : parseJson(text);
  }

  #settled<Found extends Outing | undefined>(outing: Found): Found {
    if (outing?.state !== 'open' || outing.closes_at > new Date().toISOString()) return outing;
    return { ...outing, state: 'decided', changed_at: outing.closes_at, ...this.#decide(outing) };
  }

  #decide(outing: Outing): Decision {
    const { options, optionOf } = this.#optionsOf(outing);
    const ballots = ballotsOf(this.#sql.voters.all({ outingId: outing.id }), optionOf);
    const { winner, outcome } = decide(options, ballots);
    return { outcome, winner: options.find(({ id }) => id === winner)?.storedId ?? null };
  }

  /** The options as they are now, and a function that finds the current id of one that may have been merged. */
  #optionsOf({ id: outingId, at }: Outing): {
    readonly options: readonly Option[];
    readonly optionOf: (id: number) => number;
  } {
    const { restaurants } = this.#catalogue.stores;
    const options = new Map<number, Option>();
    const current = new Map<number, number>();
    for (const { restaurant_id: stored, name } of this.#sql.options.all({ outingId })) {
      const into = restaurants.mergedInto(stored);
      const id = into ?? stored;
      current.set(stored, id);
      const [place] = this.placesThen([id], at);
      const out = !place ? 'deleted' : place.opening.state === 'closed' ? 'closed' : null;
      const option: Option = {
        id,
        storedId: stored,
        name: place?.name ?? name,
        place,
        overall: place?.overall ?? 0,
        out,
      };
      if (!options.has(id)) options.set(id, option);
    }
    return { options: [...options.values()], optionOf: (id) => current.get(id) ?? id };
  }
}

function nameOf({ guest_name, username }: VoterRow): string {
  return guest_name ?? username ?? PLACEHOLDER_USER.username;
}

function isTaken(name: string, voters: readonly VoterRow[], known: VoterRow | undefined): boolean {
  return voters.some((one) => one.id !== known?.id && caseKey(nameOf(one)) === caseKey(name));
}

/** The ballots of those who voted. */
function ballotsOf(voters: readonly VoterRow[], optionOf: (id: number) => number): readonly Ballot[] {
  return voters
    .filter(({ coming }) => coming !== null)
    .map(({ coming, choices, veto }) => {
      const chosen = readChoices(parseJson(choices)) ?? new Map();
      return translated({ coming: coming === 1, choices: chosen, veto }, optionOf);
    });
}
