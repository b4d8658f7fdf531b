import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig, readDataFolder } from '../config/config.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { isListed, normaliseAddress, parseAddressRanges } from '../http/address.ts';
import { type CertificateFiles, readCertificate } from '../http/certificate.ts';
import { escapeControls } from '../http/log.ts';
import { reasonOf } from '../kit/system-error.ts';
import { DAY_MS } from '../kit/time.ts';
import { readVersion } from '../kit/version.ts';
import { checkData } from '../operations/inspection/data.ts';
import {
  checkBackups,
  checkPrivate,
  checkSecretFile,
  secretWeakness,
} from '../operations/inspection/files.ts';
import { type Finding, fault, note, good, risk } from '../operations/inspection/findings.ts';
import { maxOpenFiles } from '../operations/metrics/process.ts';
import { counted } from '../kit/sentences.ts';
import { sqliteFault, sqliteVersion } from '../storage/database.ts';
import type { Command } from './command.ts';
import { announceDataFolder, misspeltSettings } from './settings.ts';
import { print } from './terminal.ts';

// Which versions of Node get security fixes, and until when.
const NODE_ENDS: Readonly<Record<string, string>> = { 22: '2027-04-30', 24: '2028-04-30', 26: '2029-04-30' };
const FEW_FILES = 1024;
const RENEWAL_DAYS = 14;

type AsyncFindings = AsyncGenerator<Finding, void, undefined>;

export const command: Command = {
  summary: 'look for problems and risks',
  help: [
    'Usage: catalogue doctor',
    '',
    'Looks at versions, settings, files and the database, and changes nothing, except that it writes a file to the backup',
    'folder and removes it again. Run it as the user of the service, on the machine of the service, which may be running. Each',
    'line begins with one of',
    '',
    '  ok     as it should be',
    '  note   good to know',
    '  risk   works, but is not safe',
    '  fault  the service cannot work like this',
    '',
    'Exit code 0 without a fault, otherwise 1.',
  ].join('\n'),
  run: async (args) => {
    parseArgs({ args, options: {} });
    let code = 0;
    for await (const { level, text } of examine(process.cwd(), new Date())) {
      print(escapeControls(`${level.padEnd(5)}  ${text}`));
      if (level === 'fault') code = 1;
    }
    return code;
  },
};

async function* examine(workingFolder: string, now: Date): AsyncFindings {
  const sqlite = sqliteVersion();
  const { node } = process.versions;
  yield good(`version ${readVersion()}, Node ${node}, SQLite ${sqlite}, ${process.platform} ${process.arch}`);
  yield* checkNode(node, now);
  const tooOld = sqliteFault(sqlite);
  if (tooOld !== undefined) yield fault(tooOld);
  if (process.getuid?.() === 0) yield risk('this command runs as root; run the service as a separate user');
  const files = maxOpenFiles();
  if (files !== undefined && files < FEW_FILES)
    yield risk(`only ${counted(files, 'file')} may be open at once; raise it to 1024 or more (ulimit -n)`);
  yield* checkPrivate(resolve(workingFolder, '.env'), 'the file of settings');
  yield* checkConfigured(workingFolder, now);
}

/** Warns of a version of Node that gets no security fixes any more. */
export function checkNode(version: string, now: Date): readonly Finding[] {
  const ends = NODE_ENDS[version.split('.')[0] ?? ''];
  const isAlive = ends !== undefined && now < new Date(ends);
  return isAlive ? [] : [risk(`Node ${version} gets no security fixes any more; use Node 26`)];
}

async function* checkConfigured(workingFolder: string, now: Date): AsyncFindings {
  let environment: Environment;
  try {
    environment = readEnvironment(workingFolder);
  } catch (error) {
    yield fault(`.env in ${workingFolder} cannot be read (${reasonOf(error)})`);
    return;
  }
  const folder = readDataFolder(environment);
  announceDataFolder(folder);
  const result = readConfig(environment);
  for (const text of result.ok ? result.warnings : result.faults) yield (result.ok ? risk : fault)(text);
  for (const text of misspeltSettings(environment, result.settings)) yield risk(text);
  if (!result.ok) {
    yield* checkData(folder, now, 'upgraded');
    return;
  }
  const { config, settings } = result;
  yield* checkSettings(config, settings, now);
  const { readOnly, migrate, backups: schedule } = config.operations;
  const older = migrate === 'auto' ? 'upgraded' : 'refused';
  yield* checkData(folder, now, readOnly ? 'refused by replica' : older);
  const backups = resolve(workingFolder, settings.get('BACKUP_DIR') ?? resolve(folder, 'backups'));
  const areScheduled = schedule !== undefined;
  const isChosen = areScheduled || settings.has('BACKUP_DIR');
  const matters = config.production && !readOnly;
  yield* checkBackups(backups, { dataFolder: folder, matters, areScheduled, isChosen }, now);
}

/** Reports risks in valid settings. */
export async function* checkSettings(
  config: Config,
  settings: ReadonlyMap<string, string>,
  now: Date,
): AsyncFindings {
  const { production, host, auth, operations, history } = config;
  const { tls } = operations;
  const exposed = isExposed(host);
  yield good(
    `${exposed ? 'other machines reach' : 'only this machine reaches'} the service (HOST is ${host})`,
  );
  if (exposed && auth.mode === 'none')
    yield risk('AUTH_MODE is none: anyone who reaches the service may write; set local, or HOST=127.0.0.1');
  if (exposed && !tls && config.trustedProxies.join() === 'loopback') {
    const text = 'nothing terminates TLS here, and no proxy is trusted but one on this machine';
    const why =
      'behind another proxy all clients share one rate limit, and without one passwords travel in the clear';
    const advice = 'set TRUSTED_PROXIES to the address of the proxy, or TLS_CERT_FILE and TLS_KEY_FILE';
    yield (production ? risk : note)(`${text}: ${why}; ${advice}`);
  }
  for (const origin of config.allowedOrigins.filter((one) => production && one.startsWith('http://')))
    yield risk(
      `ALLOWED_ORIGINS has ${origin}: an attacker who changes that page on its way acts as its users; use https`,
    );
  if (production && history.trashDays === 0)
    yield note('TRASH_DAYS is 0: deletions cannot be undone; set it to the days for which they should be');
  if (!config.rateLimit) {
    const text = 'rate limits are off: one client can take all of the service; set RATE_LIMIT_PER_MINUTE';
    yield (exposed ? risk : note)(text);
  }
  const secrets = { JWT_SECRET_KEY: auth.jwtSecret, METRICS_TOKEN: operations.metricsToken };
  for (const [name, secret] of Object.entries(secrets)) {
    const weakness = secret === undefined ? undefined : secretWeakness(secret);
    if (weakness !== undefined) yield risk(`${name} ${weakness}; make another one: openssl rand -hex 32`);
  }
  if (tls) yield* await checkCertificate(tls, now);
  // Files of secrets only: TLS_KEY_FILE is checked with the certificate.
  for (const [name, path] of settings)
    if (name.endsWith('_FILE') && settings.has(name.slice(0, -'_FILE'.length)) && path !== '')
      yield* checkSecretFile(path, name);
  if (config.logLevel === 'silent')
    yield note('LOG_LEVEL is silent: no one learns why something failed; set error at least');
}

/** True if other machines can reach the service without a proxy on this one. */
function isExposed(host: string): boolean {
  const address = normaliseAddress(host);
  const isLoopback = address !== undefined && isListed(parseAddressRanges(['loopback']), address);
  return host !== 'localhost' && !isLoopback;
}

/** Checks whether the certificate and key can be used, until when, and that others cannot read the key. */
export async function checkCertificate(files: CertificateFiles, now: Date): Promise<readonly Finding[]> {
  try {
    const { validFrom, validTo } = await readCertificate(files);
    return [
      checkDates(files.certFile, validFrom, validTo, now),
      ...checkSecretFile(files.keyFile, 'TLS_KEY_FILE'),
    ];
  } catch (error) {
    return [fault(reasonOf(error))];
  }
}

function checkDates(path: string, from: Date, until: Date, now: Date): Finding {
  const days = (until.getTime() - now.getTime()) / DAY_MS;
  if (from > now) return fault(`the certificate in ${path} is not valid before ${from.toISOString()}`);
  if (days < 0) return fault(`the certificate in ${path} has ended on ${until.toISOString()}; renew it`);
  const text = `the certificate in ${path} ends on ${until.toISOString()}`;
  return days < RENEWAL_DAYS ? risk(`${text}; renew it`) : good(text);
}
