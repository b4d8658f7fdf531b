import assert from 'node:assert/strict';
import type { Cleanup } from '../support/cleanup.ts';
import { type Service, startService } from '../support/service.ts';
import { type Actor, createActor } from './model-actor.ts';
import { compareAll, compareSomething } from './model-compare.ts';
import { compareLog } from './model-log.ts';
import type { Step } from './model-steps.ts';
import { type Walks, createWalks } from './model-walks.ts';
import { write } from './model-writes.ts';
import { unite } from './model.ts';
import { faultsOfFolder, untilAtRest } from './sound.ts';

/** What the runs so far have come across. */
export interface Tally {
  walks: number;
  pages: number;
  /** The answers to writes: route and status. */
  readonly answers: Set<string>;
}

/** One catalogue of its own, to which one client alone does these steps. Throws where service and model part. */
export async function runAlone(steps: readonly Step[], tally: Tally): Promise<void> {
  await withService(async (service) => {
    const actor = await createActor(service, '', tally.answers);
    const walks = createWalks(true);
    for (const step of steps) {
      await play(actor, walks, step);
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
    const actors = await Promise.all(
      all.map((_, index) => createActor(service, `q${index}q`, tally.answers)),
    );
    const work = actors.map(async (actor, index) => {
      const walks = createWalks(false);
      for (const step of all[index] ?? []) await play(actor, walks, step);
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

/** Starts a service for some work. Throws when its data are not sound afterwards. */
async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const stops: Parameters<Cleanup['after']>[0][] = [];
  try {
    const service = await startService({ after: (stop) => stops.unshift(stop) }, { LOG_LEVEL: 'error' });
    await work(service);
    await untilAtRest(service.folder);
    assert.deepEqual(faultsOfFolder(service.folder), []);
  } finally {
    for (const stop of stops) await stop();
  }
}

async function play(actor: Actor, walks: Walks, step: Step): Promise<void> {
  if (step.kind === 'startWalk') await walks.start(actor, step);
  else if (step.kind === 'walkOn') await walks.goOn(actor, step);
  else await write(actor, step.kind, step);
  walks.notice(actor);
}

async function finish(actor: Actor, walks: Walks, tally: Tally): Promise<void> {
  const { walks: count, pages } = await walks.finish(actor);
  tally.walks += count;
  tally.pages += pages;
}
