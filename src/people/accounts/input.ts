import {
  type Fields,
  type Parsed,
  integerField,
  longerThan,
  nameField,
  parsed,
  readFields,
  requiredNameField,
} from '../../kit/input/fields.ts';
import type { NewApiToken } from './api-tokens.ts';
import { PASSWORD_MAX, passwordFaults } from './passwords.ts';
import { usernameField } from './usernames.ts';
import { EMAIL_MAX } from './users.ts';

/** A new local account, checked. */
export interface Registration {
  readonly email: string;
  readonly username: string;
  readonly password: string;
  readonly fullName: string | null;
  /** The secret of an invitation. */
  readonly invitation: string | undefined;
}

/** Email and password of a login. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

// SPEC, "Limits".
const REFRESH_TOKEN_MAX = 512;
// Of invitations and of links to set a password, which are shorter.
const LINK_SECRET_MAX = 100;
/** Characters (code points) that a full name may have. */
export const FULL_NAME_MAX = 255;
const LOCAL_PART_MAX = 64;
// Letters of any script; otherwise the characters of RFC 5322's dot-atom and of host names.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;
const DAYS_MAX = 3650;
// Of a body that starts or continues a session: read by `parseSessionForm`.
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
 * A body that logs in. Only its shape is checked: what cannot be an account is refused like any wrong password. So is
 * an over-long email or password, of which no more is left than shows that it is too long.
 */
export function parseCredentials(body: object): Parsed<Credentials> {
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

/** Whether the body of a sign-in, refresh or logout asks for a session in a cookie; its other fields are for the other parser. */
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
    expiresInDays: integerField(fields, 'expires_in_days', 1, DAYS_MAX),
  });
}

/** A body with the secret of an invitation. */
export function parseInvitationSecret(body: object): Parsed<string> {
  const fields = readFields(body);
  return parsed(fields, secretField(fields, 'invitation', LINK_SECRET_MAX));
}

/** A body that sets a password by a link; whether the password may be one is checked once its owner is known. */
export function parsePasswordReset(
  body: object,
): Parsed<{ readonly token: string; readonly password: string }> {
  const fields = readFields(body);
  const token = secretField(fields, 'token', LINK_SECRET_MAX);
  return parsed(fields, { token, password: secretField(fields, 'new_password', PASSWORD_MAX) });
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
export function emailField(fields: Fields): string {
  const before = fields.faults.length;
  const email = emailText(fields);
  if (fields.faults.length > before) return email;
  if (email === '') fields.faults.push('email is required');
  else if (longerThan(email, EMAIL_MAX)) fields.faults.push(`email must be at most ${EMAIL_MAX} characters`);
  else if (!isEmail(email)) fields.faults.push('email must be a valid email address');
  return email;
}

/** The trimmed email. An over-long one stays so: without the blanks before it, it might become another address. */
function emailText(fields: Fields): string {
  const given = secretField(fields, 'email', EMAIL_MAX);
  return given.length > 2 * EMAIL_MAX ? given : given.trim();
}

/**
 * Text as it came, neither sanitised nor trimmed; absent, null and empty are faults. Text of over twice `max` UTF-16
 * units, which is more than `max` characters whatever they are, is cut to one unit more than that before anything
 * else is done with it.
 */
export function secretField({ values, faults }: Fields, name: string, max: number): string {
  const value = values.get(name) ?? null;
  if (value === null || value === '') faults.push(`${name} is required`);
  else if (typeof value !== 'string') faults.push(`${name} must be a string`);
  else if (value.length > 2 * max) return value.slice(0, 2 * max + 1);
  else if (!value.isWellFormed()) faults.push(`${name} is not valid Unicode`);
  else return value;
  return '';
}

/** The same where it need not be there: undefined when it is absent or null. */
export function optionalSecret(fields: Fields, name: string, max: number): string | undefined {
  return (fields.values.get(name) ?? null) === null ? undefined : secretField(fields, name, max);
}
