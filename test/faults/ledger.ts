import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PUBLIC_KINDS as LOGGED } from '../../src/storage/change-log.ts';
import { record } from '../support/client.ts';

/** The state of one thing as a client knows it: there with this mark, gone, or not reported yet. */
export type Fact = { readonly there: string } | 'gone' | 'doubtful';

/** The acknowledged writes, to be compared with the database. */
export interface Ledger {
  /** To be called before a change is sent; whatever becomes of it may be stored. */
  readonly doubt: (kind: Kind, id: number | string) => void;
  /** To be called once a change was acknowledged, with the id by which the change log knows its write. */
  readonly know: (kind: Kind, id: number | string, fact: Fact, writeId?: number) => void;
  /** From now on what is acknowledged is in doubt, until it is opened again: the power is being cut. */
  readonly close: () => void;
  readonly open: () => void;
  /** How many changes were acknowledged so far. */
  readonly acknowledged: () => number;
  /** Acknowledged changes that the database of the folder, or its change log, does not have, a line each. */
  readonly lost: (folder: string) => string[];
}

const byId = (table: string, mark: string): string =>
  `SELECT id, ${mark} AS mark FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`;

// A deleted one is a row until what refers to it is taken away.
const lookupById = (table: string): string => `${byId(table, 'name')} AND deleted_at IS NULL`;

const SQL = {
  restaurant: byId('restaurants', 'name'),
  rating: byId('ratings', 'comment'),
  category: lookupById('categories'),
  food_type: lookupById('food_types'),
  suggestion: byId('suggestions', `name || ' ' || status`),
  photo: byId('photos', 'caption'),
  user: byId('users', 'username'),
  apiToken: byId('api_tokens', 'name'),
  refreshToken: `SELECT lower(hex(token_hash)) AS id, 'current' AS mark FROM refresh_tokens
    WHERE rotated_at IS NULL AND lower(hex(token_hash)) IN (SELECT value FROM json_each(?))`,
} as const;

/** The subjects that the ledger has facts about. */
export type Kind = keyof typeof SQL;

const KINDS = [
  ...(['restaurant', 'rating', 'category', 'food_type', 'suggestion', 'photo', 'user'] as const),
  ...(['apiToken', 'refreshToken'] as const),
];

/** An acknowledged change of something that the change log knows. */
interface Logged {
  readonly kind: Kind;
  readonly id: number;
  /** Null where the answer named no change. */
  readonly writeId: number | null;
}

function notLogged(database: Database.Database, logged: readonly Logged[]): string[] {
  const find = database.prepare(
    'SELECT 1 FROM changes WHERE coalesce(write_id, id) = :writeId AND kind = :kind AND entity_id = :id',
  );
  return logged
    .filter((one) => find.get(one) === undefined)
    .map(({ kind, id, writeId }) => `${kind} ${id}: the log has no change ${writeId ?? 'of it'}`);
}

/** An empty ledger. Each thing in it has one writer alone, so that it is in doubt for one change at a time. */
export function createLedger(): Ledger {
  const facts = new Map(KINDS.map((kind) => [kind, new Map<string, Fact>()]));
  const logged: Logged[] = [];
  let acknowledged = 0;
  let isOpen = true;

  const doubt: Ledger['doubt'] = (kind, id) => {
    facts.get(kind)?.set(String(id), 'doubtful');
  };

  function lostOf(database: Database.Database, kind: Kind): string[] {
    const known = facts.get(kind) ?? new Map<string, Fact>();
    const rows = database.prepare(SQL[kind]).all(JSON.stringify([...known.keys()].map(plain)));
    const stored = new Map(rows.map(record).map(({ id, mark }) => [String(id), String(mark)]));
    return [...known].flatMap(([id, fact]) => {
      if (fact === 'doubtful') return [];
      const expected = fact === 'gone' ? undefined : fact.there;
      if (stored.get(id) === expected) return [];
      return [`${kind} ${id}: ${stored.get(id) ?? 'none'} instead of ${expected ?? 'none'}`];
    });
  }

  return {
    doubt,
    know: (kind, id, fact, writeId) => {
      if (!isOpen) {
        doubt(kind, id);
        return;
      }
      acknowledged += 1;
      facts.get(kind)?.set(String(id), fact);
      if (LOGGED.some((one) => one === kind)) logged.push({ kind, id: Number(id), writeId: writeId ?? null });
    },
    close: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
    },
    acknowledged: () => acknowledged,
    lost: (folder) => {
      const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
      try {
        return [...KINDS.flatMap((kind) => lostOf(database, kind)), ...notLogged(database, logged)];
      } finally {
        database.close();
      }
    },
  };
}

function plain(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}
