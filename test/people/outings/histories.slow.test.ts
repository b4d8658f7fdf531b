import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRestaurants, randomNumbers, rate } from '../../support/catalogue.ts';
import { changeOf, reverted } from '../../support/changes.ts';
import { type Client, bodyOf, field } from '../../support/client.ts';
import { signUpAll } from '../../support/lists.ts';
import { merge } from '../../support/merges.ts';
import {
  ALWAYS,
  NEVER,
  type OutingSeen,
  addOuting,
  closed,
  joinAs,
  ofOptions,
  openLink,
  optionsOf,
  resultOf,
  vote,
  voteByLink,
} from '../../support/outings.ts';
import { LOCAL, type Person, makeAdmin } from '../../support/people.ts';
import { SEED, scaled } from '../../support/size.ts';
import { startService } from '../../support/service.ts';
import { CHOICES, type Cast, type Expected, type Place, recount } from './recount.ts';

// OUTING_HISTORIES=1000 runs as many.
const HISTORIES = Number(process.env['OUTING_HISTORIES'] ?? scaled(25));
const STEPS = 60;
const USERS = 5;
const GUESTS = 5;

interface Stage {
  readonly api: Client;
  readonly users: readonly Person[];
  readonly admin: Client;
}

/** Plays one outing to its end. */
async function play({ api, users, admin }: Stage, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const names = Array.from({ length: 7 }, (_, index) => `P${seed}-${index}`);
  const ids = await createRestaurants(
    admin,
    names.map((name) => ({ name, ...ALWAYS })),
  );
  const places: Place[] = [];
  for (const id of ids) {
    const rating = below(3);
    if (rating > 0) await rate(admin, id, rating);
    const ratings = rating > 0 ? [rating] : [];
    places.push({ id, ratings, isDeleted: false, isClosed: false, into: undefined, change: 0 });
  }
  const options = places.slice(0, 2 + below(4));
  const [creator] = users;
  if (!creator) throw new Error('no creator');
  const outing = await addOuting(
    creator.api,
    options.map(({ id }) => id),
  );
  const casts = new Map<string, Cast>();
  const secrets = new Map<number, string>();
  const joined = new Set([0]);

  const ballotOf = (coming: boolean): Cast => ({
    coming,
    choices: Object.fromEntries(
      options.filter(() => below(4) > 0).map(({ id }) => [id, pick(CHOICES)] as const),
    ),
    veto: below(6) === 0 ? pick(options).id : null,
  });
  const castOf = async (coming: boolean): Promise<void> => {
    const voter = below(USERS + GUESTS);
    const cast = ballotOf(coming);
    await (voter < USERS ? castAsUser(voter, cast) : castAsGuest(voter, cast));
    casts.set(String(voter), cast);
  };
  async function castAsUser(voter: number, cast: Cast): Promise<void> {
    const user = pick(users.slice(voter, voter + 1));
    const isDirect = joined.has(voter) && below(2) === 0;
    bodyOf(await (isDirect ? vote(user.api, outing, cast) : voteByLink(user.api, outing, cast)));
    joined.add(voter);
  }
  async function castAsGuest(voter: number, cast: Cast): Promise<void> {
    const secret = secrets.get(voter);
    if (secret === undefined) secrets.set(voter, await joinAs(api, outing, `Guest ${voter}`, cast));
    else bodyOf(await voteByLink(api, outing, { ...cast, secret }));
  }
  // Each holds for places that are neither deleted nor merged, or ends one of these.
  const there = (): Place[] => places.filter(({ isDeleted, into }) => !isDeleted && !into);
  const acts: readonly (() => Promise<void>)[] = [
    async () => {
      const place = pick(there());
      place.isClosed = !place.isClosed;
      bodyOf(await admin.put(`/restaurants/${place.id}`, place.isClosed ? NEVER : ALWAYS));
    },
    async () => {
      const place = pick(there());
      // Those that were merged into it would be gone with it.
      if (there().length < 3 || places.some(({ into }) => into === place)) return;
      place.change = changeOf(await admin.delete(`/restaurants/${place.id}`));
      place.isDeleted = true;
    },
    async () => {
      const [place, into] = [pick(options), pick(below(2) === 0 ? options : places)];
      if (![place, into].every((one) => there().includes(one))) return;
      const isKnown = [place, into].some((one) => places.some((other) => other.into === one));
      if (place === into || isKnown || place.isClosed || into.isClosed || there().length < 3) return;
      const answer = await merge(admin, into.id, place.id);
      bodyOf(answer);
      [place.into, place.change] = [into, changeOf(answer)];
    },
    async () => {
      const gone = places.filter(({ isDeleted, into }) => isDeleted || (into && !into.isDeleted));
      if (gone.length === 0) return;
      const place = pick(gone);
      await reverted(admin, place.change);
      [place.isDeleted, place.into] = [false, undefined];
    },
  ];
  const steps = below(STEPS);
  for (let step = 0; step < steps; step += 1) {
    const dice = below(10);
    if (dice < 5) await castOf(true);
    else if (dice < 7) await castOf(false);
    else await pick(acts)();
  }
  await checkEnd(creator.api, api, outing, recount(places, options, [...casts.values()]), secrets);
}

/** Closes the outing and holds what everyone sees against the recount. */
async function checkEnd(
  creator: Client,
  api: Client,
  outing: OutingSeen,
  { ids, sums, out, winner, outcome }: Expected,
  secrets: ReadonlyMap<number, string>,
): Promise<void> {
  const end = await closed(creator, outing);
  assert.deepEqual([ofOptions(end, 'id'), ofOptions(end, 'out')], [ids, out]);
  assert.deepEqual(resultOf(end), [winner, outcome]);
  const vetoed = optionsOf(end).filter(({ veto }) => Number(veto) > 0);
  assert.ok(vetoed.every(({ id }) => id !== winner));
  const seen = [
    field(end, 'ballot') === null ? [] : [end],
    ...(await guestViews(api, outing, secrets)),
  ].flat();
  for (const view of seen) {
    const found = optionsOf(view).map(({ yes, ok, no, veto }) => [yes, ok, no, veto]);
    assert.deepEqual([found, resultOf(view)], [sums, [winner, outcome]]);
  }
}

function guestViews(
  api: Client,
  outing: OutingSeen,
  secrets: ReadonlyMap<number, string>,
): Promise<unknown[]> {
  return Promise.all([...secrets.values()].slice(0, 1).map((secret) => openLink(api, outing, secret)));
}

test(`random histories are counted as by hand (SEED=${SEED}, ${HISTORIES} of them)`, async (t) => {
  const service = await startService(t, LOCAL);
  const users = await signUpAll(service, ...Array.from({ length: USERS }, (_, index) => `user${index}`));
  const [admin] = await signUpAll(service, 'admin');
  if (!admin) throw new Error('no admin');
  makeAdmin(service, admin);
  const stage = { api: service.api, users, admin: admin.api };
  for (let round = 0; round < HISTORIES; round += 1) {
    const seed = SEED * 100_000 + round;
    await play(stage, seed).catch((error: unknown) => {
      throw new Error(`history ${round} of SEED=${SEED}`, { cause: error });
    });
  }
});
