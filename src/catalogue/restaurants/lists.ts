import { choose } from './chosen.ts';
import { findNear } from './nearby.ts';
import { type Listed, type View, countMarks } from './positions.ts';
import type { ListRequest } from './request.ts';
import type { Resident } from './resident.ts';
import { walk } from './walk.ts';

/** Finds what lists hold, in the rows in memory. */
export interface Lists {
  /** The part that is asked for, with the number of all. */
  readonly page: (request: ListRequest) => Promise<Listed>;
  /** The ids of the part that is asked for, in slices of a few milliseconds; the caller pauses between them. */
  readonly ids: (request: ListRequest) => AsyncGenerator<readonly number[]>;
}

/** Opens the lists. */
export function createLists(resident: Resident): Lists {
  return {
    page: async (request) => {
      const view = await choose(request, resident);
      const area = findNear(request, view);
      const positions = [...(area ?? walk(request, view)).parts].flat();
      const total = area?.total ?? count(view);
      view.close();
      return { positions, total };
    },
    ids: async function* (request) {
      const view = await choose(request, resident);
      const { parts } = findNear(request, view) ?? walk(request, view);
      for (const part of parts) yield part.map(({ id }) => id);
      view.close();
    },
  };
}

function count({ order, marks }: View): number {
  return marks ? countMarks(marks) : order('newest').length;
}
