import type { Cleanup } from './cleanup.ts';
import { type Answer, type Client, textOf } from './client.ts';
import { LOCAL, type Person, changeStored, person, signUp } from './people.ts';
import { type Internals, type Service, type Variables, startService } from './service.ts';

/** Starts a service with accounts at which alice has signed up. */
export async function startWithAlice(
  t: Cleanup,
  variables: Variables = {},
  internals: Internals = {},
): Promise<{ readonly service: Service; readonly alice: Person }> {
  const service = await startService(t, { ...LOCAL, ...variables }, internals);
  return { service, alice: await signUp(service, 'alice') };
}

/** The same person with another session, which a login starts. */
export async function logIn({ url, api }: Service, who: Person): Promise<Person> {
  return person(url, (await api.post('/auth/login', who)).body, who.password);
}

/** Makes an API token and returns its secret. */
export async function apiTokenOf(api: Client): Promise<string> {
  return textOf((await api.post('/auth/tokens', { name: 'script' })).body, 'token');
}

/** The header that carries a token. */
export function bearing(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

/** Makes every rotation of a refresh token so far older by eleven seconds: a second more than it may be repeated. */
export function ageRotations({ folder }: Service): void {
  changeStored(
    folder,
    "UPDATE refresh_tokens SET rotated_at = strftime('%Y-%m-%dT%H:%M:%fZ', rotated_at, '-11 seconds') WHERE rotated_at IS NOT NULL",
  );
}

/** Sends a DELETE with a JSON body. */
export function remove(api: Client, path: string, body: object): Promise<Answer> {
  return api.send(`/api${path}`, {
    method: 'DELETE',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The secret of the link in an answer: what stands behind `#`. */
export function secretOf({ body }: Answer): string {
  return textOf(body, 'url').split('#')[1] ?? '';
}

/** A body that registers `<name>@example.com`. */
export function registration(name: string, more: object = {}): object {
  return { email: `${name}@example.com`, username: name, password: `${name} and a long password`, ...more };
}
