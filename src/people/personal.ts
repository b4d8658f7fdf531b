import type { Route } from '../http/router.ts';
import { Sealer } from '../kit/input/sealed.ts';
import { createPersonal } from './lists/personal.ts';
import { listRoutes } from './lists/routes.ts';
import { createListStore } from './lists/store.ts';
import type { Personal } from '../catalogue/restaurants/personal.ts';
import type { RestaurantTexts } from '../catalogue/restaurants/texts.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import type { Queries } from '../storage/statements.ts';
import type { Storage } from '../storage/storage.ts';
import { visitRoutes } from './visits/routes.ts';
import { createVisitStore } from './visits/store.ts';

/** Lists and visits, which are for their owners alone. */
export interface PersonalModules {
  readonly routes: readonly Route[];
  readonly personal: Personal;
}

/** Opens what users note of restaurants, for lists and searches of these. */
export function openPersonal(queries: Queries): Personal {
  const sql = queries.file('lists');
  return createPersonal(sql, createListStore(sql));
}

/** Opens the modules of lists and visits. */
export function createPersonalModules(
  { queries, keys }: Pick<Storage, 'queries' | 'keys'>,
  changeLog: ChangeLog,
  texts: RestaurantTexts,
): PersonalModules {
  const lists = createListStore(queries.file('lists'));
  const visits = createVisitStore(queries.file('visits'));
  const cursors = new Sealer(keys('visit cursors'));
  return {
    routes: [
      ...listRoutes({ store: lists, texts, changeLog }),
      ...visitRoutes({ store: visits, changeLog, cursors }),
    ],
    personal: openPersonal(queries),
  };
}
