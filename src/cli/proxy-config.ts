import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { parseArgs } from 'node:util';
import type { CertificateFiles } from '../http/certificate.ts';
import { type Command, TEXT, UsageError } from './command.ts';
import { print } from './terminal.ts';

const FOLDER = new URL('../../static/proxy/', import.meta.url);
// An accepted value goes into a configuration as it stands, where a blank, quote, brace or semicolon would mean something.
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*${LABEL}$`);
const UPSTREAM = /^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;
const FILE = /^\/[A-Za-z0-9._/+,=:~-]+$/;

export const command: Command = {
  summary: 'print a configuration of nginx or Caddy',
  help: [
    'Usage: catalogue proxy-config nginx | caddy --domain NAME [--upstream HOST:PORT] [--cert FILE --key FILE]',
    '                              [--http-port PORT] [--https-port PORT]',
    '',
    'Prints a complete configuration of a proxy in front of the service: TLS, limits, headers and errors. How to put it in',
    'place is said at its beginning.',
    '',
    '  --domain NAME        the public name of the service',
    '  --upstream HOST:PORT where the service listens; 127.0.0.1:8080 by default, IPv6 in brackets',
    '  --cert FILE          certificate with its chain, in PEM; by default what certbot gets, or Caddy by itself',
    '  --key FILE           its key',
    '  --http-port PORT     80 by default',
    '  --https-port PORT    443 by default',
  ].join('\n'),
  run: (args) =>
    new Promise<void>((resolve) => {
      print(configure(args).trimEnd());
      resolve();
    }),
};

function configure(args: string[]): string {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      domain: TEXT,
      upstream: { ...TEXT, default: '127.0.0.1:8080' },
      cert: TEXT,
      key: TEXT,
      'http-port': { ...TEXT, default: '80' },
      'https-port': { ...TEXT, default: '443' },
    },
  });
  const [kind = '', ...more] = positionals;
  if (!['nginx', 'caddy'].includes(kind) || more.length > 0)
    throw new UsageError('proxy-config takes nginx or caddy');
  const { domain, upstream, cert, key } = values;
  if (domain === undefined) throw new UsageError('proxy-config needs --domain');
  demand('--domain', domain, isDomain(domain.toLowerCase()), 'a host name such as food.example');
  demand('--upstream', upstream, isUpstream(upstream), 'a host and port such as 127.0.0.1:8080');
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--cert and --key must be given together');
  for (const [name, file] of Object.entries({ cert, key }))
    if (file !== undefined)
      demand(`--${name}`, file, FILE.test(file), 'an absolute path of letters, digits and ._/+,=:~-');
  for (const name of ['http-port', 'https-port'] as const)
    demand(`--${name}`, values[name], isPort(values[name]), 'a port from 1 to 65535');
  const options: ProxyOptions = {
    domain: domain.toLowerCase(),
    upstream,
    certificate: cert === undefined || key === undefined ? undefined : { certFile: cert, keyFile: key },
    httpPort: Number(values['http-port']),
    httpsPort: Number(values['https-port']),
  };
  return kind === 'nginx' ? nginxConfig(options) : caddyConfig(options);
}

function demand(option: string, given: string, isValid: boolean, expected: string): void {
  if (!isValid) throw new UsageError(`${option} must be ${expected}, not ${JSON.stringify(given)}`);
}

/** A last label of digits makes it an address, for which no certificate of this kind is issued. */
function isDomain(text: string): boolean {
  return DOMAIN.test(text) && !/(?:^|\.)\d+$/.test(text);
}

function isUpstream(text: string): boolean {
  const [, host = '', port = ''] = UPSTREAM.exec(text) ?? [];
  return isPort(port) && (host.startsWith('[') ? isIPv6(host.slice(1, -1)) : host !== '');
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/**
 * The values of a proxy's configuration. They go into it as they stand: the caller has checked that no part holds a
 * character that means something there.
 */
export interface ProxyOptions {
  readonly domain: string;
  /** `host:port` of the service, an IPv6 address in brackets. */
  readonly upstream: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Absolute paths. Undefined: the one that certbot gets for the domain, or that Caddy gets by itself. */
  readonly certificate: CertificateFiles | undefined;
}

/** A file for `/etc/nginx/conf.d/` with TLS, limits, headers and errors. */
export function nginxConfig(options: ProxyOptions): string {
  const { domain, certificate } = options;
  const live = `/etc/letsencrypt/live/${domain}`;
  return fill('nginx.conf', options, {
    CERT: certificate?.certFile ?? `${live}/fullchain.pem`,
    KEY: certificate?.keyFile ?? `${live}/privkey.pem`,
  });
}

/** A Caddyfile that does the same but for the limits, which are left to the service. */
export function caddyConfig(options: ProxyOptions): string {
  const { certificate } = options;
  const tls = certificate ? `\ttls ${certificate.certFile} ${certificate.keyFile}\n` : '';
  return fill('Caddyfile', options, { TLS: tls });
}

/** The file with its `@NAME@` replaced, by one of `own` or what both files have. Throws when there is no value for one. */
function fill(file: string, options: ProxyOptions, own: Readonly<Record<string, string>>): string {
  const { domain, upstream, httpPort, httpsPort } = options;
  const values: Readonly<Record<string, string | number>> = {
    ...{ DOMAIN: domain, UPSTREAM: upstream, HTTP_PORT: httpPort, HTTPS_PORT: httpsPort },
    AUTHORITY: httpsPort === 443 ? domain : `${domain}:${httpsPort}`,
    ...own,
  };
  return readFileSync(new URL(file, FOLDER), 'utf8').replace(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for ${name} in ${file}`);
    return String(value);
  });
}
