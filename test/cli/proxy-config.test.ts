import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { command } from '../../src/cli/proxy-config.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';

const KINDS = ['nginx', 'caddy'];

describe('catalogue proxy-config', () => {
  test('prints a whole configuration without settings or a data folder', async (t) => {
    const cwd = temporaryFolder(t);
    for (const kind of KINDS) {
      const { code, out, err } = await runCommand(['proxy-config', kind, '--domain', 'Food.Example'], {
        cwd,
      });
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^# The restaurant catalogue behind \w+, for food\.example\.\n/);
      assert.match(out, /127\.0\.0\.1:8080/);
      assert.doesNotMatch(out, /@[A-Z_]+@/);
    }
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('expects the certificate where certbot puts it, or where an option says', async () => {
    const usual = await runCommand(['proxy-config', 'nginx', '--domain', 'food.example']);
    assert.match(usual.out, /ssl_certificate \/etc\/letsencrypt\/live\/food\.example\/fullchain\.pem;/);
    assert.match(usual.out, /ssl_certificate_key \/etc\/letsencrypt\/live\/food\.example\/privkey\.pem;/);
    const files = ['--cert', '/etc/ssl/food.pem', '--key', '/etc/ssl/food.key'];
    const own = await runCommand(['proxy-config', 'nginx', '--domain', 'food.example', ...files]);
    assert.match(
      own.out,
      /ssl_certificate \/etc\/ssl\/food\.pem;\n *ssl_certificate_key \/etc\/ssl\/food\.key;/,
    );
    const caddy = await runCommand(['proxy-config', 'caddy', '--domain', 'food.example', ...files]);
    assert.match(caddy.out, /^\ttls \/etc\/ssl\/food\.pem \/etc\/ssl\/food\.key$/m);
  });

  test('forwards to the service of a compose file, or to an IPv6 address', async () => {
    for (const [kind, upstream] of [
      ['nginx', 'catalogue:8080'],
      ['nginx', '[::1]:9000'],
      ['caddy', 'cat_1.internal:80'],
    ] as const) {
      const args = ['proxy-config', kind, '--domain', 'food.example', '--upstream', upstream];
      assert.ok((await runCommand(args)).out.includes(` ${upstream}`), upstream);
    }
  });

  test('leads to the port of the option', async () => {
    const ports = ['--http-port', '8081', '--https-port', '8444'];
    const { out } = await runCommand(['proxy-config', 'nginx', '--domain', 'food.example', ...ports]);
    assert.match(out, /listen 8081;[^]*308 https:\/\/food\.example:8444\$request_uri;[^]*listen 8444 ssl;/);
  });

  const domain = ['nginx', '--domain', 'food.example'];
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /^proxy-config takes nginx or caddy$/],
    [['apache', '--domain', 'food.example'], /^proxy-config takes nginx or caddy$/],
    [['nginx', 'caddy', '--domain', 'food.example'], /^proxy-config takes nginx or caddy$/],
    [['nginx'], /^proxy-config needs --domain$/],
    ...[
      '',
      '.',
      'a b',
      'a;b',
      'a{',
      '"a"',
      'a\nb',
      '*.food.example',
      'food.example.',
      '-a.example',
      'a..b',
      'ä.example',
    ]
      .concat(['127.0.0.1', '::1', '$host', 'a/b', 'a:80', '@', 'a#b', `${'a'.repeat(64)}.example`])
      .map(
        (name) =>
          [['nginx', `--domain=${name}`], /^--domain must be a host name such as food\.example, /] as const,
      ),
    ...[
      '',
      'catalogue',
      ':80',
      'a:0',
      'a:65536',
      'a:80;',
      'a b:80',
      '::1:80',
      '[a]:80',
      'http://a:80',
      '$a:80',
      'a:8 0',
    ].map((place) => [[...domain, `--upstream=${place}`], /^--upstream must be a host and port /] as const),
    [[...domain, '--cert', '/a'], /^--cert and --key must be given together$/],
    ...['', 'a.pem', '/a b', '/a;b', '/a"', "/a'", '/a$b', '/a{', '/a\\', '/a\n', '/a#'].map(
      (file) => [[...domain, `--cert=${file}`, '--key=/key'], /^--cert must be an absolute path /] as const,
    ),
    [[...domain, '--cert=/cert', '--key=/a;b'], /^--key must be an absolute path /],
    ...['', '0', '65536', '80;', '-1', '08'].map(
      (port) =>
        [[...domain, `--http-port=${port}`], /^--http-port must be a port from 1 to 65535, /] as const,
    ),
    [[...domain, '--https-port=x'], /^--https-port must be a port from 1 to 65535, /],
  ];
  for (const [args, message] of refused)
    test(`refuses ${JSON.stringify(args)}, since it goes into a configuration as it stands`, async () => {
      await assert.rejects(command.run([...args]), { name: 'UsageError', message });
    });
});
