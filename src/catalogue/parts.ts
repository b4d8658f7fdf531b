import type { CatalogueIndex } from '../index/catalogue-index.ts';
import type { ChangeLog } from '../storage/change-log.ts';
import type { OwnerCheck, ShowAuthor } from './authors.ts';
import type { RestaurantReads } from './restaurants/reads.ts';
import type { RestaurantTexts } from './restaurants/texts.ts';
import type { Views } from './restaurants/views.ts';
import type { CatalogueStores } from './stores.ts';

/** The parts of the catalogue that its routes share. */
export interface CatalogueParts {
  readonly stores: CatalogueStores;
  readonly index: CatalogueIndex;
  readonly texts: RestaurantTexts;
  readonly views: Views;
  readonly reads: RestaurantReads;
  readonly changeLog: ChangeLog;
  readonly showAuthor: ShowAuthor;
  readonly requireOwner: OwnerCheck;
}
