import { type Properties, parseJson, propertiesOf } from '../../kit/objects.ts';
import { fetchText, type OutboundAnswer, type OutboundRequest, OutboundError } from '../../kit/fetch.ts';

/** The metadata of a provider (OpenID Connect Discovery 1.0 section 3), as far as it is used. */
export type Metadata = Awaited<ReturnType<typeof readMetadata>>;

/** The provider could not be reached, or made no sense; `code` is for the browser. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: 'provider_unavailable' | 'provider_error';

  constructor(code: ProviderError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The provider could not be reached, or what it answered cannot be used. */
export function unavailable(message: string): ProviderError {
  return new ProviderError('provider_unavailable', message);
}

const MAX_AGE_MS = 60 * 60 * 1000;

/**
 * A reader of the issuer's metadata: fetched when first needed, by one request however many wait, cached for an hour,
 * and longer while the provider does not answer. Rejects with a ProviderError.
 */
export function createMetadataReader(issuer: string): () => Promise<Metadata> {
  let known: { readonly metadata: Metadata; readonly at: number } | undefined;
  let underWay: Promise<Metadata> | undefined;

  async function refresh(): Promise<Metadata> {
    try {
      const metadata = await readMetadata(issuer);
      known = { metadata, at: performance.now() };
      return metadata;
    } catch (error) {
      if (known) return known.metadata;
      throw error;
    } finally {
      underWay = undefined;
    }
  }

  return () => {
    if (known && performance.now() - known.at < MAX_AGE_MS) return Promise.resolve(known.metadata);
    return (underWay ??= refresh());
  };
}

async function readMetadata(issuer: string) {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await ask(address, { allowPrivate: true });
  if (answer.status !== 200) throw unavailable(`${address} answered ${answer.status}`);
  const fields = parseObject(answer.text, address);
  const endpoint = (name: string): string => {
    const value = optionalEndpoint(fields, name, issuer);
    if (value === undefined) throw unavailable(`${address} has no usable ${name}`);
    return value;
  };
  // Exactly: a provider that speaks for another issuer could sign in any user.
  if (fields.get('issuer') !== issuer)
    throw unavailable(
      `${address} is of the issuer ${String(fields.get('issuer'))}, not of ${issuer}, as it is configured`,
    );
  const methods: unknown = fields.get('token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  return {
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    userinfoEndpoint: optionalEndpoint(fields, 'userinfo_endpoint', issuer),
    jwksUri: endpoint('jwks_uri'),
    // The client's secret goes into the form instead of the Authorization header.
    secretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    // Callbacks must name the issuer (RFC 9207).
    namesIssuer: fields.get('authorization_response_iss_parameter_supported') === true,
    // Where the provider itself has a private address, its endpoints may have one too.
    isPrivate: answer.isPrivate,
  };
}

function optionalEndpoint(fields: Properties, name: string, issuer: string): string | undefined {
  const value = fields.get(name);
  if (typeof value !== 'string') return undefined;
  try {
    const { protocol } = new URL(value);
    const isFine = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
    return isFine ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Asks an endpoint of a provider. Rejects with a ProviderError when there is no whole answer. */
export async function ask(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
  try {
    return await fetchText(address, request);
  } catch (error) {
    if (error instanceof OutboundError) throw unavailable(error.message);
    throw error;
  }
}

/** The properties of a JSON object that `source` answered. Throws a ProviderError when it is none. */
export function parseObject(text: string, source: string): Properties {
  const properties = propertiesOf(parseJson(text));
  if (!properties) throw unavailable(`${source} answered no JSON object`);
  return properties;
}
