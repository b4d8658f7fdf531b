import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { PlacesState } from '../../catalogue/places/client.ts';
import type { Work } from '../../kit/slices.ts';
import { readVersion } from '../../kit/version.ts';
import { databasePath } from '../../storage/database.ts';
import type { QueryFile } from '../../storage/statements.ts';
import type { Transactions } from '../../storage/transaction.ts';
import { newestBackup } from '../backup/dated.ts';
import { type Family, type Sample, by, counter, gauge, ifReadable } from './exposition.ts';
import { processFamilies, type watchEventLoop } from './process.ts';
import type { Traffic } from './traffic.ts';
import type { WriteMeter } from './writes.ts';

interface CountingLimiter {
  readonly refusals: () => number;
  readonly size: () => number;
}

/** The parts of the service that the metrics describe. */
export interface Measured {
  readonly dataFolder: string;
  readonly transactions: Pick<Transactions, 'hasFailed'>;
  readonly writes: WriteMeter;
  /** The enabled rate limits. */
  readonly limits: readonly { readonly name: string; readonly limiter: CountingLimiter }[];
  /** JSON bodies in memory. */
  readonly bodyBytes: () => number;
  readonly passwordLoad: () => { readonly running: number; readonly waiting: number };
  /** Undefined without a maps provider. */
  readonly maps: (() => PlacesState) | undefined;
  /** Undefined if no backups are scheduled. */
  readonly backupFolder: string | undefined;
}

/** Returns the reader of all metrics, in the order of `/api/metrics`. It leaves out what cannot be read. */
export function createFamilies(
  sql: QueryFile,
  measured: Measured,
  traffic: Traffic,
  eventLoop: ReturnType<typeof watchEventLoop>,
): (work: Pick<Work, 'turn'>) => Promise<readonly Family[]> {
  const { dataFolder, transactions, writes, limits, bodyBytes, passwordLoad, maps, backupFolder } = measured;
  const sqlite = sql.prepare<string>('sqliteVersion').pluck();
  const countRecords = sql.prepare<Record<'restaurants' | 'pending' | 'photos', number>>('countRecords');
  const describeChanges = sql.prepare<{ changes: number }>('describeChanges');
  const sumTrash = sql.prepare<Record<'photos' | 'bytes', number>>('sumTrash');
  const database = databasePath(dataFolder);
  const labels = { version: readVersion(), node: process.versions.node, sqlite: sqlite.get() ?? '' };
  const build = gauge('catalogue_build_info', 'Always 1; the versions stand in the labels.', [
    { labels, value: 1 },
  ]);
  const byLimit = (read: (limiter: CountingLimiter) => number): readonly Sample[] =>
    by(
      'limit',
      limits.map(({ name, limiter }) => [name, read(limiter)]),
    );

  return async ({ turn }) => {
    const disk = await statfs(dataFolder).catch(() => undefined);
    await turn();
    const counts = ifReadable(() => countRecords.get());
    const log = ifReadable(() => describeChanges.get());
    const trash = ifReadable(() => sumTrash.get());
    const places = maps && ifReadable(maps);
    return [
      build,
      ...traffic.families(),
      counter(
        'catalogue_rate_limit_refusals_total',
        'Requests that a rate limit refused.',
        byLimit((limiter) => limiter.refusals()),
      ),
      gauge(
        'catalogue_rate_limit_clients',
        'Client addresses that a rate limit remembers.',
        byLimit((limiter) => limiter.size()),
      ),
      gauge(
        'catalogue_request_body_bytes',
        'Bytes of JSON bodies that arrive or are being handled.',
        bodyBytes(),
      ),
      gauge(
        'catalogue_password_hashes',
        'Passwords that are hashed now, or wait for it.',
        by('state', Object.entries(passwordLoad())),
      ),
      ...writes.families(),
      gauge(
        'catalogue_database_bytes',
        'Size of the database and its log.',
        by('part', [
          ['main', sizeOf(database)],
          ['wal', sizeOf(`${database}-wal`)],
        ]),
      ),
      gauge(
        'catalogue_storage_failed',
        'Whether writes are refused until a restart, since the storage failed.',
        Number(transactions.hasFailed()),
      ),
      gauge(
        'catalogue_disk_free_bytes',
        'Space for this service on the disk of the data folder.',
        disk && disk.bavail * disk.bsize,
      ),
      gauge(
        'catalogue_disk_size_bytes',
        'Size of the disk of the data folder.',
        disk && disk.blocks * disk.bsize,
      ),
      gauge('catalogue_restaurants', 'Restaurants in the catalogue.', counts?.restaurants),
      gauge('catalogue_suggestions_pending', 'Suggestions that no one has decided.', counts?.pending),
      gauge('catalogue_photos', 'Menu photos.', counts?.photos),
      gauge('catalogue_changes', 'Changes in the change log.', log?.changes),
      gauge('catalogue_trash_files', 'Files of deleted photos.', trash?.photos),
      gauge('catalogue_trash_bytes', 'Size of the files of deleted photos.', trash?.bytes),
      gauge(
        'catalogue_backup_last_success_timestamp_seconds',
        'When the last backup was done, in seconds since 1970; 0: never.',
        // 0 makes an alert on its age fire.
        backupFolder === undefined ? undefined : (newestBackup(backupFolder) ?? 0),
      ),
      counter(
        'catalogue_maps_calls_total',
        'Calls of the maps provider by how they ended.',
        places && by('outcome', places.outcomes),
      ),
      gauge(
        'catalogue_maps_calls_today',
        'Calls of the maps provider that count against the limit of this UTC day.',
        places?.budget?.calls,
      ),
      gauge(
        'catalogue_maps_calls_limit',
        'Calls of the maps provider that a UTC day may have.',
        places?.budget?.limit,
      ),
      gauge(
        'catalogue_maps_left_alone',
        'Whether calls to the maps provider are stopped after failures.',
        places && Number(places.circuitOpen),
      ),
      eventLoop.family(),
      ...processFamilies(),
    ];
  };
}

/** Bytes; 0 if the file does not exist. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
