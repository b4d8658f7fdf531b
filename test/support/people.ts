import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Client, bodyOf, createClient, field, textOf } from './client.ts';
import type { Service } from './service.ts';

/** Settings of a service with accounts, signed with a secret that tests may forge with. */
export const LOCAL = { AUTH_MODE: 'local', JWT_SECRET_KEY: 'a secret of the tests, long enough to sign' };

/** Somebody with an account, signed in. */
export interface Person {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Sends the access token along. */
  readonly api: Client;
}

/** Registers `<name>@example.com`. Throws when that is refused. */
export async function signUp({ url, api }: Pick<Service, 'url' | 'api'>, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const password = `${name} and a long password`;
  const answer = await api.post('/auth/register', { email, username: name, password, full_name: name });
  return person(url, bodyOf(answer), password);
}

/** Whom a token response is about. */
export function person(url: string, tokens: unknown, password: string): Person {
  const user = field(tokens, 'user');
  const accessToken = textOf(tokens, 'access_token');
  return {
    id: Number(field(user, 'id')),
    email: textOf(user, 'email'),
    password,
    accessToken,
    refreshToken: textOf(tokens, 'refresh_token'),
    api: createClient(url, { Authorization: `Bearer ${accessToken}` }),
  };
}

/** Runs a statement on the database of a service from outside, as an operator may. */
export function changeStored(
  folder: string,
  sql: string,
  ...values: readonly (string | number | null)[]
): void {
  const database = new Database(join(folder, 'catalogue.db'));
  try {
    database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}

/** The rows that a statement finds in the database of a service. */
export function readStored(
  folder: string,
  sql: string,
  ...values: readonly (string | number | null)[]
): unknown[] {
  const database = new Database(join(folder, 'catalogue.db'), { readonly: true });
  try {
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

/** Makes a user an administrator in the stored record (SPEC, "Rules"). */
export function makeAdmin({ folder }: Service, { id }: Person): void {
  changeStored(folder, 'UPDATE users SET is_admin = 1 WHERE id = ?', id);
}
