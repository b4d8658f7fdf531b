import {
  type Fields,
  type Parsed,
  booleanField,
  choiceField,
  integerField,
  longerThan,
  nameField,
  parsed,
  readFields,
  requiredNameField,
  textField,
} from '../../kit/input/fields.ts';
import {
  type ListPart,
  type PagePart,
  choiceParameter,
  listPart,
  pagePart,
  readQuery,
  textParameter,
} from '../../kit/input/query.ts';
import type { NewApiToken } from './api-tokens.ts';
import type { NewInvitation } from './invitations.ts';
import { PASSWORD_MAX, passwordFaults } from './passwords.ts';
import { USERNAME_MAX, usernameField } from './usernames.ts';
import { ACCOUNT_ANSWER, type AccountFilters, EMAIL_MAX, type Profile, USER_ANSWER } from './users.ts';

/** A new local account. */
export interface Registration extends Profile {
  readonly email: string;
  readonly password: string;
  /** The secret of an invitation. */
  readonly invitation: string | undefined;
}

/** What happens to the ratings, photos and suggestions of an account that is deleted. */
export type Contributions = 'keep' | 'delete';

const REFRESH_TOKEN_MAX = 512;
// Of invitations and of links to set a password, which are shorter.
const LINK_SECRET_MAX = 100;
const FULL_NAME_MAX = 255;
const LOCAL_PART_MAX = 64;
// Letters of any script; otherwise the characters of RFC 5322's dot-atom and of host names.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;
const TOKEN_DAYS_MAX = 3650;
const INVITATION_DAYS_MAX = 30;
const INVITATION_DAYS = 7;
const CURSOR_MAX = 200;
const SEARCH_MAX = 200;
const NOTE_MAX = 255;
// In a body that starts or continues a session: read by `parseSessionForm`.
const READ_APART = ['session'];

/** A body that registers an account. */
export function parseRegistration(body: object): Parsed<Registration> {
  const fields = readFields(body, READ_APART);
  const registration = {
    email: emailField(fields),
    username: usernameField(fields, 'username'),
    password: secretField(fields, 'password', PASSWORD_MAX),
    fullName: nameField(fields, 'full_name', FULL_NAME_MAX),
    invitation: optionalSecret(fields, 'invitation', LINK_SECRET_MAX),
  };
  if (registration.password !== '')
    fields.faults.push(...passwordFaults(registration.password, registration));
  return parsed(fields, registration);
}

/**
 * A body that logs in. Only its shape is checked: an email that no account can have is refused like any wrong password. So
 * is an over-long email or password, which is cut where it is certainly too long.
 */
export function parseCredentials(
  body: object,
): Parsed<{ readonly email: string; readonly password: string }> {
  const fields = readFields(body, READ_APART);
  return parsed(fields, {
    email: emailText(fields),
    password: secretField(fields, 'password', PASSWORD_MAX),
  });
}

/** A body that refreshes a session. */
export function parseRefresh(body: object): Parsed<string> {
  const fields = readFields(body, READ_APART);
  return parsed(fields, secretField(fields, 'refresh_token', REFRESH_TOKEN_MAX));
}

/** A body that logs out; undefined when it names no refresh token. */
export function parseLogout(body: object): Parsed<string | undefined> {
  const fields = readFields(body, READ_APART);
  return parsed(fields, optionalSecret(fields, 'refresh_token', REFRESH_TOKEN_MAX));
}

/** Whether the body of a sign-in, refresh or logout asks for a session in a cookie; another parser reads its other fields. */
export function parseSessionForm(body: object): Parsed<boolean> {
  const fields = readFields(body, Object.keys(body));
  const form = fields.values.get('session') ?? null;
  if (form !== null && form !== 'cookie') fields.faults.push('session must be cookie');
  return parsed(fields, form === 'cookie');
}

/** A body that creates an API token. */
export function parseNewApiToken(body: object): Parsed<NewApiToken> {
  const fields = readFields(body);
  return parsed(fields, {
    name: requiredNameField(fields, 'name', 100),
    expiresInDays: integerField(fields, 'expires_in_days', 1, TOKEN_DAYS_MAX),
  });
}

/** A body that changes the own password; whether the new one may be one is checked once its owner is known. */
export function parsePasswordChange(
  body: object,
): Parsed<{ readonly current: string; readonly password: string }> {
  const fields = readFields(body);
  const current = secretField(fields, 'current_password', PASSWORD_MAX);
  return parsed(fields, { current, password: secretField(fields, 'new_password', PASSWORD_MAX) });
}

/** A body that sets a password by a link; whether the password may be one is checked once its owner is known. */
export function parsePasswordReset(
  body: object,
): Parsed<{ readonly token: string; readonly password: string }> {
  const fields = readFields(body);
  const token = secretField(fields, 'token', LINK_SECRET_MAX);
  return parsed(fields, { token, password: secretField(fields, 'new_password', PASSWORD_MAX) });
}

/** A body that changes the own names; absent ones stay. */
export function parseProfile(body: object): Parsed<Partial<Profile>> {
  const fields = readFields(body, USER_ANSWER);
  const { values } = fields;
  return parsed(fields, {
    ...(values.has('username') && { username: usernameField(fields, 'username') }),
    ...(values.has('full_name') && { fullName: nameField(fields, 'full_name', FULL_NAME_MAX) }),
  });
}

/** A body that deletes the own account, confirmed by the password, or by the username of an account that has none. */
export function parseDeletion(body: object): Parsed<{
  readonly password: string | undefined;
  readonly confirm: string | undefined;
  readonly contributions: Contributions;
}> {
  const fields = readFields(body);
  return parsed(fields, {
    password: optionalSecret(fields, 'password', PASSWORD_MAX),
    confirm: optionalSecret(fields, 'confirm', USERNAME_MAX),
    contributions: contributionsField(fields),
  });
}

/** A body that deletes the account of another user. */
export function parseContributions(body: object): Parsed<Contributions> {
  const fields = readFields(body);
  return parsed(fields, contributionsField(fields));
}

/** The query of `GET /users`. */
export function parseUserQuery(queryString: string): Parsed<AccountFilters & PagePart> {
  const query = readQuery(queryString);
  const flag = (name: string): boolean | undefined => {
    const word = choiceParameter(query, name, ['true', 'false']);
    return word && word === 'true';
  };
  return parsed(query, {
    text: textParameter(query, 'q', SEARCH_MAX),
    isActive: flag('is_active'),
    isAdmin: flag('is_admin'),
    ...pagePart(query, CURSOR_MAX),
  });
}

/** A body that activates or deactivates a user. */
export function parseActivation(body: object): Parsed<boolean> {
  const fields = readFields(body, ACCOUNT_ANSWER);
  return parsed(fields, booleanField(fields, 'is_active'));
}

/** The query of `DELETE /users/{id}/sessions`: whether API tokens are removed as well. */
export function parseTokensToo(queryString: string): Parsed<boolean> {
  const query = readQuery(queryString);
  return parsed(query, choiceParameter(query, 'api_tokens', ['true', 'false']) === 'true');
}

/** A body that makes an invitation; it may be empty. */
export function parseNewInvitation(body: object): Parsed<NewInvitation> {
  const fields = readFields(body);
  return parsed(fields, {
    email: (fields.values.get('email') ?? null) === null ? null : emailField(fields),
    note: textField(fields, 'note', NOTE_MAX),
    days: integerField(fields, 'expires_in_days', 1, INVITATION_DAYS_MAX) ?? INVITATION_DAYS,
  });
}

/** The query of `GET /invitations`. */
export function parseInvitationList(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}

/** A body with the secret of an invitation. */
export function parseInvitationSecret(body: object): Parsed<string> {
  const fields = readFields(body);
  return parsed(fields, secretField(fields, 'invitation', LINK_SECRET_MAX));
}

/** Whether `text` can be an email address: a dot-atom, an @, and a host name with a dot (or localhost). */
export function isEmail(text: string): boolean {
  if (longerThan(text, EMAIL_MAX)) return false;
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || longerThan(local, LOCAL_PART_MAX)) return false;
  const labels = domain.split('.');
  const isHost =
    (labels.length > 1 || domain === 'localhost') && labels.every((label) => DOMAIN_LABEL.test(label));
  return isHost && LOCAL_PART.test(local);
}

/** A valid email, trimmed; absent, null and empty are faults. */
function emailField(fields: Fields): string {
  const before = fields.faults.length;
  const email = emailText(fields);
  if (fields.faults.length > before) return email;
  if (email === '') fields.faults.push('email is required');
  else if (longerThan(email, EMAIL_MAX)) fields.faults.push(`email must be at most ${EMAIL_MAX} characters`);
  else if (!isEmail(email)) fields.faults.push('email must be a valid email address');
  return email;
}

/** The trimmed email. An over-long one is not trimmed: without the blanks before it, it might become another address. */
function emailText(fields: Fields): string {
  const given = secretField(fields, 'email', EMAIL_MAX);
  return given.length > 2 * EMAIL_MAX ? given : given.trim();
}

function contributionsField(fields: Fields): Contributions {
  return choiceField(fields, 'contributions', ['keep', 'delete']) ?? 'keep';
}

/**
 * Text as it came, neither sanitised nor trimmed; absent, null and empty are faults. Text of over twice `max` UTF-16 units,
 * which is always more than `max` characters, is first cut to one unit more than that.
 */
function secretField({ values, faults }: Fields, name: string, max: number): string {
  const value = values.get(name) ?? null;
  if (value === null || value === '') faults.push(`${name} is required`);
  else if (typeof value !== 'string') faults.push(`${name} must be a string`);
  else if (value.length > 2 * max) return value.slice(0, 2 * max + 1);
  else if (!value.isWellFormed()) faults.push(`${name} is not valid Unicode`);
  else return value;
  return '';
}

/** As `secretField`, but undefined when it is absent or null. */
function optionalSecret(fields: Fields, name: string, max: number): string | undefined {
  return (fields.values.get(name) ?? null) === null ? undefined : secretField(fields, name, max);
}
