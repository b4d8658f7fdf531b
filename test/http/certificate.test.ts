import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { TlsError, readCertificate, watchCertificate } from '../../src/http/certificate.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/service.ts';
import { type CertificatePair, makeCertificate } from '../support/tls.ts';
import { until } from '../support/until.ts';

/** A pair that lies in `folder`, and the line that refuses it. */
type Wrong = readonly [string, (pair: CertificatePair, folder: string) => void, RegExp];

const WRONG: readonly Wrong[] = [
  [
    'without its certificate',
    ({ certFile }) => {
      rmSync(certFile);
    },
    /^TLS_CERT_FILE \S+ cannot be read: there is no such file or folder$/,
  ],
  [
    'without its key',
    ({ keyFile }) => {
      rmSync(keyFile);
    },
    /^TLS_KEY_FILE \S+ cannot be read: there is no such file or folder$/,
  ],
  [
    'whose key is another’s',
    ({ keyFile }, folder) => {
      copyFileSync(makeCertificate(folder, 'other').keyFile, keyFile);
    },
    /^TLS_KEY_FILE \S+ does not belong to the first certificate of TLS_CERT_FILE \S+$/,
  ],
  [
    'whose key needs a passphrase',
    ({ keyFile }) => {
      execFileSync('openssl', [
        'pkey',
        '-in',
        keyFile,
        '-aes128',
        '-passout',
        'pass:x',
        '-out',
        `${keyFile}.2`,
      ]);
      copyFileSync(`${keyFile}.2`, keyFile);
    },
    /^TLS_KEY_FILE \S+ is encrypted: the service needs a key without a passphrase$/,
  ],
  [
    'whose files are mixed up',
    ({ certFile, keyFile }) => {
      copyFileSync(keyFile, certFile);
    },
    /^TLS_CERT_FILE \S+ holds no certificate in PEM$/,
  ],
  [
    'whose key is no key',
    ({ keyFile }) => {
      writeFileSync(keyFile, 'nonsense');
    },
    /^TLS_KEY_FILE \S+ holds no private key in PEM$/,
  ],
  [
    'whose key is damaged',
    ({ keyFile }) => {
      writeFileSync(keyFile, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
    },
    /^TLS_KEY_FILE \S+ holds a key that is damaged or incomplete$/,
  ],
  [
    'whose certificate is damaged',
    ({ certFile }) => {
      writeFileSync(certFile, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    },
    /^TLS_CERT_FILE \S+ holds a certificate that is damaged or incomplete$/,
  ],
];

describe('a certificate and its key', () => {
  test('are read with the names and the times that they are valid for', async (t) => {
    const { names, validFrom, validTo } = await readCertificate(
      makeCertificate(temporaryFolder(t), 'good', 90),
    );
    assert.equal(names, 'DNS:localhost, IP Address:127.0.0.1');
    assert.equal(validTo.getTime() - validFrom.getTime(), 90 * 86_400_000);
  });

  for (const [title, spoil, expected] of WRONG)
    test(`are refused ${title}`, async (t) => {
      const folder = temporaryFolder(t);
      const pair = makeCertificate(folder, 'spoilt');
      spoil(pair, folder);
      await assert.rejects(readCertificate(pair), (error) => {
        assert.ok(error instanceof TlsError);
        assert.match(error.message, expected);
        return true;
      });
    });
});

describe('the life of a certificate', () => {
  const DAY = 86_400_000;
  const cases: readonly [string, number, RegExp | undefined][] = [
    ['long before its end', 0, undefined],
    ['15 days before its end', 75 * DAY, undefined],
    ['within 14 days of its end', 77 * DAY, /^expires soon$/],
    ['after its end', 91 * DAY, /^has expired$/],
    ['before its beginning', -2 * DAY, /^is not valid yet$/],
  ];
  for (const [when, later, expected] of cases)
    test(`is ${expected ? 'warned of once a day' : 'no matter'} ${when}`, async (t) => {
      const pair = makeCertificate(temporaryFolder(t), 'mortal', 90);
      const warnings: string[] = [];
      let now = Date.now() + later;
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
      await until(() => looks > 8);
      assert.equal(warnings.length, expected ? 1 : 0);
      assert.match(warnings[0] ?? '', expected ?? /^$/);
      now += expected ? DAY : 0;
      await until(() => looks > 30);
      assert.ok(warnings.length === (expected ? 2 : 0));
    });
});
