import { isObject } from '../../kit/objects.ts';
import { type EntityKind, PRIVATE_KINDS } from '../../storage/change-log.ts';
import type { Answers } from '../../storage/answers.ts';
import type { QueryFile } from '../../storage/statements.ts';

interface LoggedRow {
  readonly id: number;
  readonly kind: EntityKind;
  readonly actor_id: number | null;
  readonly token_id: number | null;
  readonly token_name: string | null;
  readonly owner_id: number | null;
  readonly purged_by: number | null;
  readonly before: string | null;
  readonly after: string | null;
}

type Cleared = Omit<LoggedRow, 'kind'>;

// Removed as a whole.
const PRIVATE: readonly EntityKind[] = PRIVATE_KINDS;
// Fields with an author's text. Restaurants and categories have no author.
const TEXTS: ReadonlySet<string> = new Set(['comment', 'caption', 'notes', 'original_filename']);
// Changes read or written per slice, which takes a few milliseconds.
const READ = 2_000;
const WRITTEN = 200;
const CHARACTERS = 1_000_000;

/**
 * Clears an erased user from the next slice of the log after `after`, and from the stored answers to others about the same
 * changes. Returns the last change of the slice, or undefined at the end of the log. Must run in a transaction. `sql` is
 * people.sql.
 */
export function createScrubber(
  sql: QueryFile,
  answers: Pick<Answers, 'forget'>,
): (userId: number, after: number) => number | undefined {
  const lastChange = sql.prepare<number | null>('lastChange').pluck();
  const list = sql.prepare<LoggedRow>('listChangesOf');
  const clear = sql.prepare('clearChange');
  const hollow = sql.prepare('hollowChange');
  return (userId, after) => {
    if (after >= (lastChange.get() ?? 0)) return undefined;
    const part = { userId, after, upTo: after + READ, mention: `"author_id":${userId}`, limit: WRITTEN };
    const rows: LoggedRow[] = [];
    let characters = 0;
    for (const row of list.iterate(part)) {
      rows.push(row);
      characters += (row.before?.length ?? 0) + (row.after?.length ?? 0);
      if (characters >= CHARACTERS) break;
    }
    answers.forget(rows.map(({ id }) => id));
    for (const { kind, ...row } of rows)
      if (row.owner_id === userId && PRIVATE.includes(kind)) hollow.run({ id: row.id });
      else clear.run({ ...withoutUser(row, userId) });
    const isCut = rows.length === WRITTEN || characters >= CHARACTERS;
    return (isCut ? rows.at(-1)?.id : undefined) ?? part.upTo;
  };
}

function withoutUser(row: Cleared, userId: number): Cleared {
  const isOwner = row.owner_id === userId;
  const content = (json: string | null): string | null =>
    json === null ? null : JSON.stringify(withoutAuthor(JSON.parse(json), userId, isOwner));
  return {
    ...row,
    ...(row.actor_id === userId && { actor_id: null, token_id: null, token_name: null }),
    ...(isOwner && { owner_id: null }),
    ...(row.purged_by === userId && { purged_by: null }),
    before: content(row.before),
    after: content(row.after),
  };
}

/** A logged value without the author's texts, also in nested values. `isOwn`: the value itself is the author's. */
function withoutAuthor(value: unknown, userId: number, isOwn: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => withoutAuthor(element, userId, false));
  if (!isObject(value)) return value;
  const fields = Object.entries(value);
  const isAuthors = isOwn || fields.some(([name, field]) => name === 'author_id' && field === userId);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const goes = isAuthors && (name === 'author_id' || TEXTS.has(name));
      return [name, goes ? null : withoutAuthor(field, userId, false)];
    }),
  );
}
