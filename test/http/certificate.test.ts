import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { TlsError, readCertificate, watchCertificate } from '../../src/http/certificate.ts';
import { CERTIFICATE, ENDED_CERTIFICATE, KEY, OTHER_KEY } from '../support/certificates.ts';
import { atEnd } from '../support/cleanup.ts';
import { field } from '../support/client.ts';
import { rawGet } from '../support/malformed.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';
import {
  type CertificatePair,
  openOverTls,
  startSecureService,
  tlsVariables,
  writePair,
} from '../support/tls.ts';
import { until } from '../support/until.ts';

/** Files of these texts; one that is undefined is not there. */
function write(t: TestContext, certificate: string | undefined, key: string | undefined): CertificatePair {
  const folder = temporaryFolder(t);
  const pair = { certFile: join(folder, 'live.crt'), keyFile: join(folder, 'live.key') };
  if (certificate !== undefined) writeFileSync(pair.certFile, certificate);
  if (key !== undefined) writeFileSync(pair.keyFile, key);
  return pair;
}

const encrypted = createPrivateKey(KEY).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-128-cbc',
  passphrase: 'x',
});
const damaged = (what: string): string => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;

const WRONG: readonly [string, string | undefined, string | undefined, RegExp][] = [
  ['without its certificate', undefined, KEY, /^TLS_CERT_FILE \S+ cannot be read: there is no such file/],
  ['without its key', CERTIFICATE, undefined, /^TLS_KEY_FILE \S+ cannot be read: there is no such file/],
  [
    'whose key is another’s',
    CERTIFICATE,
    OTHER_KEY,
    /^TLS_KEY_FILE \S+ does not belong to the first certificate of TLS_CERT_FILE \S+$/,
  ],
  [
    'whose key needs a passphrase',
    CERTIFICATE,
    String(encrypted),
    /^TLS_KEY_FILE \S+ is encrypted: the service needs a key without a passphrase$/,
  ],
  ['whose files are mixed up', KEY, CERTIFICATE, /^TLS_CERT_FILE \S+ holds no certificate in PEM$/],
  ['whose key is no key', CERTIFICATE, 'nonsense', /^TLS_KEY_FILE \S+ holds no private key in PEM$/],
  [
    'whose key is damaged',
    CERTIFICATE,
    damaged('PRIVATE KEY'),
    /^TLS_KEY_FILE \S+ holds a key that is damaged or incomplete$/,
  ],
  [
    'whose certificate is damaged',
    damaged('CERTIFICATE'),
    KEY,
    /^TLS_CERT_FILE \S+ holds a certificate that is damaged or incomplete$/,
  ],
];

describe('a certificate and its key', () => {
  test('are read with the names and the times that they are valid for', async (t) => {
    const { names, validFrom, validTo } = await readCertificate(writePair(temporaryFolder(t), 'first'));
    assert.equal(names, 'DNS:localhost, DNS:food.example, IP Address:127.0.0.1');
    assert.equal(validFrom.toISOString(), '2020-01-01T00:00:00.000Z');
    assert.equal(validTo.toISOString(), '2119-12-08T00:00:00.000Z');
  });

  for (const [title, certificate, key, message] of WRONG)
    test(`are refused ${title}`, async (t) => {
      const refused = readCertificate(write(t, certificate, key));
      await assert.rejects(refused, (error) => error instanceof TlsError && message.test(error.message));
    });
});

interface Watched {
  /** The reasons of the warnings so far. */
  readonly warnings: readonly string[];
  /** Waits until the files were looked at several times more. */
  readonly look: () => Promise<void>;
  readonly wait: (days: number) => void;
}

/** Watches files on a clock that the test sets. */
async function watch(t: TestContext, pair: CertificatePair, date: string): Promise<Watched> {
  const warnings: string[] = [];
  let now = Date.parse(date);
  let looks = 0;
  const stop = watchCertificate({
    ...pair,
    certificate: await readCertificate(pair),
    use: () => undefined,
    logger: { info: () => undefined, warn: (_, fields) => warnings.push(String(fields?.['reason'])) },
    checkEveryMs: 5,
    now: () => {
      looks += 1;
      return now;
    },
  });
  atEnd(t, stop);
  const look = (): Promise<void> => {
    const enough = looks + 20;
    return until(() => looks > enough);
  };
  const wait = (days: number): void => {
    now += days * 86_400_000;
  };
  return { warnings, look, wait };
}

describe('the life of a certificate', () => {
  // It is valid in January 2020.
  const cases: readonly [string, string, string | undefined][] = [
    ['long before its end', '2020-01-02', undefined],
    ['14 days before its end', '2020-01-17', undefined],
    ['within 14 days of its end', '2020-01-18', 'expires soon'],
    ['after its end', '2020-02-01', 'has expired'],
    ['before its beginning', '2019-12-30', 'is not valid yet'],
  ];
  for (const [when, date, reason] of cases)
    longTest(`is ${reason === undefined ? 'no matter' : 'warned of once a day'} ${when}`, async (t) => {
      const { warnings, look, wait } = await watch(t, write(t, ENDED_CERTIFICATE, KEY), date);
      await look();
      assert.deepEqual(warnings, reason === undefined ? [] : [reason]);
      if (reason === undefined) return;
      wait(1);
      await look();
      assert.deepEqual(warnings, [reason, reason]);
    });
});

describe('a certificate that is taken away', () => {
  test('is warned of once, however often its files are looked at', async (t) => {
    const pair = write(t, CERTIFICATE, KEY);
    const { warnings, look } = await watch(t, pair, '2026-01-01');
    rmSync(pair.certFile);
    await until(() => warnings.length > 0);
    await look();
    assert.equal(warnings.length, 1);
  });
});

function replace(old: CertificatePair, by: CertificatePair): void {
  renameSync(by.keyFile, old.keyFile);
  renameSync(by.certFile, old.certFile);
}

const refusals = (logs: readonly unknown[]): unknown[] =>
  logs.filter((line) => String(field(line, 'message')).startsWith('the new certificate is not usable'));

describe('a certificate that is replaced', () => {
  longTest('is shown to new connections, while old ones and a download go on', async (t) => {
    const { port, ask, pair } = await startSecureService(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    atEnd(t, () => {
      agent.destroy();
    });
    const askEach = async (): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/health', { agent })));
      for (const { status, shownBy } of answers) assert.deepEqual([status, shownBy], [200, 'first']);
    };
    await askEach();
    const download = await openOverTls(port);
    const file = readFileSync(new URL('../../static/swagger.yaml', import.meta.url));
    // More than the buffers on the way hold, each from another client, whom no limit meets.
    const requests = Array.from({ length: 100 }, (_, index) => {
      const headers = `Host: x\r\nX-Forwarded-For: 198.51.100.${index}\r\n`;
      return rawGet('/api/swagger.yaml', index < 99 ? headers : `${headers}Connection: close\r\n`);
    });
    download.write(requests.join(''));
    replace(pair, writePair(temporaryFolder(t), 'second'));
    await until(async () => (await ask('/health')).shownBy === 'second');
    await askEach();
    let bytes = 0;
    for await (const chunk of download) if (Buffer.isBuffer(chunk)) bytes += chunk.length;
    assert.ok(bytes > 100 * file.length, `${bytes} bytes`);
  });

  test('is found behind links that are swapped, as tools swap them', async (t) => {
    const folder = temporaryFolder(t);
    const links = { certFile: join(folder, 'live.crt'), keyFile: join(folder, 'live.key') };
    const point = ({ certFile, keyFile }: CertificatePair): void => {
      for (const link of Object.values(links)) rmSync(link, { force: true });
      symlinkSync(certFile, links.certFile);
      symlinkSync(keyFile, links.keyFile);
    };
    point(writePair(folder, 'first'));
    const { logs } = await startService(t, tlsVariables(links));
    point(writePair(folder, 'second'));
    await until(() => logs.some((line) => field(line, 'message') === 'certificate reloaded'));
  });

  test('leaves the old one in use while it is half written or does not belong to its key, and is logged', async (t) => {
    const { ask, pair, logs } = await startSecureService(t);
    const next = writePair(temporaryFolder(t), 'second');
    copyFileSync(next.certFile, pair.certFile);
    await until(() => refusals(logs).length === 1);
    assert.match(String(field(refusals(logs)[0], 'reason')), /does not belong to the first certificate/);
    truncateSync(pair.keyFile, 100);
    await until(() => refusals(logs).length === 2);
    rmSync(pair.keyFile);
    await until(() => refusals(logs).length === 3);
    assert.equal((await ask('/health')).shownBy, 'first');
    copyFileSync(next.keyFile, pair.keyFile);
    await until(async () => (await ask('/health')).shownBy === 'second');
    assert.doesNotMatch(JSON.stringify(logs), /PRIVATE KEY/);
  });

  test('keeps old protocols out as the first one did', async (t) => {
    const { port, ask, pair } = await startSecureService(t);
    replace(pair, writePair(temporaryFolder(t), 'second'));
    await until(async () => (await ask('/health')).shownBy === 'second');
    for (const only of [
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
    ] as const)
      await assert.rejects(openOverTls(port, only));
  });
});
