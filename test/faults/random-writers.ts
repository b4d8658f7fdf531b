import fc from 'fast-check';
import { type Actor, type Served, createActor } from './model-actor.ts';
import { stepArbitrary } from './model-steps.ts';
import { write } from './model-writes.ts';

/** Writers that create, change, delete and revert things of every kind at random, side by side. */
export interface RandomWriters {
  /** Writes until it is over. Throws when an answer is not what it has to be. */
  readonly write: (service: Served, isOver: () => boolean) => Promise<void>;
  /** How many writes were acknowledged so far. */
  readonly acknowledged: () => number;
}

const WRITERS = 8;
const STEPS = 100;

/** Makes such writers. Each has things of its own, so that it knows what it must be answered. */
export function createRandomWriters(seed: number, writers = WRITERS): RandomWriters {
  const actors: Actor[] = [];

  async function writeOn(actor: Actor, index: number, isOver: () => boolean): Promise<void> {
    for (let batch = 0; !isOver(); batch += 1)
      for (const step of fc.sample(stepArbitrary(), { seed: seed + 1_000 * index + batch, numRuns: STEPS })) {
        if (isOver()) return;
        if (step.kind !== 'startWalk' && step.kind !== 'walkOn') await write(actor, step.kind, step);
      }
  }

  return {
    acknowledged: () => actors.reduce((sum, { log }) => sum + log.writes.length, 0),
    write: async (service, isOver) => {
      // Others than before: what a service that was killed has of the last steps of those is not known.
      const first = actors.length;
      const tags = Array.from({ length: writers }, (_, index) => `q${first + index}q`);
      const others = await Promise.all(tags.map((tag) => createActor(service, tag, new Set())));
      actors.push(...others);
      await Promise.all(others.map((actor, index) => writeOn(actor, first + index, isOver)));
    },
  };
}
