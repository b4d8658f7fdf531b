import type { Cleanup } from './cleanup.ts';
import { type Answer, record } from './client.ts';
import { GOOGLE_KEY, startFakeGoogle } from './fake-google.ts';
import { startFakeNominatim } from './fake-nominatim.ts';
import type { FakeServer } from './fake-server.ts';
import { type Service, type Variables, startService } from './service.ts';

/** A service and the maps provider that it asks. */
export interface Mapped {
  readonly service: Service;
  readonly provider: FakeServer;
}

/** Settings that make `url` the maps provider of a service. */
export function googleSettings(url: string): Variables {
  return { MAPS_PROVIDER: 'google', MAPS_API_KEY: GOOGLE_KEY, MAPS_BASE_URL: url };
}

/** The same for Nominatim, at a pace that tests can bear. */
export function nominatimSettings(url: string): Variables {
  return {
    MAPS_PROVIDER: 'nominatim',
    MAPS_BASE_URL: url,
    MAPS_CONTACT: 'maps@food.example',
    MAPS_REQUESTS_PER_SECOND: '100',
  };
}

/** Starts a fake Google and a service that asks it. */
export async function mapWithGoogle(t: Cleanup, variables: Variables = {}): Promise<Mapped> {
  const provider = await startFakeGoogle(t);
  return { provider, service: await startService(t, { ...googleSettings(provider.url), ...variables }) };
}

/** Starts a fake Nominatim and a service that asks it. */
export async function mapWithNominatim(t: Cleanup, variables: Variables = {}): Promise<Mapped> {
  const provider = await startFakeNominatim(t);
  return { provider, service: await startService(t, { ...nominatimSettings(provider.url), ...variables }) };
}

/** Status and body, for comparing. */
export function outcome({ status, body }: Answer): readonly [number, unknown] {
  return [status, body];
}

/** The warnings that the service wrote, without their times. */
export function warnings({ logs }: Service): Readonly<Record<string, unknown>>[] {
  return logs
    .map((line) => record(line))
    .filter(({ level }) => level === 'warn')
    .map(({ time: _time, level: _level, ...rest }) => rest);
}
