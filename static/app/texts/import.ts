import { count } from '../base/format.js';
import { define } from '../base/texts.js';

const joined = (parts: readonly [number, (shown: string) => string][]) =>
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
  checking: (name: string) => `Reading ${name}`,
  adding: (name: string) => `Adding ${name}`,
  rows: (rows: number) => (rows === 1 ? '1 row' : `${count(rows)} rows`),
  found: ({ created, updated, unchanged, failed }: import('../base/types.js').ImportResult) =>
    joined([
      [created, (shown) => `${shown} new`],
      [updated, (shown) => `${shown} changed`],
      [unchanged, (shown) => `${shown} here`],
      [failed, (shown) => `${shown} unreadable`],
    ]) || 'No places in it',
  done: ({ created, updated }: import('../base/types.js').ImportResult) =>
    joined([
      [created, (shown) => `${shown} added`],
      [updated, (shown) => `${shown} changed`],
    ]) || 'Nothing was written',
  go: (created: number, updated: number) =>
    updated === 0
      ? `Add ${count(created)}`
      : created === 0
        ? `Change ${count(updated)}`
        : `Add ${count(created)}, change ${count(updated)}`,
  nothingNew: 'There is nothing new in it.',
  fault: (line: number, reason: string, name: string | null) =>
    `line ${line}: ${name ? `${name}: ` : ''}${reason}`,
  faultsTitle: 'What cannot be read',
  firstFaults: (shown: number) => `The first ${shown}`,
  ignored: (columns: string) => `Not used: ${columns}`,
  another: 'Another file',
  tooLarge: (size: string) => `Files over ${size} go in on the command line of the service:`,
  command: 'Command',
  takeBack: 'Undo',
  takenBack: 'Taken back',
  earlier: 'Earlier imports',
  unnamed: 'Standard input',
  changes: (changes: number) => (changes === 1 ? '1 change' : `${count(changes)} changes`),
  by: (name: string) => `by ${name}`,
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
