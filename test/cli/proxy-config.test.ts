import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { command } from '../../src/cli/proxy-config.ts';
import { runCommand } from '../support/cli.ts';
import { temporaryFolder } from '../support/service.ts';
import { longTest } from '../support/size.ts';

const DOMAIN = ['--domain', 'food.example'];

/** The configuration of a proxy for food.example. */
async function printed(kind: string, ...options: readonly string[]): Promise<string> {
  return (await runCommand(['proxy-config', kind, ...DOMAIN, ...options])).out;
}

describe('catalogue proxy-config', () => {
  longTest('prints a whole configuration without settings or a data folder', async (t) => {
    const cwd = temporaryFolder(t);
    for (const kind of ['nginx', 'caddy']) {
      const args = ['proxy-config', kind, '--domain', 'Food.Example'];
      const { code, out, err } = await runCommand(args, { cwd });
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^# The restaurant catalogue behind \w+, for food\.example\.\n/);
      assert.match(out, /127\.0\.0\.1:8080/);
      assert.doesNotMatch(out, /@[A-Z_]+@/);
    }
    assert.deepEqual(readdirSync(cwd), []);
  });

  longTest('expects the certificate where certbot puts it, or where an option says', async () => {
    const usual = await printed('nginx');
    assert.match(usual, /ssl_certificate \/etc\/letsencrypt\/live\/food\.example\/fullchain\.pem;/);
    assert.match(usual, /ssl_certificate_key \/etc\/letsencrypt\/live\/food\.example\/privkey\.pem;/);
    const files = ['--cert', '/etc/ssl/food.pem', '--key', '/etc/ssl/food.key'];
    assert.match(
      await printed('nginx', ...files),
      /ssl_certificate \/etc\/ssl\/food\.pem;\n *ssl_certificate_key \/etc\/ssl\/food\.key;/,
    );
    assert.match(await printed('caddy', ...files), /^\ttls \/etc\/ssl\/food\.pem \/etc\/ssl\/food\.key$/m);
  });

  longTest('forwards to the service of a compose file, or to an IPv6 address', async () => {
    for (const [kind, upstream] of [
      ['nginx', 'catalogue:8080'],
      ['nginx', '[::1]:9000'],
      ['caddy', 'cat_1.internal:80'],
    ] as const)
      assert.ok((await printed(kind, '--upstream', upstream)).includes(` ${upstream}`), upstream);
  });

  longTest('leads to the port of the option', async () => {
    const ports = ['--http-port', '8081', '--https-port', '8444'];
    const out = await printed('nginx', ...ports);
    assert.match(out, /listen 8081;[^]*308 https:\/\/food\.example:8444\$request_uri;[^]*listen 8444 ssl;/);
  });

  const usage: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /^proxy-config takes nginx or caddy$/],
    [['apache', ...DOMAIN], /^proxy-config takes nginx or caddy$/],
    [['nginx', 'caddy', ...DOMAIN], /^proxy-config takes nginx or caddy$/],
    [['nginx'], /^proxy-config needs --domain$/],
    [['nginx', ...DOMAIN, '--cert', '/a'], /^--cert and --key must be given together$/],
  ];
  for (const [args, message] of usage)
    test(`refuses ${JSON.stringify(args)}`, async () => {
      await assert.rejects(command.run([...args]), { name: 'UsageError', message });
    });

  const values: readonly (readonly [option: string, values: readonly string[], RegExp])[] = [
    [
      '--domain',
      [
        ...['', '.', 'a b', 'a;b', 'a{', '"a"', 'a\nb', '*.food.example', 'food.example.', '-a.example'],
        ...['a..b', 'ä.example', '127.0.0.1', '::1', '$host', 'a/b', 'a:80', '@', 'a#b'],
        `${'a'.repeat(64)}.example`,
      ],
      /^--domain must be a host name such as food\.example, /,
    ],
    [
      '--upstream',
      [
        ...['', 'catalogue', ':80', 'a:0', 'a:65536', 'a:80;', 'a b:80', '::1:80', '[a]:80'],
        ...['http://a:80', '$a:80', 'a:8 0'],
      ],
      /^--upstream must be a host and port /,
    ],
    [
      '--cert',
      ['', 'a.pem', '/a b', '/a;b', '/a"', "/a'", '/a$b', '/a{', '/a\\', '/a\n', '/a#'],
      /^--cert must be an absolute path /,
    ],
    ['--key', ['/a;b'], /^--key must be an absolute path /],
    ['--http-port', ['', '0', '65536', '80;', '-1', '08'], /^--http-port must be a port from 1 to 65535, /],
    ['--https-port', ['x'], /^--https-port must be a port from 1 to 65535, /],
  ];
  for (const [option, wrong, message] of values)
    for (const value of wrong)
      test(`refuses ${option} ${JSON.stringify(value)}, since it goes into a configuration as it stands`, async () => {
        const args = ['nginx', ...DOMAIN, '--cert=/cert', '--key=/key', `${option}=${value}`];
        await assert.rejects(command.run(args), { name: 'UsageError', message });
      });
});
