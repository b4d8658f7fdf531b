import { array, createClient, field } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { type Service, startService } from '../support/service.ts';
import type { Actor, Play } from './model-actor.ts';
import { compareAll, compareSomething } from './model-compare.ts';
import { lookupPlays } from './model-lookups.ts';
import { type ModelLog, compareLog, copyOf, noteWrite } from './model-log.ts';
import { caption, changeRating, deletePhoto, deleteRating, rate, upload } from './model-ratings.ts';
import {
  changeRestaurant,
  convert,
  createRestaurant,
  deleteRestaurant,
  deleteSuggestion,
  moderate,
  suggest,
} from './model-restaurants.ts';
import { revertChange } from './model-reverts.ts';
import type { Kind, Step } from './model-steps.ts';
import { type Walks, createWalks } from './model-walks.ts';
import { type Lookup, createModel, unite } from './model.ts';

/** The steps so far. */
export interface Tally {
  runs: number;
  steps: number;
  walks: number;
  pages: number;
  /** How often each answer was given, by the step; of those that write. */
  readonly statuses: Map<string, number>;
}

const categories = lookupPlays('categories');
const foodTypes = lookupPlays('foodTypes');
const PLAYS: Readonly<Record<Exclude<Kind, 'revertChange' | 'startWalk' | 'walkOn'>, Play>> = {
  ...{ createRestaurant, changeRestaurant, deleteRestaurant, rate, changeRating, deleteRating },
  ...{ suggest, moderate, convert, deleteSuggestion, upload, caption, deletePhoto },
  createCategory: categories.create,
  renameCategory: categories.rename,
  deleteCategory: categories.remove,
  createFoodType: foodTypes.create,
  renameFoodType: foodTypes.rename,
  deleteFoodType: foodTypes.remove,
};

/** One catalogue of its own, to which one client alone does these steps. Throws where service and model part. */
export async function runAlone(steps: readonly Step[], tally: Tally): Promise<void> {
  await withService(async (service) => {
    const actor = await createActor(service, '', tally);
    const walks = createWalks(true);
    for (const step of steps) {
      await play(actor, walks, step, tally);
      await compareSomething(service.api, actor.model, step);
    }
    await compareAll(service.api, actor.model);
    await compareLog(service.api, actor.log, true);
    await finish(actor, walks, tally);
  });
}

/** One catalogue to which several do their steps at once, each with things of its own. */
export async function runTogether(all: readonly (readonly Step[])[], tally: Tally): Promise<void> {
  await withService(async (service) => {
    // All of them before anything is made, so that what they find is what they have in common.
    const actors = await Promise.all(all.map((_, index) => createActor(service, `q${index}q`, tally)));
    const work = actors.map(async (actor, index) => {
      const walks = createWalks(false);
      for (const step of all[index] ?? []) await play(actor, walks, step, tally);
      return walks;
    });
    // One that fails must not leave the others to a service that is gone.
    await Promise.allSettled(work);
    const walked = await Promise.all(work);
    await compareAll(service.api, unite(actors.map(({ model }) => model)));
    for (const [index, actor] of actors.entries()) {
      await compareLog(service.api, actor.log, false);
      const walks = walked[index];
      if (walks) await finish(actor, walks, tally);
    }
  });
}

async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const stops: Parameters<Cleanup['after']>[0][] = [];
  try {
    await work(await startService({ after: (stop) => stops.unshift(stop) }, { LOG_LEVEL: 'error' }));
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Without a tag it may rename and delete what a new catalogue holds; else that is for all to name. */
async function createActor({ url, api }: Service, tag: string, tally: Tally): Promise<Actor> {
  const [categories, foodTypes] = [
    lookups(await api.get('/categories')),
    lookups(await api.get('/food-types')),
  ];
  const model = createModel(categories, foodTypes);
  const named = { categories: [...model.categories.keys()], foodTypes: [...model.foodTypes.keys()] };
  const none = { restaurants: [], suggestions: [], ratings: [], photos: [] };
  const own = tag === '' ? { categories: [...named.categories], foodTypes: [...named.foodTypes] } : undefined;
  const issued = { categories: [], foodTypes: [], ...own, ...none };
  const log: ModelLog = { writes: [], named: undefined };
  const client = createClient(url, {}, ({ method, path, status, headers }) => {
    if (method === 'GET') return;
    const change = headers.find(([name]) => name === 'change')?.[1];
    log.named = change === undefined ? undefined : Number(change);
    const key = `${method} ${path.replace(/\d+/g, 'N')} ${status}`;
    tally.statuses.set(key, (tally.statuses.get(key) ?? 0) + 1);
  });
  return { api: client, model, log, tag, issued, named };
}

function lookups({ body }: { readonly body: unknown }): Lookup[] {
  return array(body).map((one) => ({
    id: Number(field(one, 'id')),
    name: String(field(one, 'name')),
    created_at: String(field(one, 'created_at')),
    updated_at: String(field(one, 'updated_at')),
  }));
}

async function play(actor: Actor, walks: Walks, step: Step, tally: Tally): Promise<void> {
  tally.steps += 1;
  if (step.kind === 'startWalk') await walks.start(actor, step);
  else if (step.kind === 'walkOn') await walks.goOn(actor, step);
  else if (step.kind === 'revertChange') await revertChange(actor, step);
  else {
    const before = copyOf(actor.model);
    await PLAYS[step.kind](actor, step);
    noteWrite(actor.log, before, actor.model);
  }
  walks.notice(actor);
}

async function finish(actor: Actor, walks: Walks, tally: Tally): Promise<void> {
  const { walks: count, pages } = await walks.finish(actor);
  tally.walks += count;
  tally.pages += pages;
}
