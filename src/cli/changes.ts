import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Place } from '../history/cursor.ts';
import type { ChangeRow, Viewer } from '../history/record.ts';
import { ChangeStore } from '../history/store.ts';
import { escapeControls } from '../http/log.ts';
import { parseJson } from '../kit/objects.ts';
import { databasePath, refuseHalfRestored } from '../storage/database.ts';
import { requireCurrent } from '../storage/migrations.ts';
import { openForReading } from '../storage/reading.ts';
import { loadQueries } from '../storage/statements.ts';
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
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const CHANGE = /^\d{1,15}$/;
const SPAN = /^(?<count>\d{1,6})(?<unit>[smhdw])$/;
const TIME =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/i;

export const command: Command = {
  summary: 'list who changed what, and follow it',
  help: [
    'Usage: catalogue changes [--since CHANGE|start|TIME] [--follow] [--json]',
    '',
    'Lists the newest 20 changes, the oldest of them first: time, id, user, action, what was changed, its name, the fields',
    'that changed, and the batch where it is part of one. Nothing is changed by it, and the service may be running. Changes',
    'of lists and visits, which their owners alone may read, are left out.',
    '',
    '  --since C  instead of the newest: those after change C, those since a time, or all with start. A time is a span such',
    '             as 90m, 2h or 3d, or ISO 8601, such as 2026-05-01 or 2026-05-01T18:30+02:00; without an offset it is UTC',
    '  --follow   go on with what changes from now on, until it is interrupted',
    '  --json     one JSON object a line, as GET /api/changes returns them to administrators',
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
    await withLog(folder, (store) => {
      const toText = values.json === true ? (row: ChangeRow) => store.textFor(row, VIEWER) : lineOf;
      return values.follow === true
        ? interruptible((signal) => printAll(linesOf(changes(store, since, signal), toText), signal))
        : printAll(linesOf(changes(store, since), toText));
    });
  },
};

async function withLog(folder: string, work: (store: ChangeStore) => Promise<void>): Promise<void> {
  refuseHalfRestored(folder);
  const connection = openForReading(databasePath(folder));
  try {
    requireCurrent(connection, folder);
    await work(new ChangeStore(loadQueries(connection).file('changes')));
  } finally {
    connection.close();
  }
}

async function* linesOf(
  found: AsyncIterable<readonly ChangeRow[]>,
  toText: (row: ChangeRow) => string,
): AsyncGenerator<string> {
  for await (const rows of found) for (const row of rows) yield `${toText(row)}\n`;
}

/** All changes since a point, and with a signal also those that follow until it fires. */
async function* changes(
  store: ChangeStore,
  since: Since | undefined,
  following?: AbortSignal,
): AsyncGenerator<readonly ChangeRow[]> {
  let place = since ? placeOfSince(store, since) : store.end(VIEWER.userId);
  if (!since) yield newestOf(store, place);
  for (;;) {
    requireStored(store, place);
    const { rows, next, hasMore } = store.read('oldest', place, SLICE, {}, VIEWER.userId);
    place = next;
    if (rows.length > 0) yield rows;
    if (hasMore) continue;
    if (!following || following.aborted) return;
    await pause(CHECK_EVERY_MS, undefined, { signal: following }).catch(() => undefined);
  }
}

/** The newest 20 changes up to a place, oldest first. */
function newestOf(store: ChangeStore, { id }: Place): readonly ChangeRow[] {
  const found: ChangeRow[] = [];
  // The store may return fewer than the limit although there are more.
  for (let at: Place = { id: id + 1, mark: '' }, isMore = true; isMore && found.length < NEWEST;) {
    const { rows, next, hasMore } = store.read('newest', at, NEWEST - found.length, {}, VIEWER.userId);
    found.push(...rows);
    at = next;
    isMore = hasMore;
  }
  return found.reverse();
}

function placeOfSince(store: ChangeStore, since: Since): Place {
  switch (since.kind) {
    case 'start':
      return store.start(VIEWER.userId);
    case 'change':
      if (since.id > store.lastId())
        throw new CommandError(`there is no change ${since.id} yet; the newest is ${store.lastId()}`);
      return { id: since.id, mark: '' };
    case 'time':
      return beforeTime(store, since.at);
  }
}

/** After the last change before a time, found by bisection. If the clock was set back, it may be one of several. */
function beforeTime(store: ChangeStore, time: string): Place {
  let [low, high] = [store.start(VIEWER.userId).id, store.lastId()];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = firstBehind(store, { id: middle, mark: '' });
    if (next && next.at < time) low = next.id;
    else high = middle;
  }
  return { id: low, mark: '' };
}

/** The first visible change after a place; the store returns an empty part where the log has only lists and visits. */
function firstBehind(store: ChangeStore, from: Place): ChangeRow | undefined {
  for (let place = from; ;) {
    const { rows, next, hasMore } = store.read('oldest', place, 1, {}, VIEWER.userId);
    if (rows[0] || !hasMore) return rows[0];
    place = next;
  }
}

function requireStored(store: ChangeStore, { id }: Place): void {
  const oldest = store.start(VIEWER.userId).id;
  if (id < oldest)
    throw new CommandError(
      `changes up to ${oldest} are no longer stored (CHANGE_LOG_DAYS); list all others with --since start`,
    );
}

/** A change as a line of text, with control characters escaped. */
function lineOf(row: ChangeRow): string {
  const { at, id, action, kind, entity_id, name, fields, batch_id, reverts, reverted_by } = row;
  const names = parseJson(fields ?? '');
  const words = [
    at,
    String(id),
    actorOf(row),
    `${action} ${kind.replace('_', ' ')} ${entity_id}`,
    name,
    ...(Array.isArray(names) && names.length > 0 ? [`(${names.join(', ')})`] : []),
    ...(batch_id === null ? [] : [`batch ${batch_id}`]),
    ...(reverts === null ? [] : [`reverts ${reverts}`]),
    ...(reverted_by === null ? [] : [`reverted by ${reverted_by}`]),
  ];
  return escapeControls(words.join('  '));
}

function actorOf({ username, via }: ChangeRow): string {
  return username ?? (via === 'cli' ? 'command line' : 'no account');
}

/** Parses the value of `--since`; undefined when it is invalid. A span counts back from `now`. */
export function parseSince(text: string, now: Date): Since | undefined {
  if (text === 'start') return { kind: 'start' };
  if (CHANGE.test(text)) return { kind: 'change', id: Number(text) };
  const time = millisecondsOf(text, now);
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : { kind: 'time', at: date.toISOString() };
}

function millisecondsOf(text: string, now: Date): number {
  const { count, unit } = SPAN.exec(text)?.groups ?? {};
  const unitMs = Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1];
  if (unitMs !== undefined) return now.getTime() - Number(count) * unitMs;
  const { day, clock = '00:00', zone = 'Z' } = TIME.exec(text)?.groups ?? {};
  return day === undefined ? NaN : Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
}
