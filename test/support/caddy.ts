import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';
import { record } from './client.ts';
import { DOMAIN, type Edge, findProgram, prepareEdge, untilUp } from './edge.ts';
import { proxyFile } from './proxy-files.ts';
import { temporaryFolder } from './service.ts';

const PROGRAM = findProgram('caddy');

/** Why tests that need Caddy cannot run here; false where they can. */
export const NO_CADDY = PROGRAM === undefined && 'needs the program caddy (apt-get install caddy)';

/** The output of Caddy for the configuration as it is shipped. Throws when Caddy refuses it. */
export function checkCaddyfile(t: Cleanup): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'Caddyfile'), proxyFile('Caddyfile'));
  const script = '"$0" validate --config Caddyfile --adapter caddyfile 2>&1 && "$0" fmt Caddyfile >formatted';
  const place = { cwd: folder, env: { HOME: folder, PATH: process.env['PATH'] } };
  return execFileSync('sh', ['-c', `${script} && cmp Caddyfile formatted`, PROGRAM ?? ''], place).toString();
}

/**
 * Starts Caddy with its configuration in static/proxy, with other ports and the test's certificate. Caddy's port for
 * administration is closed, since a machine has only one.
 */
export async function startCaddy(t: Cleanup, upstreamPort: number): Promise<Edge> {
  const { folder, ...edge } = await prepareEdge(t);
  const { httpPort, httpsPort, certificate } = edge;
  const config = proxyFile('Caddyfile', {
    '127.0.0.1:8080': `127.0.0.1:${upstreamPort}`,
    'http_port 80': `http_port ${httpPort}`,
    'https_port 443': `https_port ${httpsPort}`,
    [`https://${DOMAIN}`]: `https://${DOMAIN}:${httpsPort}`,
    '# tls /etc/ssl/food.pem /etc/ssl/food.key': `tls ${certificate.certFile} ${certificate.keyFile}`,
  });
  writeFileSync(join(folder, 'Caddyfile'), config);
  const place = { cwd: folder, env: { HOME: folder, PATH: process.env['PATH'] } };
  const adapt = ['adapt', '--config', 'Caddyfile', '--adapter', 'caddyfile'];
  const adapted: unknown = JSON.parse(
    execFileSync(PROGRAM ?? '', adapt, { ...place, stdio: 'pipe' }).toString(),
  );
  const json = { ...record(adapted), admin: { disabled: true, config: { persist: false } } };
  writeFileSync(join(folder, 'caddy.json'), JSON.stringify(json));
  const child = spawn(PROGRAM ?? '', ['run', '--config', 'caddy.json'], place);
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const caddy = { ...edge, logs: () => written };
  await untilUp(t, caddy, child, 'SIGKILL');
  return caddy;
}
