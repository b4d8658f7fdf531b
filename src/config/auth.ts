import { type Variables, address, choice, flag, isPlain, isWeb, secret, text } from './variables.ts';
import type { ProviderOptions } from '../people/identity/provider.ts';

const MODES = ['none', 'local', 'oauth', 'both'] as const;
const REGISTRATIONS = ['open', 'invite', 'closed'] as const;
const GOOGLE = 'https://accounts.google.com';
const OPEN_TO_ALL =
  'anyone may make an account and write the catalogue: set REGISTRATION=invite or closed, or WRITE_ACCESS=admins';
// In UTF-8, as the key is made of it.
const ADVISED_SECRET_BYTES = 32;
const LEAST_SECRET_BYTES = 16;

/** Who may sign in, how, and to what (SPEC, "Configuration variables"). */
export interface AuthConfig {
  readonly mode: (typeof MODES)[number];
  /** Undefined where the service makes a key of its own. */
  readonly jwtSecret: string | undefined;
  /** Whether only administrators may write the catalogue. */
  readonly adminsOnly: boolean;
  /** Who may make an account: anyone, those who are invited, or no one. */
  readonly registration: (typeof REGISTRATIONS)[number];
  readonly refreshTokenRotation: boolean;
  /** Undefined when not configured. */
  readonly idp: ProviderOptions | undefined;
  readonly oidc: ProviderOptions | undefined;
  /** Where the browser goes after a sign-in with a provider. */
  readonly clientRedirectUrl: string | undefined;
  /** The administrator to be made at the start when missing. */
  readonly administrator: { readonly email: string; readonly password: string } | undefined;
}

/** Reads what has to do with accounts; faults and warnings are left in `variables`. */
export function readAuthConfig(
  variables: Variables,
  production: boolean,
  firstOrigin: string | undefined,
): AuthConfig {
  const mode = readMode(variables, production);
  const withProviders = mode === 'oauth' || mode === 'both';
  const idp = readProvider(variables, 'idp', withProviders);
  const oidc = readProvider(variables, 'oidc', withProviders);
  if (withProviders && !idp && !oidc)
    variables.warnings.push(
      `AUTH_MODE is ${mode}, but no identity provider is configured: OAuth is not available`,
    );
  // Without another word the web client stands where its requests come from, or next to the API.
  const ownUrl = (idp ?? oidc)?.redirectUrl;
  const origin = firstOrigin ?? (ownUrl === undefined ? undefined : new URL(ownUrl).origin);
  const adminsOnly = choice(variables, 'WRITE_ACCESS', ['users', 'admins'], 'users') === 'admins';
  const registration = choice(variables, 'REGISTRATION', REGISTRATIONS, 'open');
  if (production && registration === 'open' && !adminsOnly) variables.warnings.push(OPEN_TO_ALL);
  return {
    mode,
    jwtSecret: readJwtSecret(variables, mode),
    adminsOnly,
    registration,
    refreshTokenRotation: flag(variables, 'REFRESH_TOKEN_ROTATION'),
    idp,
    oidc,
    clientRedirectUrl: address(
      variables,
      'CLIENT_REDIRECT_URL',
      origin === undefined ? '' : `${origin}/auth/callback`,
      ({ protocol }) => !['javascript:', 'data:'].includes(protocol),
      'an absolute address without a fragment',
    ),
    administrator: readAdministrator(variables, mode),
  };
}

function readMode(variables: Variables, production: boolean): AuthConfig['mode'] {
  const given = text(variables, 'AUTH_MODE', production ? '' : 'none');
  const mode = MODES.find((candidate) => candidate === given);
  if (production && (given === '' || mode === 'none'))
    variables.faults.push('AUTH_MODE must be local, oauth or both in production (NODE_ENV=production)');
  else if (mode === undefined)
    variables.faults.push(`AUTH_MODE must be one of ${MODES.join(', ')}, not "${given}"`);
  return mode ?? 'none';
}

function readJwtSecret(variables: Variables, mode: AuthConfig['mode']): string | undefined {
  const given = secret(variables, 'JWT_SECRET_KEY');
  const { faults, warnings } = variables;
  if (given === undefined) {
    if (mode === 'local' || mode === 'both')
      faults.push(`JWT_SECRET_KEY is required when AUTH_MODE is ${mode}`);
    return undefined;
  }
  // A caller who guesses it signs in as anyone, so that a weak one is worse than none, even where it is only set by mistake.
  if (given.trim() === '') faults.push('JWT_SECRET_KEY must not be blank');
  else if (new Set(given).size === 1) faults.push('JWT_SECRET_KEY must not be one character repeated');
  else if (Buffer.byteLength(given) < LEAST_SECRET_BYTES)
    faults.push(`JWT_SECRET_KEY must be at least ${LEAST_SECRET_BYTES} bytes, and random`);
  else if (Buffer.byteLength(given) < ADVISED_SECRET_BYTES)
    warnings.push(`JWT_SECRET_KEY should be at least ${ADVISED_SECRET_BYTES} bytes, and random`);
  return given;
}

/** A provider with all of its variables, or undefined; some without the others get a warning that names those. */
function readProvider(
  variables: Variables,
  name: 'idp' | 'oidc',
  inUse: boolean,
): ProviderOptions | undefined {
  const prefix = name === 'idp' ? 'IDP_OAUTH' : 'OIDC';
  const issuerName = `${name.toUpperCase()}_ISSUER_URL`;
  const clientId = text(variables, `${prefix}_CLIENT_ID`, '') || undefined;
  const clientSecret = secret(variables, `${prefix}_CLIENT_SECRET`);
  const issuer = address(variables, issuerName, name === 'idp' ? GOOGLE : '');
  const redirectUrl = address(
    variables,
    `${prefix}_REDIRECT_URL`,
    '',
    (url) => isWeb(url) && url.pathname.endsWith(`/api/auth/${name}/callback`),
    `an address that ends in /api/auth/${name}/callback`,
  );
  if (!inUse) return undefined;
  if (issuer !== undefined && isPlain(issuer))
    variables.warnings.push(
      `${issuerName} is not https: an attacker who listens on the way can sign in as anyone`,
    );
  if (clientId && clientSecret !== undefined && issuer !== undefined && redirectUrl !== undefined)
    return { issuer, clientId, clientSecret, redirectUrl };
  const names = [issuerName, `${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`, `${prefix}_REDIRECT_URL`];
  const values = [issuer, clientId, clientSecret, redirectUrl];
  const missing = names.filter((_, index) => values[index] === undefined);
  if (missing.length < (name === 'idp' ? 3 : 4))
    variables.warnings.push(`sign-in at /api/auth/${name} is not available without ${missing.join(', ')}`);
  return undefined;
}

function readAdministrator(variables: Variables, mode: AuthConfig['mode']): AuthConfig['administrator'] {
  const email = text(variables, 'ADMIN_EMAIL', '');
  const password = secret(variables, 'ADMIN_PASSWORD');
  if (email === '' && password === undefined) return undefined;
  if (email === '' || password === undefined) {
    variables.faults.push('ADMIN_EMAIL and ADMIN_PASSWORD must be set together');
    return undefined;
  }
  if (mode !== 'oauth') return { email, password };
  // A local administrator's email is closed to providers: making one would lock its owner out.
  variables.warnings.push(
    'ADMIN_EMAIL has no effect when AUTH_MODE is oauth: sign in once, then run catalogue user grant-admin',
  );
  return undefined;
}
