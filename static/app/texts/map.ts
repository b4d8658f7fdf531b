import { define } from '../base/texts.js';

/** Texts of maps. */
export const words = define({
  label: 'Map; the list shows the same places',
  placeLabel: 'Map of this place',
  pickLabel: 'Map, to pick the position on',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  follow: 'Search as I move',
  near: 'Near me',
  noPosition: 'Your position cannot be found. Allow this page to use it, and try again.',
  list: 'List',
  listOf: (total: string) => `List · ${total}`,
  failed: 'The map could not be loaded. The list shows the same places.',
  coast: 'Coast: Natural Earth',
});
