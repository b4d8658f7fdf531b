import ICAL from 'ical.js';
import { DAY_MS, HOUR_MS } from '../../src/kit/time.ts';
import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, array, bodyOf, field, idOf, record, textOf } from './client.ts';
import { createRestaurants } from './catalogue.ts';
import { changeStored } from './people.ts';
import type { Variables } from './service.ts';
import { type World, startWorld } from './world.ts';

/** Hours that never end, so that the time of the test does not matter. */
export const ALWAYS = { opening_hours: '24/7', time_zone: 'Europe/Paris' };
/** The same for a place that is never open. */
export const NEVER = { opening_hours: 'off', time_zone: 'Europe/Paris' };

/** A time in hours from now, as the API writes it. */
export function inHours(hours: number): string {
  return new Date(Date.now() + hours * HOUR_MS).toISOString();
}

/** The same in days. */
export function inDays(days: number): string {
  return inHours((days * DAY_MS) / HOUR_MS);
}

/** An outing as the tests look at it. */
export interface OutingSeen {
  readonly id: number;
  readonly token: string;
}

/** Makes an outing of these options for tomorrow. Throws when it is refused. */
export async function addOuting(
  api: Client,
  options: readonly number[],
  more: object = {},
): Promise<OutingSeen> {
  return seenIn(await api.post('/outings', { at: inDays(1), options, ...more }));
}

/** The outing that was made. Throws when it was refused. */
export function seenIn(answer: Answer): OutingSeen {
  return { id: idOf(answer), token: textOf(answer.body, 'url').slice('/o/'.length) };
}

/** A ballot of someone who comes: the choices by options, and the option that is vetoed. */
export function ballot(choices: Readonly<Record<number, string>>, veto: number | null = null): object {
  return { coming: true, choices, veto };
}

/** Votes as a participant. */
export function vote(api: Client, { id }: OutingSeen, body: object): Promise<Answer> {
  return api.put(`/outings/${id}/ballot`, body);
}

/** Votes by the link. `from` is the address of the client where the proxy is trusted. */
export function voteByLink(api: Client, { token }: OutingSeen, body: object, from?: string): Promise<Answer> {
  const headers = from === undefined ? {} : { 'X-Forwarded-For': from };
  return api.put(`/shared/${token}/ballot`, body, headers);
}

/** Votes as a new guest, and returns the secret. Throws when it is refused. */
export async function joinAs(api: Client, outing: OutingSeen, name: string, body: object): Promise<string> {
  return textOf(bodyOf(await voteByLink(api, outing, { name, ...body })), 'secret');
}

/** What the link of an outing opens, for a guest with a secret. */
export async function openLink(
  api: Client,
  { token }: Pick<OutingSeen, 'token'>,
  secret?: string,
): Promise<unknown> {
  const headers = secret === undefined ? {} : { Authorization: `Guest ${secret}` };
  return field(bodyOf(await api.get(`/shared/${token}`, headers)), 'outing');
}

/** Closes the outing of the caller and returns it. */
export async function closed(api: Client, { id }: OutingSeen): Promise<unknown> {
  return bodyOf(await api.post(`/outings/${id}/close`, {}));
}

/** Ends voting an hour ago, before the service has decided anything. The condition chooses outings, by default all. */
export function endVoting({ folder }: { readonly folder: string }, condition = 'true'): void {
  changeStored(folder, `UPDATE outings SET closes_at = ? WHERE ${condition}`, inHours(-1));
}

/** The winner and what decided. */
export function resultOf(outing: unknown): unknown[] {
  return [field(outing, 'winner'), field(outing, 'outcome')];
}

/** The sums of each option: yes, ok, no and vetoes. */
export function sumsOf(outing: unknown): unknown[][] {
  return optionsOf(outing).map((option) => ['yes', 'ok', 'no', 'veto'].map((name) => option[name]));
}

export function optionsOf(outing: unknown): Readonly<Record<string, unknown>>[] {
  return array(field(outing, 'options')).map(record);
}

/** One field of all options. */
export function ofOptions(outing: unknown, name: string): unknown[] {
  return optionsOf(outing).map((option) => option[name]);
}

/** The participants: name, whether they come, and whether they have voted. */
export function participantsOf(outing: unknown): unknown[][] {
  return array(field(outing, 'participants')).map((one) =>
    ['name', 'is_guest', 'coming', 'has_voted'].map((name) => field(one, name)),
  );
}

/** The names of the participants. */
export function namesIn(outing: unknown): unknown[] {
  return participantsOf(outing).map(([name]) => name);
}

/** Status and sentence of a refusal. */
export function refusalOf({ status, body }: Answer): unknown[] {
  return [status, field(body, 'error')];
}

/** A world with places that are always open, with these fields; they are named A, B and so on. */
export async function startWith(t: Cleanup, ...places: readonly object[]): Promise<World> {
  const world = await startWorld(t);
  await createRestaurants(
    world.admin,
    places.map((place, index) => ({ name: String.fromCharCode(65 + index), ...ALWAYS, ...place })),
  );
  return world;
}

/** Asks for an outing of tomorrow among these places. */
export function propose(api: Client, from: object): Promise<Answer> {
  return api.post('/outings', { at: inDays(1), from });
}

/** The names of the places that are proposed. Throws when the outing is refused. */
export async function proposedNames(api: Client, from: object): Promise<unknown[]> {
  return ofOptions(bodyOf(await propose(api, from)), 'name');
}

/** A world with restaurants A to E, which are always open. */
export async function startOutings(t: Cleanup, variables: Variables = {}): Promise<World> {
  const world = await startWorld(t, variables);
  await createRestaurants(
    world.admin,
    ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name, ...ALWAYS })),
  );
  return world;
}

/** The same with an outing of the owner's to some of these. */
export async function startVote(
  t: Cleanup,
  options: readonly number[] = [1, 2, 3],
): Promise<World & { readonly outing: OutingSeen }> {
  const world = await startOutings(t);
  return { ...world, outing: await addOuting(world.owner, options) };
}

/** An event of a calendar with times, parsed. */
export interface TimedEvent {
  readonly uid: string;
  readonly status: string;
  readonly summary: string;
  readonly sequence: number;
  readonly location: string | null;
  readonly url: string;
  readonly start: string;
  readonly end: string;
}

/** The events of a calendar by another implementation. Throws for what is no calendar, and for times that are not in UTC. */
export function timedEventsOf(calendar: string): TimedEvent[] {
  const root = ICAL.Component.fromString(calendar);
  return root.getAllSubcomponents('vevent').map((event) => {
    const value = (name: string): unknown => event.getFirstPropertyValue(name);
    const text = (name: string): string => String(value(name));
    const time = (name: string): string => {
      const found = value(name);
      if (!(found instanceof ICAL.Time) || found.isDate || found.zone.tzid !== 'UTC')
        throw new Error(`no time in UTC: ${String(found)}`);
      return found.toJSDate().toISOString();
    };
    return {
      uid: text('uid'),
      status: text('status'),
      summary: text('summary'),
      sequence: Number(value('sequence')),
      location: event.hasProperty('location') ? text('location') : null,
      url: text('url'),
      start: time('dtstart'),
      end: time('dtend'),
    };
  });
}
