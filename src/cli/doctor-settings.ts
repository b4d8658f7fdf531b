import { isListed, normaliseAddress, parseAddressRanges } from '../http/address.ts';
import type { Config } from '../config/config.ts';
import { type CertificateFiles, readCertificate } from '../http/certificate.ts';
import { checkDates, checkSecretFile, secretWeakness } from '../operations/inspection/files.ts';
import { type Finding, fault, note, ok, risk } from '../operations/inspection/findings.ts';
import { reasonOf } from '../kit/system-error.ts';

/** The risks in settings that load, and notes on them. */
export async function* checkSettings(
  config: Config,
  settings: ReadonlyMap<string, string>,
  now: Date,
): AsyncGenerator<Finding, void, undefined> {
  const { tls } = config.operations;
  yield* checkReach(config);
  yield* checkProduction(config);
  if (!config.rateLimit) {
    const text = 'rate limits are off: one client can take all of the service; set RATE_LIMIT_PER_MINUTE';
    yield isExposed(config) ? risk(text) : note(text);
  }
  yield* checkSecrets(config);
  if (tls) yield* await checkCertificate(tls, now);
  // Only the files of secrets: `TLS_KEY_FILE` and its like are checked where they are used.
  for (const [name, path] of settings)
    if (name.endsWith('_FILE') && settings.has(name.slice(0, -'_FILE'.length)) && path !== '')
      yield* checkSecretFile(path, name);
  if (config.logLevel === 'silent')
    yield note('LOG_LEVEL is silent: no one learns why something failed; set error at least');
}

/** Whether other machines reach the service without a proxy on this one. */
function isExposed({ host }: Config): boolean {
  const address = normaliseAddress(host);
  const isLoopback = address !== undefined && isListed(parseAddressRanges(['loopback']), address);
  return host !== 'localhost' && !isLoopback;
}

function* checkReach(config: Config): Generator<Finding, void, undefined> {
  const { production, host, auth, operations, trustedProxies } = config;
  if (!isExposed(config)) {
    yield ok(`only this machine reaches the service (HOST is ${host})`);
    return;
  }
  yield ok(`other machines reach the service (HOST is ${host})`);
  if (auth.mode === 'none')
    yield risk('AUTH_MODE is none: anyone who reaches the service may write; set local, or HOST=127.0.0.1');
  if (operations.tls || trustedProxies.join() !== 'loopback') return;
  const text = 'nothing terminates TLS here, and no proxy is trusted but one on this machine';
  const why =
    'behind another proxy all clients share one rate limit, and without one passwords travel in the clear';
  const advice = 'set TRUSTED_PROXIES to the address of the proxy, or TLS_CERT_FILE and TLS_KEY_FILE';
  yield (production ? risk : note)(`${text}: ${why}; ${advice}`);
}

function* checkProduction(config: Config): Generator<Finding, void, undefined> {
  const { production, allowedOrigins, history } = config;
  if (!production) return;
  for (const origin of allowedOrigins.filter((one) => one.startsWith('http://')))
    yield risk(
      `ALLOWED_ORIGINS has ${origin}: an attacker who changes that page on its way acts as its users; use https`,
    );
  if (history.trashDays === 0)
    yield note('TRASH_DAYS is 0: deletions cannot be undone; set it to the days for which they should be');
}

function* checkSecrets({ auth, operations }: Config): Generator<Finding, void, undefined> {
  const secrets = {
    JWT_SECRET_KEY: auth.jwtSecret,
    METRICS_TOKEN: operations.metricsToken,
  };
  for (const [name, secret] of Object.entries(secrets)) {
    const weakness = secret === undefined ? undefined : secretWeakness(secret);
    if (weakness !== undefined) yield risk(`${name} ${weakness}; make another one: openssl rand -hex 32`);
  }
}

/** Whether certificate and key can be used, how long, and whether others can read the key. */
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
