import assert from 'node:assert/strict';
import { type Answer, type Client, array, createClient, field } from '../support/client.ts';
import { type Draft, type Lookup, type Model, createModel } from './model.ts';
import type { ModelLog } from './model-log.ts';
import type { ChangedField, Step } from './model-steps.ts';

/** A user of the service, and what it must answer. */
export interface Actor {
  readonly api: Client;
  readonly model: Model;
  readonly log: ModelLog;
  /** Stands in the names of everything that is made, so that several keep apart; empty for one alone. */
  readonly tag: string;
  /** Ids by the kind of thing, those of things that are gone among them. */
  readonly issued: Readonly<Record<Thing, number[]>>;
  /** Categories and food types that may be named: also those that all have in common. */
  readonly named: Readonly<Record<'categories' | 'foodTypes', readonly number[]>>;
}

/** The kinds of things that are made and deleted. */
export type Thing = keyof Model;

/** Does one step, and throws when the answer is another than the model's. */
export type Play = (actor: Actor, step: Step) => Promise<void>;

const NEVER_ISSUED = 999_999;

/** A service, and how its users identify themselves. */
export interface Served {
  readonly url: string;
  readonly api: Client;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A user who knows all categories and food types that there are. Without a tag that user may rename and delete them; else
 * they are for all to name. The answers to writes are noted.
 */
export async function createActor(
  { url, api, headers: own }: Served,
  tag: string,
  answers: Set<string>,
): Promise<Actor> {
  const model = createModel(lookups(await api.get('/categories')), lookups(await api.get('/food-types')));
  const named = { categories: [...model.categories.keys()], foodTypes: [...model.foodTypes.keys()] };
  const none = { restaurants: [], suggestions: [], ratings: [], photos: [] };
  const lookupIds = tag === '' ? [[...named.categories], [...named.foodTypes]] : [[], []];
  const [categories = [], foodTypes = []] = lookupIds;
  const log: ModelLog = { writes: [], named: undefined };
  const client = createClient(url, own, ({ method, path, status, headers }) => {
    if (method === 'GET') return;
    const change = headers.find(([name]) => name === 'change')?.[1];
    log.named = change === undefined ? undefined : Number(change);
    answers.add(`${method} ${path.replace(/\d+/g, 'N')} ${status}`);
  });
  return { api: client, model, log, tag, issued: { ...none, categories, foodTypes }, named };
}

function lookups({ body }: Answer): Lookup[] {
  return array(body).map((one) => ({
    id: Number(field(one, 'id')),
    name: String(field(one, 'name')),
    created_at: String(field(one, 'created_at')),
    updated_at: String(field(one, 'updated_at')),
  }));
}

/** An id of one that is or was there; of none when there never was any. */
export function pickOf(actor: Actor, thing: Thing, pick: number): number {
  const ids = actor.issued[thing];
  return ids[pick % ids.length] ?? NEVER_ISSUED;
}

/** Throws unless the answer has this status and, where words are given, an error that has them. */
export function expectStatus({ status, body }: Answer, expected: number, words?: string): void {
  assert.equal(status, expected, JSON.stringify(body));
  if (words !== undefined) assert.ok(String(field(body, 'error')).includes(words), JSON.stringify(body));
}

/** Throws unless the answer says that something is no longer so, but not that something already exists. */
export function expectClosed(answer: Answer): void {
  expectStatus(answer, 409);
  assert.ok(!String(field(answer.body, 'error')).includes('already exists'));
}

/** Notes the id of what was made. Throws when anything had it before. */
export function issue({ issued }: Actor, { body }: Answer, thing: Thing): number {
  const id = Number(field(body, 'id'));
  // Restaurants and suggestions have one sequence, so that no id means both.
  const shared = ['restaurants', 'suggestions'].includes(thing)
    ? [...issued.restaurants, ...issued.suggestions]
    : issued[thing];
  assert.ok(!shared.includes(id), `${thing} ${id} was there before`);
  issued[thing].push(id);
  return id;
}

/** The fields that the service alone decides on. */
export function timesOf({ body }: Answer): { readonly created_at: string; readonly updated_at: string } {
  return { created_at: String(field(body, 'created_at')), updated_at: String(field(body, 'updated_at')) };
}

/** The name as this one writes it. */
export function tagged({ tag }: Actor, name: string): string {
  return tag === '' ? name : `${name} ${tag}`;
}

/** The whole restaurant that a step speaks of. */
export function draftOf(actor: Actor, step: Step): Draft {
  const { categories, foodTypes } = actor.named;
  const category = [...categories, ...actor.issued.categories];
  const types = [...foodTypes, ...actor.issued.foodTypes];
  const found = step.foodTypes.map((pick) => types[pick % types.length] ?? NEVER_ISSUED);
  return {
    name: tagged(actor, step.name),
    address: step.address,
    description: step.text,
    latitude: step.position?.[0] ?? null,
    longitude: step.position?.[1] ?? null,
    google_place_id: step.place === null ? null : `place-${step.place}${actor.tag}`,
    category_id: step.category === null ? null : (category[step.category % category.length] ?? NEVER_ISSUED),
    food_type_ids: [...new Set(found)],
    status: step.status,
  };
}

/** Those of its fields. */
export function partOf(draft: Draft, fields: readonly ChangedField[]): Partial<Draft> {
  const { latitude, longitude, ...own } = draft;
  const parts = { ...own, position: null };
  const sent = Object.entries(parts).filter(([name]) =>
    fields.some((one) => one === name && name !== 'position'),
  );
  return { ...Object.fromEntries(sent), ...(fields.includes('position') && { latitude, longitude }) };
}
