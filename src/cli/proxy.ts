import { readFileSync } from 'node:fs';

/** A certificate and its key; absolute paths. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * What a proxy's configuration is made for. Everything goes into it as it stands: the caller has checked that no part
 * holds a character that means something there.
 */
export interface ProxyOptions {
  readonly domain: string;
  /** `host:port` of the service, an IPv6 address in brackets. */
  readonly upstream: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Undefined: the one that certbot gets for the domain, or that Caddy gets by itself. */
  readonly certificate: Certificate | undefined;
}

const FOLDER = new URL('../../static/proxy/', import.meta.url);

/** A file for `/etc/nginx/conf.d/` that stands at the edge as CONTRACT section 10 says. */
export function nginxConfig(options: ProxyOptions): string {
  const { domain, certificate } = options;
  const live = `/etc/letsencrypt/live/${domain}`;
  return fill('nginx.conf', {
    ...commonValues(options),
    CERT: certificate?.certFile ?? `${live}/fullchain.pem`,
    KEY: certificate?.keyFile ?? `${live}/privkey.pem`,
  });
}

/** A Caddyfile that does the same but for the limits, which are left to the service. */
export function caddyConfig(options: ProxyOptions): string {
  const { certificate } = options;
  const tls = certificate ? `\ttls ${certificate.certFile} ${certificate.keyFile}\n` : '';
  return fill('Caddyfile', { ...commonValues(options), TLS: tls });
}

function commonValues({ domain, upstream, httpPort, httpsPort }: ProxyOptions): Record<string, string> {
  return {
    DOMAIN: domain,
    UPSTREAM: upstream,
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    AUTHORITY: httpsPort === 443 ? domain : `${domain}:${httpsPort}`,
  };
}

/** The file with its `@NAME@` replaced. Throws when there is no value for one. */
function fill(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(new URL(file, FOLDER), 'utf8').replace(/@([A-Z_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for ${name} in ${file}`);
    return value;
  });
}
