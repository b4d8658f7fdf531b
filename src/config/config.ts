import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { reasonOf } from '../kit/system-error.ts';
import type { Environment } from './environment.ts';
import { SettingsReader, isPlain, isWeb } from './reader.ts';

/** The settings of the service: every variable read, checked and defaulted. */
export type Config = Readonly<ReturnType<typeof readAll>>;

/** `settings` holds the effective value of every variable for printing, secrets masked. */
export type ConfigResult = { readonly settings: ReadonlyMap<string, string> } & (
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] }
);

/** Checks all variables, and returns the configuration or every fault, one line each. */
export function readConfig(environment: Environment): ConfigResult {
  const read = new SettingsReader(environment);
  const config = readAll(read);
  const { faults, settings, warnings } = read;
  return faults.length > 0 ? { ok: false, faults, settings } : { ok: true, config, settings, warnings };
}

/** The absolute path of the data folder, for commands that need no other setting. */
export function readDataFolder(environment: Environment): string {
  return dataFolderOf(new SettingsReader(environment));
}

function dataFolderOf(read: SettingsReader): string {
  return resolve(read.text('DATA_DIR', './data'));
}

/** The table of all variables, in the order in which they are printed. */
function readAll(read: SettingsReader) {
  const production =
    read.choice('NODE_ENV', ['development', 'production', 'test'], 'development') === 'production';
  const allowedOrigins = read.list(
    'ALLOWED_ORIGINS',
    production ? '' : 'http://localhost:3000,http://localhost:5173',
    'origins such as https://example.com',
    isOrigin,
  );
  const auth = readAuth(read, production, allowedOrigins[0]);
  const rateLimit = readRate(read, 'RATE_LIMIT', 100, 20);
  const filesRateLimit = readRate(read, 'FILES_RATE_LIMIT', 1_200, 300);
  const dataFolder = dataFolderOf(read);
  const operations = readOperations(read, dataFolder);
  const config = {
    production,
    // A service without accounts is for this machine only, unless it is configured otherwise.
    host: read.text('HOST', auth.mode === 'none' ? '127.0.0.1' : '::'),
    port: read.integer('PORT', 0, 65_535, 8080),
    /** Absolute path. */
    dataFolder,
    logLevel: read.choice('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: read.choice('LOG_FORMAT', ['auto', 'json', 'pretty'], 'auto'),
    allowedOrigins,
    /** Names other than `host` that requests to a service without accounts may use. */
    allowedHosts: read.list('ALLOWED_HOSTS', '', 'host names such as food.example', (entry) =>
      /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/i.test(entry),
    ),
    /** Addresses, CIDR ranges, `loopback` or `private`. */
    trustedProxies: read
      .list('TRUSTED_PROXIES', 'loopback', 'loopback, private, none, addresses or CIDR ranges', isProxyEntry)
      .filter((entry) => entry !== 'none'),
    /** Undefined when disabled. */
    rateLimit,
    /** For files; also undefined when `rateLimit` is. */
    filesRateLimit: rateLimit && filesRateLimit,
    // A service that terminates TLS has no proxy in front to enforce these limits.
    edgeLimits: read.flag('EDGE_LIMITS') || operations.tls !== undefined,
    maxConnectionsPerAddress: read.integer('MAX_CONNECTIONS_PER_ADDRESS', 1, 100_000, 64),
    /** Bytes of JSON bodies that may be in memory at once. */
    bodyMemory: read.integer('BODY_MEMORY_MB', 1, 10_000, 40) * 1024 * 1024,
    /** Megabytes that a user may add in a day; 0 for no limit. */
    userMegabytes: read.integer('USER_MB_PER_DAY', 0, 1_000_000, 500),
    auth,
    /** True if links to maps may be followed. */
    mapLinks: read.flag('MAP_LINKS', 'true'),
    maps: readMaps(read),
    pages: {
      name: read.line('CATALOGUE_NAME', 'Catalogue', 60),
      /** Stands for the price level of a place, once to four times. */
      currencySign: read.line('CURRENCY_SIGN', '€', 5),
      tiles: readTiles(read),
    },
    operations,
    history: readHistory(read),
  };
  if (operations.tls?.port === config.port && config.port !== 0)
    read.faults.push('HTTPS_PORT must not be the same as PORT');
  return config;
}

function isOrigin(entry: string): boolean {
  return /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
}

function isProxyEntry(entry: string): boolean {
  if (['loopback', 'private', 'none'].includes(entry)) return true;
  const [address = '', length, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/** Requests a minute and burst of one client; undefined when either is 0. */
function readRate(read: SettingsReader, name: string, perMinute: number, burst: number) {
  const rate = {
    perMinute: read.integer(`${name}_PER_MINUTE`, 0, 1_000_000, perMinute),
    burst: read.integer(`${name}_BURST`, 0, 1_000_000, burst),
  };
  return rate.perMinute === 0 || rate.burst === 0 ? undefined : rate;
}

function readAuth(read: SettingsReader, production: boolean, firstOrigin: string | undefined) {
  const mode = read.choice('AUTH_MODE', ['none', 'local', 'oauth', 'both'], 'none');
  if (production && read.settings.get('AUTH_MODE') === 'none')
    read.faults.push('AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)');
  const withProviders = mode === 'oauth' || mode === 'both';
  const idp = readProvider(read, 'idp', withProviders);
  const oidc = readProvider(read, 'oidc', withProviders);
  if (withProviders && !idp && !oidc)
    read.warnings.push(
      `AUTH_MODE is ${mode}, but no identity provider is configured: OAuth is not available`,
    );
  const adminsOnly = read.choice('WRITE_ACCESS', ['users', 'admins'], 'users') === 'admins';
  const registration = read.choice('REGISTRATION', ['open', 'invite', 'closed'], 'open');
  if (production && registration === 'open' && !adminsOnly)
    read.warnings.push(
      'anyone may make an account and write the catalogue: set REGISTRATION=invite or closed, or WRITE_ACCESS=admins',
    );
  const ownUrl = (idp ?? oidc)?.redirectUrl;
  const origin = firstOrigin ?? (ownUrl === undefined ? undefined : new URL(ownUrl).origin);
  return {
    mode,
    /** Undefined when the service generates a key. */
    jwtSecret: readJwtSecret(read, mode),
    /** True when only administrators may write the catalogue. */
    adminsOnly,
    registration,
    refreshTokenRotation: read.flag('REFRESH_TOKEN_ROTATION'),
    /** Undefined when not configured. */
    idp,
    oidc,
    /** Where browsers go after signing in with a provider. */
    clientRedirectUrl: read.address(
      'CLIENT_REDIRECT_URL',
      origin === undefined ? '' : `${origin}/auth/callback`,
      'an absolute address without a fragment',
      ({ protocol }) => !['javascript:', 'data:'].includes(protocol),
    ),
    /** The administrator created at startup if missing. */
    administrator: readAdministrator(read, mode),
  };
}

function readJwtSecret(read: SettingsReader, mode: string): string | undefined {
  const secret = read.secret('JWT_SECRET_KEY');
  const { faults, warnings } = read;
  if (secret === undefined) {
    if (mode === 'local' || mode === 'both')
      faults.push(`JWT_SECRET_KEY is required when AUTH_MODE is ${mode}`);
    return undefined;
  }
  // Anyone who guesses it can sign in as any user, so a weak one is refused in every mode.
  const bytes = Buffer.byteLength(secret);
  if (secret.trim() === '') faults.push('JWT_SECRET_KEY must not be blank');
  else if (new Set(secret).size === 1) faults.push('JWT_SECRET_KEY must not be one character repeated');
  else if (bytes < 16) faults.push('JWT_SECRET_KEY must be at least 16 bytes, and random');
  else if (bytes < 32) warnings.push('JWT_SECRET_KEY should be at least 32 bytes, and random');
  return secret;
}

/** A provider with all of its variables, or undefined. If only some are set, a warning names the others. */
function readProvider(read: SettingsReader, name: 'idp' | 'oidc', inUse: boolean) {
  const prefix = name === 'idp' ? 'IDP_OAUTH' : 'OIDC';
  const issuerName = `${name.toUpperCase()}_ISSUER_URL`;
  const clientId = read.text(`${prefix}_CLIENT_ID`);
  const clientSecret = read.secret(`${prefix}_CLIENT_SECRET`);
  const issuer = read.address(issuerName, name === 'idp' ? 'https://accounts.google.com' : '');
  const redirectUrl = read.address(
    `${prefix}_REDIRECT_URL`,
    '',
    `an address that ends in /api/auth/${name}/callback`,
    (url) => isWeb(url) && url.pathname.endsWith(`/api/auth/${name}/callback`),
  );
  if (!inUse) return undefined;
  if (issuer !== undefined && isPlain(issuer))
    read.warnings.push(
      `${issuerName} is not https: an attacker who listens on the way can sign in as anyone`,
    );
  if (clientId !== '' && clientSecret !== undefined && issuer !== undefined && redirectUrl !== undefined)
    return { issuer, clientId, clientSecret, redirectUrl };
  const missing = [
    ...(issuer === undefined ? [issuerName] : []),
    ...(clientId === '' ? [`${prefix}_CLIENT_ID`] : []),
    ...(clientSecret === undefined ? [`${prefix}_CLIENT_SECRET`] : []),
    ...(redirectUrl === undefined ? [`${prefix}_REDIRECT_URL`] : []),
  ];
  if (missing.length < (name === 'idp' ? 3 : 4))
    read.warnings.push(`sign-in at /api/auth/${name} is not available without ${missing.join(', ')}`);
  return undefined;
}

function readAdministrator(read: SettingsReader, mode: string) {
  const email = read.text('ADMIN_EMAIL');
  const password = read.secret('ADMIN_PASSWORD');
  if (email === '' && password === undefined) return undefined;
  if (email === '' || password === undefined) {
    read.faults.push('ADMIN_EMAIL and ADMIN_PASSWORD must be set together');
    return undefined;
  }
  if (mode !== 'oauth') return { email, password };
  // Providers cannot sign in to a local account by its email: creating one would lock its owner out.
  read.warnings.push(
    'ADMIN_EMAIL has no effect when AUTH_MODE is oauth: sign in once, then run catalogue user grant-admin',
  );
  return undefined;
}

function readOperations(read: SettingsReader, dataFolder: string) {
  const readOnly = read.flag('READ_ONLY');
  const primaryUrl = read.address('PRIMARY_URL');
  const minuteOfDay = read.timeOfDay('BACKUP_SCHEDULE');
  const folder = resolve(read.text('BACKUP_DIR', resolve(dataFolder, 'backups')));
  const keep = read.integer('BACKUP_KEEP', 1, 10_000, 7);
  if (readOnly && minuteOfDay !== undefined)
    read.warnings.push('BACKUP_SCHEDULE has no effect when READ_ONLY is true: back up the primary');
  const certFile = read.text('TLS_CERT_FILE');
  const keyFile = read.text('TLS_KEY_FILE');
  const port = read.integer('HTTPS_PORT', 0, 65_535, 8443);
  if ((certFile === '') !== (keyFile === ''))
    read.faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  const metricsToken = read.headerSecret('METRICS_TOKEN');
  if (metricsToken !== undefined && metricsToken.length < 16)
    read.warnings.push('METRICS_TOKEN should be at least 16 characters, and random');
  return {
    /** Undefined unless the service itself terminates TLS. */
    tls: certFile === '' ? undefined : { certFile: resolve(certFile), keyFile: resolve(keyFile), port },
    /** Undefined without a schedule. */
    backups: readOnly || minuteOfDay === undefined ? undefined : { minuteOfDay, folder, keep },
    /** Sent by scrapers on other machines. */
    metricsToken,
    /** What startup does with an older database: back it up and upgrade it, or refuse it. */
    migrate: read.choice('MIGRATE', ['auto', 'manual'], 'auto'),
    /** True for a replica. */
    readOnly,
    /** The address that a replica names when it refuses a write. */
    primaryUrl,
  };
}

/** Undefined when no provider is chosen. */
function readMaps(read: SettingsReader) {
  const key = read.headerSecret('MAPS_API_KEY');
  const provider = read.choice(
    'MAPS_PROVIDER',
    ['google', 'nominatim', 'none'],
    key === undefined ? 'none' : 'google',
  );
  const baseUrl = readBaseUrl(read, provider === 'google' ? 'https://places.googleapis.com' : '');
  const contact = readContact(read);
  // Calls a UTC day; 0 for no limit.
  const dailyLimit = read.integer('MAPS_DAILY_LIMIT', 0, 1_000_000, 1_000);
  const requestsPerSecond = read.integer('MAPS_REQUESTS_PER_SECOND', 1, 100, 1);
  if (provider === 'none') return undefined;
  if (provider === 'google') {
    if (key === undefined) read.faults.push('MAPS_API_KEY is required when MAPS_PROVIDER is google');
    if (baseUrl !== '' && isPlain(baseUrl))
      read.warnings.push('MAPS_BASE_URL is not https: an attacker who listens on the way learns the API key');
    return { provider, key: key ?? '', baseUrl, dailyLimit, hasOwnHost: read.isSet('MAPS_BASE_URL') };
  }
  for (const name of ['MAPS_BASE_URL', 'MAPS_CONTACT'])
    if (!read.isSet(name)) read.faults.push(`${name} is required when MAPS_PROVIDER is nominatim`);
  if (requestsPerSecond > 1 && /^https?:\/\/nominatim\.openstreetmap\.org\.?([:/]|$)/.test(baseUrl))
    read.faults.push(
      'MAPS_REQUESTS_PER_SECOND must be 1 for nominatim.openstreetmap.org, as its usage policy says',
    );
  return { provider, contact, baseUrl, requestsPerSecond, dailyLimit };
}

/** Without a trailing slash. A fault does not repeat the value, which may contain a password. */
function readBaseUrl(read: SettingsReader, fallback: string): string {
  const address = read.text('MAPS_BASE_URL', fallback);
  if (address === '') return '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && isWeb(url) && url.username === '' && url.password === '' && !/[?#]/.test(url.href))
    return url.origin + url.pathname.replace(/\/+$/, '');
  read.faults.push('MAPS_BASE_URL must be an http or https address without query, fragment and credentials');
  return '';
}

/** An email or web address of characters that a comment in the User-Agent allows (RFC 9110 section 5.6.5). */
function readContact(read: SettingsReader): string {
  const contact = read.text('MAPS_CONTACT');
  const isContact =
    /^[\x21-\x7e]{3,200}$/.test(contact) &&
    !/[()\\]/.test(contact) &&
    /^[^@]+@[^@]+\.[^@]+$|^https?:\/\/[^/]+\.[^/]/.test(contact);
  if (contact !== '' && !isContact)
    read.faults.push(`MAPS_CONTACT must be an email address or a web address, not "${contact}"`);
  return contact;
}

/** OpenStreetMap's own tiles (https://operations.osmfoundation.org/policies/tiles/). */
const OSM_TILES = {
  template: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  attribution: '© OpenStreetMap contributors',
} as const;

/**
 * Where map tiles come from: nowhere, a template of addresses once a reader asks for them, a PMTiles file (absolute path),
 * or a template of addresses.
 */
type Tiles =
  | { readonly kind: 'none' }
  | { readonly kind: 'ask'; readonly template: string; readonly attribution: string }
  | { readonly kind: 'pmtiles'; readonly file: string; readonly attribution: string | null }
  | { readonly kind: 'raster'; readonly template: string; readonly attribution: string | null };

function readTiles(read: SettingsReader): Tiles {
  const tiles = read.text('MAP_TILES', 'ask');
  const attribution = read.line('MAP_ATTRIBUTION', '', 300) || null;
  if (tiles === 'none') return { kind: 'none' };
  if (tiles === 'ask') return { kind: 'ask', ...OSM_TILES };
  if (tiles === 'osm') return { kind: 'raster', ...OSM_TILES };
  // The licence of nearly every map requires one, OpenStreetMap's included.
  if (attribution === null)
    read.warnings.push('MAP_TILES is set without MAP_ATTRIBUTION: name the source of the map');
  if (isTileTemplate(tiles)) return { kind: 'raster', template: tiles, attribution };
  if (tiles.endsWith('.pmtiles') && !/^[a-z]+:\/\//i.test(tiles)) {
    const file = resolve(tiles);
    const fault = faultOf(file);
    if (fault !== undefined)
      read.faults.push(`MAP_TILES names a file that cannot be used (${fault}): ${file}`);
    return { kind: 'pmtiles', file, attribution };
  }
  read.faults.push(
    `MAP_TILES must be ask, osm, none, a file that ends in .pmtiles, or an https address with {z}, {x} and {y}, not "${tiles}"`,
  );
  return { kind: 'none' };
}

/** True for an https address with all three placeholders, and no others. */
function isTileTemplate(tiles: string): boolean {
  const placeholders = ['{z}', '{x}', '{y}'];
  if (!/^https:\/\/[\x21-\x7e]+$/.test(tiles) || tiles.includes('#')) return false;
  const filled = placeholders.reduce((address, name) => address.replaceAll(name, '0'), tiles);
  if (/[{}]/.test(filled) || !URL.canParse(filled)) return false;
  const { origin, username, password } = new URL(filled);
  return (
    tiles.toLowerCase().startsWith(origin) &&
    // The origin goes into the pages' Content-Security-Policy, which any other character could end.
    /^[a-z0-9.:/[\]-]+$/.test(origin) &&
    username + password === '' &&
    placeholders.every((name) => tiles.includes(name))
  );
}

function faultOf(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile() ? undefined : 'it is not a file';
  } catch (error) {
    return reasonOf(error);
  }
}

function readHistory(read: SettingsReader) {
  const trashDays = read.integer('TRASH_DAYS', 0, 3_650, 30);
  const changeLogDays = read.integer('CHANGE_LOG_DAYS', 1, 36_500, 365);
  if (changeLogDays < trashDays)
    read.faults.push(
      `CHANGE_LOG_DAYS must not be less than TRASH_DAYS (${trashDays}): a deletion is undone by its change`,
    );
  return {
    /** Days for which a deletion can be undone; 0 disables undo. */
    trashDays,
    /** Days for which changes are logged; not fewer than `trashDays`. */
    changeLogDays,
    /** True when people other than administrators see who made a change. */
    showsAuthors: read.choice('AUTHORS', ['usernames', 'none'], 'usernames') === 'usernames',
  };
}
