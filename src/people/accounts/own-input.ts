import { type Parsed, choiceField, nameField, parsed, readFields } from '../../kit/input/fields.ts';
import { FULL_NAME_MAX, optionalSecret, secretField } from './input.ts';
import { PASSWORD_MAX } from './passwords.ts';
import { USERNAME_MAX, usernameField } from './usernames.ts';
import { type Profile, USER_ANSWER } from './users.ts';

/** What happens to the ratings, photos and suggestions of an account that is deleted. */
export type Contributions = 'keep' | 'delete';

/** A body that changes the own password; whether the new one may be one is checked once its owner is known. */
export function parsePasswordChange(
  body: object,
): Parsed<{ readonly current: string; readonly password: string }> {
  const fields = readFields(body);
  const current = secretField(fields, 'current_password', PASSWORD_MAX);
  return parsed(fields, { current, password: secretField(fields, 'new_password', PASSWORD_MAX) });
}

/** A body that changes the own names; what is absent stays. */
export function parseProfile(body: object): Parsed<Partial<Profile>> {
  const fields = readFields(body, USER_ANSWER);
  const { values } = fields;
  return parsed(fields, {
    ...(values.has('username') && { username: usernameField(fields, 'username') }),
    ...(values.has('full_name') && { fullName: nameField(fields, 'full_name', FULL_NAME_MAX) }),
  });
}

/** A body that deletes the own account: its password, or the username of an account that has none. */
export interface Deletion {
  readonly password: string | undefined;
  readonly confirm: string | undefined;
  readonly contributions: Contributions;
}

/** Reads it. */
export function parseDeletion(body: object): Parsed<Deletion> {
  const fields = readFields(body);
  return parsed(fields, {
    password: optionalSecret(fields, 'password', PASSWORD_MAX),
    confirm: optionalSecret(fields, 'confirm', USERNAME_MAX),
    contributions: choiceField(fields, 'contributions', ['keep', 'delete']) ?? 'keep',
  });
}

/** A body that deletes the account of another user. */
export function parseContributions(body: object): Parsed<Contributions> {
  const fields = readFields(body);
  return parsed(fields, choiceField(fields, 'contributions', ['keep', 'delete']) ?? 'keep');
}
