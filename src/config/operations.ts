import { resolve } from 'node:path';
import type { ScheduleOptions } from '../operations/backup/schedule.ts';
import { type Variables, address, choice, flag, headerSecret, integer, isPlain, text } from './variables.ts';
import type { CertificateFiles } from '../http/certificate.ts';

const ADVISED_TOKEN_LENGTH = 16;
// Whoever has it has all data.
const LEAST_FOLLOW_TOKEN = 32;

/** For terminating TLS without a proxy. */
export interface TlsConfig extends CertificateFiles {
  /** Where HTTPS is spoken; plain HTTP on the other port only leads there. */
  readonly port: number;
}

/** Backups that the server makes by itself; the folder is an absolute path. */
type BackupConfig = Omit<ScheduleOptions, 'firstLookMs' | 'log'>;

/** What has to do with running the service: TLS, backups, metrics, replicas. */
export interface OperationsConfig {
  /** Undefined where TLS is terminated by a proxy, or not at all. */
  readonly tls: TlsConfig | undefined;
  /** Undefined without a schedule. */
  readonly backups: BackupConfig | undefined;
  /** Shown by scrapers on other machines; undefined when there is none. */
  readonly metricsToken: string | undefined;
  /** Whether a start upgrades an older database by itself, after a backup, or refuses it. */
  readonly migrate: 'auto' | 'manual';
  /** Whether this is a replica: the data is only read. */
  readonly readOnly: boolean;
  /** Where a replica sends those who want to write. */
  readonly primaryUrl: string | undefined;
  /** By which a replica follows its primary, and a primary knows its replicas; undefined where none follows. */
  readonly followToken: string | undefined;
}

/** Reads what has to do with operations; faults and warnings are left in `variables`. */
export function readOperationsConfig(variables: Variables, dataFolder: string): OperationsConfig {
  const readOnly = flag(variables, 'READ_ONLY');
  const primaryUrl = address(variables, 'PRIMARY_URL', '');
  const backups = readBackups(variables, dataFolder);
  if (readOnly && backups)
    variables.warnings.push('BACKUP_SCHEDULE has no effect when READ_ONLY is true: back up the primary');
  return {
    tls: readTls(variables),
    backups: readOnly ? undefined : backups,
    metricsToken: readMetricsToken(variables),
    migrate: choice(variables, 'MIGRATE', ['auto', 'manual'], 'auto'),
    readOnly,
    primaryUrl,
    followToken: readFollowToken(variables, readOnly, primaryUrl),
  };
}

function readTls(variables: Variables): TlsConfig | undefined {
  const certFile = text(variables, 'TLS_CERT_FILE', '');
  const keyFile = text(variables, 'TLS_KEY_FILE', '');
  const port = integer(variables, 'HTTPS_PORT', 0, 65_535, 8443);
  if (certFile === '' && keyFile === '') return undefined;
  if (certFile === '' || keyFile === '')
    variables.faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  return { certFile: resolve(certFile), keyFile: resolve(keyFile), port };
}

function readBackups(variables: Variables, dataFolder: string): BackupConfig | undefined {
  const given = text(variables, 'BACKUP_SCHEDULE', '');
  const folder = resolve(text(variables, 'BACKUP_DIR', resolve(dataFolder, 'backups')));
  const keep = integer(variables, 'BACKUP_KEEP', 1, 10_000, 7);
  if (given === '') return undefined;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
  if (hours === undefined || minutes === undefined) {
    variables.faults.push(`BACKUP_SCHEDULE must be a time of day such as 03:30, not "${given}"`);
    return undefined;
  }
  return { minuteOfDay: Number(hours) * 60 + Number(minutes), folder, keep };
}

function readFollowToken(
  variables: Variables,
  readOnly: boolean,
  primaryUrl: string | undefined,
): string | undefined {
  const token = headerSecret(variables, 'FOLLOW_TOKEN');
  if (token === undefined) return undefined;
  const { faults, warnings } = variables;
  if (token.length < LEAST_FOLLOW_TOKEN)
    faults.push(`FOLLOW_TOKEN must be at least ${LEAST_FOLLOW_TOKEN} characters, and random`);
  if (readOnly && primaryUrl === undefined)
    faults.push('FOLLOW_TOKEN with READ_ONLY needs PRIMARY_URL: the address of the primary to follow');
  if (readOnly && primaryUrl !== undefined && isPlain(primaryUrl))
    warnings.push('PRIMARY_URL is not https: FOLLOW_TOKEN and all data can be read on the way');
  return token;
}

function readMetricsToken(variables: Variables): string | undefined {
  const token = headerSecret(variables, 'METRICS_TOKEN');
  if (token !== undefined && token.length < ADVISED_TOKEN_LENGTH)
    variables.warnings.push(
      `METRICS_TOKEN should be at least ${ADVISED_TOKEN_LENGTH} characters, and random`,
    );
  return token;
}

/** How much of the past is stored. */
export interface HistoryConfig {
  /** Days in which a deletion can be undone; 0: nothing of it is stored. */
  readonly trashDays: number;
  /** Days for which changes are logged; no fewer than `trashDays`. */
  readonly changeLogDays: number;
  /** Whether people other than administrators see who made a change. */
  readonly showsAuthors: boolean;
}

/** Reads it; faults are left in `variables`. */
export function readHistoryConfig(variables: Variables): HistoryConfig {
  const trashDays = integer(variables, 'TRASH_DAYS', 0, 3_650, 30);
  const changeLogDays = integer(variables, 'CHANGE_LOG_DAYS', 1, 36_500, 365);
  if (changeLogDays < trashDays)
    variables.faults.push(
      `CHANGE_LOG_DAYS must not be less than TRASH_DAYS (${trashDays}): a deletion is undone by its change`,
    );
  const showsAuthors = choice(variables, 'AUTHORS', ['usernames', 'none'], 'usernames') === 'usernames';
  return { trashDays, changeLogDays, showsAuthors };
}
