import { type Variables, choice, headerSecret, integer, isPlain, isWeb, text } from './variables.ts';
import type { PlacesOptions } from '../catalogue/places/client.ts';

const GOOGLE = 'https://places.googleapis.com';
// Its usage policy allows one request a second for all users of a service together.
const PUBLIC_NOMINATIM = 'nominatim.openstreetmap.org';

/** Where places are looked up, and with how many calls a UTC day; 0 for no limit. */
export type MapsConfig = PlacesOptions['settings'];

/** Reads what has to do with maps; undefined when no provider is chosen. Faults and warnings are left in `variables`. */
export function readMapsConfig(variables: Variables): MapsConfig | undefined {
  const { faults, warnings } = variables;
  const key = headerSecret(variables, 'MAPS_API_KEY');
  const provider = choice(
    variables,
    'MAPS_PROVIDER',
    ['google', 'nominatim', 'none'],
    key === undefined ? 'none' : 'google',
  );
  const ownUrl = readBaseUrl(variables, provider === 'google' ? GOOGLE : '');
  const contact = readContact(variables);
  const dailyLimit = integer(variables, 'MAPS_DAILY_LIMIT', 0, 1_000_000, 1_000);
  const requestsPerSecond = integer(variables, 'MAPS_REQUESTS_PER_SECOND', 1, 100, 1);
  if (provider === 'google') {
    const baseUrl = ownUrl ?? GOOGLE;
    if (key === undefined) faults.push('MAPS_API_KEY is required when MAPS_PROVIDER is google');
    if (isPlain(baseUrl))
      warnings.push('MAPS_BASE_URL is not https: an attacker who listens on the way learns the API key');
    const hasOwnHost = (variables.environment['MAPS_BASE_URL'] ?? '').trim() !== '';
    return { provider, key: key ?? '', baseUrl, dailyLimit, hasOwnHost };
  }
  if (provider === 'none') return undefined;
  for (const name of ['MAPS_BASE_URL', 'MAPS_CONTACT'])
    if (variables.settings.get(name) === '')
      faults.push(`${name} is required when MAPS_PROVIDER is nominatim`);
  const baseUrl = ownUrl ?? '';
  if (requestsPerSecond > 1 && isPublicNominatim(baseUrl))
    faults.push(`MAPS_REQUESTS_PER_SECOND must be 1 for ${PUBLIC_NOMINATIM}, as its usage policy says`);
  return { provider, contact, baseUrl, requestsPerSecond, dailyLimit };
}

/** Undefined when it is not set, or a fault. The fault does not repeat what may hold a password. */
function readBaseUrl(variables: Variables, fallback: string): string | undefined {
  const given = text(variables, 'MAPS_BASE_URL', fallback);
  if (given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && isWeb(url) && url.username === '' && url.password === '' && !/[?#]/.test(url.href))
    return url.origin + url.pathname.replace(/\/+$/, '');
  variables.faults.push(
    'MAPS_BASE_URL must be an http or https address without query, fragment and credentials',
  );
  return undefined;
}

function readContact(variables: Variables): string {
  const given = text(variables, 'MAPS_CONTACT', '');
  if (given !== '' && !isContact(given))
    variables.faults.push(`MAPS_CONTACT must be an email address or a web address, not "${given}"`);
  return given;
}

/** In the characters that may stand in a comment of the User-Agent (RFC 9110 section 5.6.5). */
function isContact(given: string): boolean {
  if (!/^[\x21-\x7e]{3,200}$/.test(given) || /[()\\]/.test(given)) return false;
  return /^[^@]+@[^@]+\.[^@]+$/.test(given) || /^https?:\/\/[^/]+\.[^/]/.test(given);
}

function isPublicNominatim(baseUrl: string): boolean {
  return baseUrl !== '' && new URL(baseUrl).hostname.replace(/\.$/, '') === PUBLIC_NOMINATIM;
}
