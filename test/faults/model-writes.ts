import type { Actor, Play } from './model-actor.ts';
import { lookupPlays } from './model-lookups.ts';
import { copyOf, noteWrite } from './model-log.ts';
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
import type { Step, WriteKind } from './model-steps.ts';

const categories = lookupPlays('categories');
const foodTypes = lookupPlays('foodTypes');
const PLAYS: Readonly<Record<Exclude<WriteKind, 'revertChange'>, Play>> = {
  createRestaurant,
  changeRestaurant,
  deleteRestaurant,
  rate,
  changeRating,
  deleteRating,
  suggest,
  moderate,
  convert,
  deleteSuggestion,
  upload,
  caption,
  deletePhoto,
  createCategory: categories.create,
  renameCategory: categories.rename,
  deleteCategory: categories.remove,
  createFoodType: foodTypes.create,
  renameFoodType: foodTypes.rename,
  deleteFoodType: foodTypes.remove,
};

/** Does a step that writes. Throws where the answer, or what it says of the change log, is not as the model has it. */
export async function write(actor: Actor, kind: WriteKind, step: Step): Promise<void> {
  if (kind === 'revertChange') {
    await revertChange(actor, step);
    return;
  }
  const before = copyOf(actor.model);
  await PLAYS[kind](actor, step);
  noteWrite(actor.log, before, actor.model);
}
