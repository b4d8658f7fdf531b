import assert from 'node:assert/strict';
import { array, field, ids } from '../support/client.ts';
import type { Actor } from './model-actor.ts';
import type { Step } from './model-steps.ts';
import { type Query, listed, parametersOf, restaurantView, sortKey } from './model-views.ts';

/** Walks through all pages of lists, while other things happen between two pages. */
export interface Walks {
  readonly start: (actor: Actor, step: Step) => Promise<void>;
  readonly goOn: (actor: Actor, step: Step) => Promise<void>;
  /** To be called after every step: a restaurant that is gone, or stands elsewhere now, may be missed or met again. */
  readonly notice: (actor: Actor) => void;
  /** Walks all of them to their end; returns how many there were, and their pages. */
  readonly finish: (actor: Actor) => Promise<{ readonly walks: number; readonly pages: number }>;
}

interface Walk {
  readonly query: Query;
  readonly path: string;
  cursor: string | null | undefined;
  /** The ids that must be met exactly once, and their places. */
  readonly owed: Map<number, string | number>;
  readonly met: number[];
}

/** Walks of one actor; when it acts alone, everything that it meets has to be its own, and so do the totals. */
export function createWalks(isAlone: boolean): Walks {
  const walks: Walk[] = [];
  let pages = 0;

  async function next({ api, model }: Actor, walk: Walk): Promise<void> {
    const after = typeof walk.cursor === 'string' ? `&cursor=${encodeURIComponent(walk.cursor)}` : '';
    const { status, body } = await api.get(walk.path + after);
    assert.equal(status, 200, JSON.stringify(body));
    pages += 1;
    const cursor = field(body, 'next_cursor');
    assert.equal(field(body, 'has_more'), cursor !== null);
    const data = array(field(body, 'data'));
    const found = listed(model, walk.query, false);
    if (isAlone) assert.equal(field(body, 'total'), found.length, walk.path);
    for (const [index, id] of ids(data).entries()) {
      const own = model.restaurants.get(id);
      assert.ok(own !== undefined || !isAlone, `restaurant ${id} is not there`);
      if (own && !walk.query.near) assert.deepEqual(data[index], restaurantView(model, own));
      assert.ok(!walk.met.includes(id) || !walk.owed.has(id), `${walk.path} repeats restaurant ${id}`);
      walk.met.push(id);
    }
    walk.cursor = typeof cursor === 'string' ? cursor : null;
    if (walk.cursor !== null) return;
    const skipped = [...walk.owed.keys()].filter((id) => !walk.met.includes(id));
    assert.deepEqual(skipped, [], `${walk.path} skips restaurants`);
  }

  const open = (): Walk[] => walks.filter(({ cursor }) => cursor !== null);

  return {
    start: async (actor, { limit, query }) => {
      const path = `/restaurants/paginated?limit=${limit}&${parametersOf(query)}`;
      const found = listed(actor.model, query, false);
      const owed = new Map(found.map((one) => [one.id, sortKey(actor.model, one, query)]));
      const walk: Walk = { query, path, cursor: undefined, owed, met: [] };
      walks.push(walk);
      await next(actor, walk);
    },
    goOn: async (actor, { pick }) => {
      const walk = open()[pick % open().length];
      if (walk) await next(actor, walk);
    },
    notice: ({ model }) => {
      for (const { query, owed } of open()) {
        const now = new Map(listed(model, query, false).map((one) => [one.id, sortKey(model, one, query)]));
        for (const [id, key] of owed) if (now.get(id) !== key) owed.delete(id);
      }
    },
    finish: async (actor) => {
      for (const walk of open()) while (walk.cursor !== null) await next(actor, walk);
      return { walks: walks.length, pages };
    },
  };
}
