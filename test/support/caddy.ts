import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caddyConfig } from '../../src/cli/proxy-config.ts';
import type { Cleanup } from './cleanup.ts';
import { record } from './client.ts';
import { DOMAIN, type Edge, findProgram, prepareEdge, untilUp } from './edge.ts';
import { temporaryFolder } from './service.ts';

const PROGRAM = findProgram('caddy');

/** Why tests that need Caddy cannot run here; false where they can. */
export const NO_CADDY = PROGRAM === undefined && 'needs the program caddy (apt-get install caddy)';

/** The output of Caddy for a configuration that is printed with these options. Throws when it refuses it. */
export function checkCaddyfile(t: Cleanup, options: Parameters<typeof caddyConfig>[0]): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'Caddyfile'), caddyConfig(options));
  const script = '"$0" validate --config Caddyfile --adapter caddyfile 2>&1 && "$0" fmt Caddyfile >formatted';
  const place = { cwd: folder, env: { HOME: folder, PATH: process.env['PATH'] } };
  return execFileSync('sh', ['-c', `${script} && cmp Caddyfile formatted`, PROGRAM ?? ''], place).toString();
}

/**
 * Starts Caddy with the configuration that the command prints, with a certificate of the test's own. Only the port on
 * which Caddy is administered is closed, of which there is one on a machine.
 */
export async function startCaddy(t: Cleanup, upstreamPort: number): Promise<Edge> {
  const { folder, ...edge } = await prepareEdge(t);
  const { httpPort, httpsPort, certificate } = edge;
  const upstream = `127.0.0.1:${upstreamPort}`;
  const config = caddyConfig({ domain: DOMAIN, upstream, httpPort, httpsPort, certificate });
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
