import assert from 'node:assert/strict';
import { databasePath } from '../../src/storage/database.ts';
import { openForReading } from '../../src/storage/reading.ts';
import type { Cleanup } from './cleanup.ts';
import { type ServerProcess, startServerProcess } from './cli.ts';
import { type Variables, temporaryFolder } from './service.ts';
import { until } from './until.ts';

export const FOLLOW_TOKEN = 'bM7xQ2vK9pR4wT8yZ3cF6hJ5nL1sD0gA';

/** A service in a process of its own, with its data folder. */
export interface Node extends ServerProcess {
  readonly folder: string;
}

async function startNode(t: Cleanup, folder: string, variables: Variables): Promise<Node> {
  const started = await startServerProcess(t, { DATA_DIR: folder, FOLLOW_TOKEN, ...variables });
  return { ...started, folder };
}

/** Starts a service that replicas may follow. */
export function startPrimary(
  t: Cleanup,
  variables: Variables = {},
  folder = temporaryFolder(t),
): Promise<Node> {
  return startNode(t, folder, variables);
}

/** Starts a replica of a service, by default in an empty folder. */
export function startReplica(
  t: Cleanup,
  primaryUrl: string,
  variables: Variables = {},
  folder = temporaryFolder(t),
): Promise<Node> {
  return startNode(t, folder, { READ_ONLY: 'true', PRIMARY_URL: primaryUrl, ...variables });
}

/** All rows of all tables in a data folder by the names of the tables, but for what is a replica's or a primary's alone. */
export function rowsOf(folder: string): Readonly<Record<string, readonly string[]>> {
  const connection = openForReading(databasePath(folder));
  try {
    connection.exec('BEGIN');
    const tables = connection
      .prepare<[], string>(
        `SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name <> 'following' AND name NOT LIKE 'followed%'
           AND name NOT IN ('sqlite_schema') ORDER BY name`,
      )
      .pluck()
      .all();
    const rows = tables.map((name) => {
      const found = connection.prepare<[], unknown[]>(`SELECT * FROM ${name}`).raw().safeIntegers().all();
      const texts = found.map(textOf).filter((text) => !text.includes('followed_'));
      return [name, texts.sort()] as const;
    });
    return Object.fromEntries(rows);
  } finally {
    connection.close();
  }
}

/** A row as text: values of different types never look the same. */
function textOf(row: readonly unknown[]): string {
  return row
    .map((value) => {
      if (Buffer.isBuffer(value)) return `x${value.toString('hex')}`;
      return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
    })
    .join(' ');
}

/** Waits until every row of a replica is that of its primary, and says which are not when that does not come. */
export async function untilSame(primary: string, replica: string): Promise<void> {
  const isSame = (): boolean => {
    try {
      assert.deepEqual(rowsOf(replica), rowsOf(primary));
      return true;
    } catch {
      return false;
    }
  };
  await until(isSame).catch(() => {
    assert.deepEqual(rowsOf(replica), rowsOf(primary));
  });
}
