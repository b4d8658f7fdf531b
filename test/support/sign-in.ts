import type { JWTPayload } from 'jose';
import type { Cleanup } from './cleanup.ts';
import { type Browser, type Page, createBrowser } from './browser.ts';
import {
  type Accounts,
  CLIENT,
  type RealProviderOptions,
  signInAt,
  startRealProvider,
} from './oidc-provider.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { LOCAL } from './people.ts';
import { type Service, type Variables, startService } from './service.ts';

/** Where the service and its web client stand in the eyes of the browser. */
export const PUBLIC = 'https://food.example';
export const HOME = 'https://app.example/signed-in';

/** A service that knows one provider, under one of its two names. */
export interface Federation {
  readonly service: Service;
  readonly start: string;
  /** A browser that knows nothing yet. */
  readonly newBrowser: () => Browser;
  /** A whole sign-in of `name`, or one that is cancelled at the provider. */
  readonly signIn: (name: string | undefined, browser?: Browser) => Promise<Page>;
}

/** The settings that make `issuer` the provider `oidc` or `idp` of a service. */
export function providerSettings(provider: 'idp' | 'oidc', issuer: string): Variables {
  const redirectUrl = `${PUBLIC}/api/auth/${provider}/callback`;
  return {
    AUTH_MODE: 'both',
    JWT_SECRET_KEY: LOCAL.JWT_SECRET_KEY,
    CLIENT_REDIRECT_URL: HOME,
    ...(provider === 'oidc'
      ? {
          OIDC_ISSUER_URL: issuer,
          OIDC_CLIENT_ID: CLIENT.id,
          OIDC_CLIENT_SECRET: CLIENT.secret,
          OIDC_REDIRECT_URL: redirectUrl,
        }
      : {
          IDP_ISSUER_URL: issuer,
          IDP_OAUTH_CLIENT_ID: CLIENT.id,
          IDP_OAUTH_CLIENT_SECRET: CLIENT.secret,
          IDP_OAUTH_REDIRECT_URL: redirectUrl,
        }),
  };
}

/** Starts a real provider with these accounts and a service that signs in with it. */
export async function federate(
  t: Cleanup,
  accounts: Accounts,
  variables: Variables = {},
  provider: 'idp' | 'oidc' = 'oidc',
  more: Partial<RealProviderOptions> = {},
): Promise<Federation> {
  const redirectUrl = `${PUBLIC}/api/auth/${provider}/callback`;
  const issuer = await startRealProvider(t, { accounts, redirectUrl, ...more });
  const service = await startService(t, { ...providerSettings(provider, issuer), ...variables });
  const start = `${PUBLIC}/api/auth/${provider}`;
  const newBrowser = (): Browser => createBrowser(new Map([[PUBLIC, service.url]]));
  return {
    service,
    start,
    newBrowser,
    signIn: (name, browser = newBrowser()) => signInAt(browser, start, HOME, name),
  };
}

/** The parameters in the fragment of a page's address. */
export function fragmentOf({ url }: Page): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
}

/** A service that knows one provider, which may lie. */
export interface FakeFederation {
  readonly provider: FakeProvider;
  readonly service: Service;
  /** A sign-in in a fresh browser; returns the fragment that the client gets. */
  readonly signIn: () => Promise<Readonly<Record<string, string>>>;
}

/** Starts a fake provider, where `person` signs in, and a service that signs in with it. */
export async function federateWithFake(
  t: Cleanup,
  person: JWTPayload,
  variables: Variables = {},
): Promise<FakeFederation> {
  const provider = await startFakeProvider(t, person);
  const service = await startService(t, { ...providerSettings('oidc', provider.issuer), ...variables });
  const signIn = async (): Promise<Readonly<Record<string, string>>> => {
    const browser = createBrowser(new Map([[PUBLIC, service.url]]));
    const first = await browser.open(`${PUBLIC}/api/auth/oidc`);
    const location = first.headers.get('location') ?? '';
    const back = location.startsWith(HOME)
      ? first
      : await browser.open(`${PUBLIC}/api/auth/oidc/callback?${provider.authorize(location)}`);
    if (back.status !== 302) throw new Error(`${back.status} ${back.text}`);
    return fragmentOf({ ...back, url: new URL(back.headers.get('location') ?? '') });
  };
  return { provider, service, signIn };
}
