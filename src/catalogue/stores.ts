import type { Queries } from '../storage/statements.ts';
import { Moves } from './restaurants/moves.ts';
import { LookupStore } from './lookups/store.ts';
import { PhotoStore } from './photos/store.ts';
import { RatingStore } from './ratings/store.ts';
import { RestaurantStore } from './restaurants/store.ts';
import { SuggestionStore } from './suggestions/store.ts';

/** The stores of the catalogue's resources. */
export class CatalogueStores {
  readonly restaurants: RestaurantStore;
  readonly ratings: RatingStore;
  readonly photos: PhotoStore;
  readonly suggestions: SuggestionStore;
  readonly categories: LookupStore;
  readonly foodTypes: LookupStore;

  constructor(queries: Pick<Queries, 'file'>) {
    this.restaurants = new RestaurantStore(queries.file('restaurants'), new Moves(queries.file('moves')));
    this.ratings = new RatingStore(queries.file('ratings'));
    this.photos = new PhotoStore(queries.file('photos'));
    this.suggestions = new SuggestionStore(queries.file('suggestions'), this.restaurants);
    this.categories = new LookupStore(queries, 'category');
    this.foodTypes = new LookupStore(queries, 'food_type');
  }
}
