import type { Answer, Client } from './client.ts';
import { textOf } from './client.ts';

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
