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

// OUTING_HISTORIES=1000 runs as many.
const HISTORIES = Number(process.env['OUTING_HISTORIES'] ?? scaled(25));
const STEPS = 40;
const USERS = 5;
const GUESTS = 5;
const CHOICES = ['yes', 'ok', 'no'] as const;
const POINTS: Readonly<Record<string, number>> = { yes: 2, ok: 1, no: 0 };

/** The last ballot of a voter that was acknowledged. */
interface Cast {
  readonly coming: boolean;
  readonly choices: Readonly<Record<number, string>>;
  readonly veto: number | null;
}

/** What the test knows of a place. */
interface Place {
  readonly id: number;
  readonly rating: number;
  isDeleted: boolean;
  isClosed: boolean;
  into: Place | undefined;
  /** The change that took it away. */
  change: number;
}

interface Expected {
  readonly ids: readonly number[];
  readonly sums: readonly (readonly number[])[];
  readonly out: readonly unknown[];
  readonly winner: number | null;
  readonly outcome: string;
}

/** Counts all again, from the first principles of the rules: no part of it is the service's. */
function recount(options: readonly Place[], casts: readonly Cast[]): Expected {
  const current = options.map((place) => place.into ?? place);
  const shown = current.filter((place, index) => current.indexOf(place) === index);
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
      points: yes * (POINTS['yes'] ?? 0) + ok,
      canWin: out === null && vetoes === 0,
    };
  });
  const left = rows.filter(({ canWin }) => canWin);
  const most = Math.max(...left.map(({ points }) => points));
  const first = left.filter(({ points }) => points === most);
  const best = Math.max(...first.map(({ place }) => place.rating));
  const second = first.filter(({ place }) => place.rating === best);
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
    places.push({ id, rating, isDeleted: false, isClosed: false, into: undefined, change: 0 });
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
      const [place, into] = [pick(there()), pick(there())];
      const isKnown = [place, into].some((one) => places.some((other) => other.into === one));
      // Ratings move along and would change the average.
      if (place === into || isKnown || place.rating + into.rating > 0 || there().length < 3) return;
      if (place.isClosed || into.isClosed) return;
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
    if (dice < 6) await castOf(true);
    else if (dice < 8) await castOf(false);
    else await pick(acts)();
  }
  await checkEnd(creator.api, api, outing, recount(options, [...casts.values()]), secrets);
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
