import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LogPosition } from '../history/cursor.ts';
import type { ChangeRow, Viewer } from '../history/record.ts';
import { ChangeStore } from '../history/store.ts';
import { escapeControls } from '../http/log.ts';
import { parseJson } from '../kit/objects.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS, parseInstant } from '../kit/time.ts';
import { databasePath, openForReading, refuseHalfRestored } from '../storage/database.ts';
import { requireCurrent } from '../storage/migrations.ts';
import { type QueryFile, Queries } from '../storage/statements.ts';
import { type Command, CommandError, FLAG, TEXT, UsageError } from './command.ts';
import { useCatalogue } from './settings.ts';
import { interruptible } from './signals.ts';
import { printAll } from './terminal.ts';

/** The point in the log after which a list begins. */
export type Since =
  | { readonly kind: 'start' }
  | { readonly kind: 'change'; readonly id: number }
  | { readonly kind: 'time'; readonly at: string };

// Sees what an administrator sees, without anyone's lists and visits.
const VIEWER: Viewer = { userId: null, isAdmin: true, showsAuthors: true };
const NEWEST = 20;
const SLICE = 500;
const CHECK_EVERY_MS = 1_000;
const UNIT_MS: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1_000],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', WEEK_MS],
]);
const CHANGE = /^\d{1,15}$/;
const SPAN = /^(?<count>\d{1,6})(?<unit>[smhdw])$/;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

export const command: Command = {
  summary: 'list who changed what, and follow it',
  help: [
    'Usage: catalogue changes [--since CHANGE|start|TIME] [--follow] [--json]',
    '',
    'Lists the newest 20 changes, oldest first: time, id, user, action, what was changed, its name, the fields that changed,',
    'and the batch if there is one. The service may be running. Changes of lists and visits, which only their owners may',
    'read, are left out.',
    '',
    '  --since C  list all changes after change C, since a time, or with start all. A time is ISO 8601, such as 2026-05-01 or',
    '             2026-05-01T18:30+02:00, in UTC without an offset; or how long ago, such as 90m, 2h or 3d',
    '  --follow   go on with new changes until interrupted',
    '  --json     one JSON object per line, as GET /api/changes returns them to administrators',
    '',
    'To undo a change: catalogue revert CHANGE',
  ].join('\n'),
  run: async (args) => {
    const options = { since: TEXT, follow: FLAG, json: FLAG };
    const { values } = parseArgs({ args, options });
    const since = values.since === undefined ? undefined : parseSince(values.since, new Date());
    if (values.since !== undefined && !since)
      throw new UsageError(`--since takes a change, start, or a time, not "${values.since}"`);
    const folder = useCatalogue();
    refuseHalfRestored(folder);
    const connection = openForReading(databasePath(folder));
    try {
      requireCurrent(connection, folder);
      const queries = new Queries(connection);
      const store = new ChangeStore(queries.file('changes'));
      const first = startOf(since, store, queries.file('list-changes'));
      const toText = values.json === true ? (row: ChangeRow) => store.textFor(row, VIEWER) : lineOf;
      const list = (signal?: AbortSignal): Promise<void> =>
        printAll(linesAfter(first, store, toText, signal), signal);
      await (values.follow === true ? interruptible(list) : list());
    } finally {
      connection.close();
    }
  },
};

/** The id of the change after which a list begins. */
function startOf(since: Since | undefined, store: ChangeStore, sql: QueryFile): number {
  if (since?.kind === 'change') {
    if (since.id <= store.lastId()) return since.id;
    throw new CommandError(`there is no change ${since.id} yet; the newest is ${store.lastId()}`);
  }
  const oldest = store.start(VIEWER.userId).id;
  if (since?.kind === 'start') return oldest;
  const found = since
    ? sql.prepare<number>('beforeTime').pluck().get({ time: since.at })
    : sql.prepare<number>('beforeNewest').pluck().get({ count: NEWEST });
  return Math.max(oldest, found ?? 0);
}

/** The lines of all changes after one, and with a signal also those of later changes until it fires. */
async function* linesAfter(
  id: number,
  store: ChangeStore,
  toText: (row: ChangeRow) => string,
  following?: AbortSignal,
): AsyncGenerator<string> {
  for (let place: LogPosition = { id, mark: '' }; ;) {
    const oldest = store.start(VIEWER.userId).id;
    if (place.id < oldest)
      throw new CommandError(
        `changes up to ${oldest} are no longer stored (CHANGE_LOG_DAYS); list all others with --since start`,
      );
    const { rows, next, hasMore } = store.read('oldest', place, SLICE, {}, VIEWER.userId);
    for (const row of rows) yield `${toText(row)}\n`;
    place = next;
    if (hasMore) continue;
    if (!following || following.aborted) return;
    await sleep(CHECK_EVERY_MS, undefined, { signal: following }).catch(() => undefined);
  }
}

/** A change as a line of text, with control characters escaped. */
function lineOf(row: ChangeRow): string {
  const { at, id, username, via, action, kind, entity_id, name, fields, batch_id, reverts, reverted_by } =
    row;
  const names = parseJson(fields ?? '');
  const words = [
    at,
    String(id),
    username ?? (via === 'cli' ? 'command line' : 'no account'),
    `${action} ${kind.replace('_', ' ')} ${entity_id}`,
    name,
  ];
  if (Array.isArray(names) && names.length > 0) words.push(`(${names.join(', ')})`);
  if (batch_id !== null) words.push(`batch ${batch_id}`);
  if (reverts !== null) words.push(`reverts ${reverts}`);
  if (reverted_by !== null) words.push(`reverted by ${reverted_by}`);
  return escapeControls(words.join('  '));
}

/** Parses the value of `--since`; undefined if it is invalid. A span counts back from `now`. */
export function parseSince(text: string, now: Date): Since | undefined {
  if (text === 'start') return { kind: 'start' };
  if (CHANGE.test(text)) return { kind: 'change', id: Number(text) };
  const { count, unit } = SPAN.exec(text)?.groups ?? {};
  const unitMs = UNIT_MS.get(unit);
  let time: number | undefined;
  if (unitMs !== undefined) time = now.getTime() - Number(count) * unitMs;
  else if (TIME.test(text))
    time = parseInstant(text) ?? parseInstant(`${text}Z`) ?? parseInstant(`${text}T00:00Z`);
  return time === undefined ? undefined : { kind: 'time', at: new Date(time).toISOString() };
}
