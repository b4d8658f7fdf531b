import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.ts';
import { DOMAIN, type Edge, findProgram, prepareEdge, untilUp } from './edge.ts';
import { proxyFile } from './proxy-files.ts';

const PROGRAM = findProgram('nginx');

/** Why tests that need nginx cannot run here; false where they can. */
export const NO_NGINX = PROGRAM === undefined && 'needs the program nginx (apt-get install nginx-light)';

/** nginx in a folder of its own. */
export interface Nginx extends Edge {
  readonly folder: string;
  /** What `nginx -t` says. */
  readonly check: () => string;
}

/**
 * Starts nginx with its configuration in static/proxy, included as Debian's nginx.conf does, with other ports and files.
 * `upstreamPort` is on loopback. `more` goes into the http block.
 */
export async function startNginx(t: Cleanup, upstreamPort: number, more = ''): Promise<Nginx> {
  const { folder, ...edge } = await prepareEdge(t);
  const { httpPort, httpsPort, certificate } = edge;
  mkdirSync(join(folder, 'www'));
  const live = `/etc/letsencrypt/live/${DOMAIN}`;
  const config = proxyFile('nginx.conf', {
    '127.0.0.1:8080': `127.0.0.1:${upstreamPort}`,
    'listen 80': `listen ${httpPort}`,
    'listen 443': `listen ${httpsPort}`,
    '[::]:80': `[::]:${httpPort}`,
    '[::]:443': `[::]:${httpsPort}`,
    [`return 308 https://${DOMAIN}`]: `return 308 https://${DOMAIN}:${httpsPort}`,
    [`${live}/fullchain.pem`]: certificate.certFile,
    [`${live}/privkey.pem`]: certificate.keyFile,
    '/var/log/nginx/access.log': join(folder, 'access.log'),
    '/var/www/html': join(folder, 'www'),
  });
  writeFileSync(join(folder, 'catalogue.conf'), config);
  writeFileSync(join(folder, 'nginx.conf'), stockConfig(folder, more));
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = spawn(PROGRAM ?? '', args, { stdio: 'ignore' });
  const logs = (): string =>
    ['error.log', 'access.log']
      .map((name) => join(folder, name))
      .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
      .join('');
  const nginx = {
    ...edge,
    folder,
    logs,
    check: () => execFileSync('sh', ['-c', '"$0" "$@" 2>&1', PROGRAM ?? '', '-t', ...args]).toString(),
  };
  await untilUp(t, nginx, child, 'SIGTERM');
  return nginx;
}

/** What Debian's nginx.conf sets, in a folder that needs no rights. */
function stockConfig(folder: string, more: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  return [
    // Else the worker runs as a user who may not read the folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 1;',
    `pid ${join(folder, 'nginx.pid')};`,
    'events { worker_connections 768; }',
    'http {',
    ...temporary,
    'types { text/html html; image/jpeg jpg; application/json json; }',
    'default_type application/octet-stream;',
    'ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;',
    'ssl_prefer_server_ciphers on;',
    `access_log ${join(folder, 'access.log')};`,
    'gzip on;',
    more,
    `include ${join(folder, 'catalogue.conf')};`,
    '}',
    '',
  ].join('\n');
}
