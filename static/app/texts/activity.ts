import { define } from '../base/texts.js';

/** Stands in a sentence where the name goes, which becomes a link. */
export const NAME = '\u0001';

const did = (deed: string) => (who: string) => `${who} ${deed} ${NAME}`;

const changed = (what: string) => (who: string, fields: string) =>
  `${who} changed ${fields} of ${what}${NAME}`;

/** @param what with a blank behind it, before the name */
const gone = (what: string) => ({
  delete: did(`deleted ${what}`.trim()),
  restore: did(`brought back ${what}`.trim()),
});

const sentences = {
  restaurant: { create: did('added'), update: changed(''), ...gone('') },
  category: {
    create: did('added the category'),
    update: did('renamed the category'),
    ...gone('the category '),
  },
  food_type: {
    create: did('added the food type'),
    update: did('renamed the food type'),
    ...gone('the food type '),
  },
  suggestion: { create: did('suggested'), update: changed('the suggestion '), ...gone('the suggestion ') },
  rating: { create: did('rated'), update: did('changed a rating of'), ...gone('a rating of ') },
  photo: {
    create: did('added a photo of'),
    update: did('changed the caption of a photo of'),
    ...gone('a photo of '),
  },
  list: { create: did('made the list'), update: changed('the list '), ...gone('the list ') },
  visit: { create: did('visited'), update: changed('a visit to '), ...gone('a visit to ') },
};

export const words = define({
  title: 'Activity',
  trash: 'Trash',
  about: 'See who changed what, and undo it.',
  sentences,
  you: 'You',
  someone: 'Someone',
  /** A field by its name in the API, after "changed". */
  fields: {
    name: 'the name',
    description: 'the description',
    address: 'the address',
    phone: 'the phone',
    website: 'the website',
    latitude: 'the position',
    longitude: 'the position',
    google_place_id: 'the map link',
    external_ids: 'the links',
    price_level: 'the price',
    opening_hours: 'the hours',
    time_zone: 'the time zone',
    diets: 'the diets',
    category_id: 'the category',
    food_type_ids: 'the food',
    status: 'the status',
    notes: 'the notes',
    visited_on: 'the day',
    note: 'the note',
    companions: 'the company',
    total_minor: 'the cost',
    currency: 'the currency',
    dishes: 'the dishes',
  },
  details: 'details',
  /** Of an import, or of taking one back. */
  atOnce: (who: string, count: number) => `${who} changed ${count} entries at once`,
  each: 'Show each of them',
  whole: 'Undo all of it',
  /** What became of a place on a list. */
  items: {
    added: did('put a place on the list'),
    removed: did('took a place off the list'),
    changed: did('moved or noted a place on the list'),
  },
  /** A new status of a suggestion. */
  statuses: {
    pending: did('reopened the suggestion'),
    approved: did('approved the suggestion'),
    tested: did('tested the suggestion'),
    rejected: did('rejected the suggestion'),
    converted: did('made a place of the suggestion'),
  },
  and: (before: string, last: string) => `${before} and ${last}`,
  value: (before: string, after: string) => `${before} → ${after}`,
  nothing: 'nothing',
  all: 'Everything',
  mine: 'By me',
  kind: 'Kind',
  kinds: {
    '': 'All kinds',
    restaurant: 'Places',
    rating: 'Ratings',
    photo: 'Photos',
    suggestion: 'Suggestions',
    category: 'Categories',
    food_type: 'Food types',
    list: 'My lists',
    visit: 'My visits',
  },
  news: (count: number) => `${count} new`,
  revert: 'Revert',
  restore: 'Restore',
  revertOf: (sentence: string) => `Revert: ${sentence}`,
  restoreOf: (sentence: string) => `Restore: ${sentence}`,
  reverted: 'reverted',
  reverts: 'Reverted: ',
  done: 'Reverted',
  restored: (name: string) => `${name} is back`,
  daysLeft: (days: number) => (days === 1 ? '1 day left' : `${days} days left`),
  gone: 'gone for good',
  purge: 'Delete for good',
  purgeOf: (name: string) => `Delete for good: ${name}`,
  askPurge: (name: string) => `Delete ${name} for good?`,
  purged: (name: string) => `${name} is gone for good`,
  purgedBy: (who: string | null, day: string) =>
    who === null ? `deleted for good, ${day}` : `deleted for good by ${who}, ${day}`,
  byYou: 'you',
  alongWith: (ratings: number, photos: number) =>
    `${ratings === 1 ? '1 rating' : `${ratings} ratings`} and ${photos === 1 ? '1 photo' : `${photos} photos`} of it will be lost too. This cannot be undone.`,
  ofOthers: 'Part of this belongs to others, so only an administrator can delete it for good.',
  refused: (reason: string) => `This cannot be taken back: ${reason}.`,
  older: 'Show older',
  empty: 'Nothing was changed yet.',
  emptyTrash: 'The trash is empty.',
  noMatch: 'No change matches.',
});
