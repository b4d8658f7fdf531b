import { parseAddressRanges, isListed, normaliseAddress } from '../http/address.ts';
import type { Config } from '../config.ts';
import { type CertificateFiles, readCertificate } from '../http/certificate.ts';
import { checkDates, checkSecretFile } from '../inspection/files.ts';
import { secretWeakness } from '../inspection/files.ts';
import { reasonOf } from '../system-error.ts';
import { type Finding, fault, note, ok, risk } from '../inspection/findings.ts';

/** What is unsafe in settings that load, and what is good to know of them. */
export async function checkSettings(
  config: Config,
  settings: ReadonlyMap<string, string>,
  now: Date,
): Promise<readonly Finding[]> {
  const { tls } = config.operations;
  return [
    ...checkReach(config),
    ...checkOrigins(config),
    ...checkAccounts(config),
    ...checkTrash(config),
    ...checkLimits(config),
    ...checkSecrets(config),
    ...(tls ? await checkCertificate(tls, now) : []),
    ...[...settings].flatMap(([name, path]) => checkFileOf(settings, name, path)),
    ...(config.logLevel === 'silent'
      ? [note('LOG_LEVEL is silent: nobody learns why something failed; set error at least')]
      : []),
  ];
}

/** Whether other machines reach the service without a proxy on this one. */
function isExposed({ host }: Config): boolean {
  const address = normaliseAddress(host);
  return (
    host !== 'localhost' && (address === undefined || !isListed(parseAddressRanges(['loopback']), address))
  );
}

function checkReach(config: Config): readonly Finding[] {
  const { production, host, auth, operations, trustedProxies } = config;
  if (!isExposed(config)) return [ok(`only this machine reaches the service (HOST is ${host})`)];
  const findings = [ok(`other machines reach the service (HOST is ${host})`)];
  if (auth.mode === 'none')
    findings.push(
      risk('AUTH_MODE is none: everybody who reaches the service may write; set local, or HOST=127.0.0.1'),
    );
  if (operations.tls || trustedProxies.join() !== 'loopback') return findings;
  const text = 'nothing ends TLS here, and no proxy is trusted but one on this machine';
  const why =
    'behind another proxy all clients share one rate limit, and without one passwords travel in the clear';
  const advice = 'set TRUSTED_PROXIES to the address of the proxy, or TLS_CERT_FILE and TLS_KEY_FILE';
  findings.push((production ? risk : note)(`${text}: ${why}; ${advice}`));
  return findings;
}

function checkOrigins({ production, allowedOrigins }: Config): readonly Finding[] {
  const plain = production ? allowedOrigins.filter((origin) => origin.startsWith('http://')) : [];
  return plain.map((origin) =>
    risk(
      `ALLOWED_ORIGINS has ${origin}: whoever can change that page on its way acts as its users; use https`,
    ),
  );
}

function checkAccounts({ production, auth }: Config): readonly Finding[] {
  if (!production || !auth.registrationIsOpen || auth.adminsOnly) return [];
  const advice = 'set REGISTRATION=closed or WRITE_ACCESS=admins if that is not meant';
  return [note(`anybody may make an account and write the catalogue; ${advice}`)];
}

function checkTrash({ production, history }: Config): readonly Finding[] {
  if (!production || history.trashDays > 0) return [];
  return [note('TRASH_DAYS is 0: deletions cannot be undone; set it to the days for which they should be')];
}

function checkLimits(config: Config): readonly Finding[] {
  if (config.rateLimit) return [];
  const text = 'rate limits are off: one client can take all of the service; set RATE_LIMIT_PER_MINUTE';
  return [isExposed(config) ? risk(text) : note(text)];
}

function checkSecrets({ auth, operations }: Config): readonly Finding[] {
  const secrets = [
    ['JWT_SECRET_KEY', auth.jwtSecret],
    ['METRICS_TOKEN', operations.metricsToken],
  ] as const;
  return secrets.flatMap(([name, secret]) => {
    const weakness = secret === undefined ? undefined : secretWeakness(secret);
    if (weakness === undefined) return [];
    return [risk(`${name} ${weakness}; make another one: openssl rand -hex 32`)];
  });
}

/** Only the files of secrets: `TLS_KEY_FILE` and its like are looked at where they are used. */
function checkFileOf(settings: ReadonlyMap<string, string>, name: string, path: string): readonly Finding[] {
  const isOfSecret = name.endsWith('_FILE') && settings.has(name.slice(0, -'_FILE'.length));
  return isOfSecret && path !== '' ? checkSecretFile(path, name) : [];
}

/** Tells whether certificate and key can be used, how long, and whether others can read the key. */
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
