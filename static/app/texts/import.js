import { count } from '../format.js';
import { define } from '../texts.js';

/** @param {readonly [number, (shown: string) => string][]} parts */
const joined = (parts) =>
  parts
    .filter(([number]) => number > 0)
    .map(([number, text]) => text(count(number)))
    .join(', ');

export const words = define({
  title: 'Import',
  drop: 'Drop a file here, or choose one',
  formats:
    'CSV, GeoJSON, or JSON lines: an export of this or another catalogue, or saved places from Google Takeout.',
  before: 'You see what it would do before anything is written.',
  checking: (/** @type {string} */ name) => `Reading ${name}`,
  adding: (/** @type {string} */ name) => `Adding ${name}`,
  rows: (/** @type {number} */ rows) => (rows === 1 ? '1 row' : `${count(rows)} rows`),
  found: (/** @type {import('../types.js').ImportResult} */ { created, updated, unchanged, failed }) =>
    joined([
      [created, (shown) => `${shown} new`],
      [updated, (shown) => `${shown} changed`],
      [unchanged, (shown) => `${shown} here`],
      [failed, (shown) => `${shown} unreadable`],
    ]) || 'No places in it',
  done: (/** @type {import('../types.js').ImportResult} */ { created, updated }) =>
    joined([
      [created, (shown) => `${shown} added`],
      [updated, (shown) => `${shown} changed`],
    ]) || 'Nothing was written',
  go: (/** @type {number} */ created, /** @type {number} */ updated) =>
    updated === 0
      ? `Add ${count(created)}`
      : created === 0
        ? `Change ${count(updated)}`
        : `Add ${count(created)}, change ${count(updated)}`,
  nothingNew: 'There is nothing new in it.',
  fault: (/** @type {number} */ line, /** @type {string} */ reason, /** @type {string | null} */ name) =>
    `line ${line}: ${name ? `${name}: ` : ''}${reason}`,
  faultsTitle: 'What cannot be read',
  firstFaults: (/** @type {number} */ shown) => `The first ${shown}`,
  ignored: (/** @type {string} */ columns) => `Not used: ${columns}`,
  another: 'Another file',
  tooLarge: (/** @type {string} */ size) => `Files over ${size} go in on the command line of the service:`,
  command: 'Command',
  takeBack: 'Undo',
  takenBack: 'Taken back',
  earlier: 'Earlier imports',
  unnamed: 'Standard input',
  changes: (/** @type {number} */ changes) => (changes === 1 ? '1 change' : `${count(changes)} changes`),
  by: (/** @type {string} */ name) => `by ${name}`,
  none: 'There were none.',
  samples: 'Try with sample places',
  removeSamples: 'Remove the samples',
  samplesAdded: 'These are made-up places to try things with.',
  import: 'Import places',
  addFirst: 'Add the first place',
  suggestFirst: 'Suggest the first place',
  nobodyYet: 'There is no place in it yet. An administrator can add some.',
  empty: 'An empty menu.',
});
