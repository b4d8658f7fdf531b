import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { checkCertificate } from '../../../src/cli/doctor.ts';
import { secretWeakness } from '../../../src/operations/inspection/files.ts';
import { sizeText } from '../../../src/operations/inspection/findings.ts';
import { CERTIFICATE, ENDED_CERTIFICATE, KEY, OTHER_KEY } from '../../support/certificates.ts';
import { temporaryFolder } from '../../support/service.ts';

async function check(
  t: TestContext,
  certificate: string,
  key: string,
  date = '2026-06-01',
  mode = 0o600,
): Promise<string[]> {
  const folder = temporaryFolder(t);
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, certificate);
  writeFileSync(keyFile, key);
  chmodSync(keyFile, mode);
  const findings = await checkCertificate({ certFile, keyFile }, new Date(date));
  return findings.map(({ level, text }) => `${level}: ${text.replaceAll(`${folder}/`, '')}`);
}

describe('the check of certificates', () => {
  test('accepts one that is valid for long, with its key', async (t) => {
    const ends = 'ok: the certificate in cert.pem ends on 2119-12-08T00:00:00.000Z';
    assert.deepEqual(await check(t, CERTIFICATE, KEY), [ends]);
  });

  const wrong: readonly [
    string,
    Parameters<typeof check> extends [unknown, ...infer Rest] ? Rest : never,
    RegExp,
  ][] = [
    ['that has ended', [ENDED_CERTIFICATE, KEY], /^fault: .* has ended on \d{4}-01-31T.*; renew it$/],
    [
      'that ends in two weeks',
      [ENDED_CERTIFICATE, KEY, '2020-01-20'],
      /^risk: .* ends on \d{4}-01-31T.*; renew it$/,
    ],
    [
      'that is not valid yet',
      [CERTIFICATE, KEY, '2019-12-31'],
      /^fault: .* is not valid before \d{4}-01-01T/,
    ],
    [
      'of another key',
      [CERTIFICATE, OTHER_KEY],
      /^fault: TLS_KEY_FILE key.pem does not belong to the first certificate/,
    ],
    ['that is none', ['no certificate', KEY], /^fault: TLS_CERT_FILE cert.pem holds no certificate in PEM$/],
    [
      'whose key is none',
      [CERTIFICATE, 'no key'],
      /^fault: TLS_KEY_FILE key.pem holds no private key in PEM$/,
    ],
    [
      'whose key others can read',
      [CERTIFICATE, KEY, '2026-06-01', 0o644],
      /^risk: TLS_KEY_FILE key.pem is open to /,
    ],
  ];
  for (const [title, given, expected] of wrong)
    test(`finds one ${title}`, async (t) => {
      assert.match((await check(t, ...given)).at(-1) ?? '', expected);
    });

  test('finds files that are not there', async () => {
    const files = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    const [finding] = await checkCertificate(files, new Date());
    assert.match(
      finding?.text ?? '',
      /^TLS_CERT_FILE \/nowhere\/cert\.pem cannot be read: there is no such file or folder$/,
    );
  });
});

describe('a secret', () => {
  for (const secret of [
    'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611185',
    'xK7vQ2mZ9pL4wR8tY1uB5nC3',
    'cornflower-gravel-obelisk-tundra-vellum-miso',
  ])
    test(`that was drawn is taken: ${secret}`, () => {
      assert.equal(secretWeakness(secret), undefined);
    });

  const weak: readonly [string, string][] = [
    ['x'.repeat(64), 'repeats itself'],
    ['k7Qz'.repeat(12), 'repeats itself'],
    ['my-very-own-signing-SECRET-of-the-shop', 'holds a word or a sequence that is tried first'],
    ['please-ChangeMe-before-you-go-live-here', 'holds a word or a sequence that is tried first'],
    ['1234567890987654321123456789', 'holds a word or a sequence that is tried first'],
    ['aabbaababbabaabbbabaabababbabbab', 'has too few different characters'],
    ['zq8#', 'has too few different characters'],
    ['$(openssl rand -hex 32)', 'is a command that was not run'],
  ];
  for (const [secret, reason] of weak)
    test(`that could be guessed is found: ${secret}`, () => {
      assert.equal(secretWeakness(secret), reason);
    });
});

describe('a size', () => {
  test('is shown in the unit that suits it', () => {
    const sizes = [0, 999, 1_000, 123_456_789, 5e12, 7e15].map(sizeText);
    assert.deepEqual(sizes, ['0 bytes', '999 bytes', '1.0 kB', '123.5 MB', '5.0 TB', '7000.0 TB']);
  });
});
