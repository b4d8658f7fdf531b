import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEnd } from '../support/cleanup.ts';
import { field } from '../support/client.ts';
import { rawGet } from '../support/malformed.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import {
  type CertificatePair,
  openOverTls,
  startSecureService,
  tlsVariables,
  writePair,
} from '../support/tls.ts';
import { until } from '../support/until.ts';

function replace(old: CertificatePair, by: CertificatePair): void {
  renameSync(by.keyFile, old.keyFile);
  renameSync(by.certFile, old.certFile);
}

const refusals = (logs: readonly unknown[]): unknown[] =>
  logs.filter((line) => String(field(line, 'message')).startsWith('the new certificate is not usable'));

describe('a certificate that is replaced', () => {
  test('is shown to new connections, while old ones and a download go on', async (t) => {
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
