import {
  type Fields,
  type Parsed,
  bodyParser,
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
import { type Query, choiceParameter, pagePart, queryParser, textParameter } from '../../kit/input/query.ts';
import { PASSWORD_MAX, passwordFaults } from './passwords.ts';
import { USERNAME_MAX, usernameField } from './usernames.ts';
import { ACCOUNT_ANSWER, EMAIL_MAX, type Profile, USER_ANSWER } from './users.ts';

/** Whether deleting an account deletes its ratings, photos and suggestions. */
export type Contributions = 'keep' | 'delete';

const REFRESH_TOKEN_MAX = 512;
// More than the secrets of invitations and password links have.
const LINK_SECRET_MAX = 100;
const FULL_NAME_MAX = 255;
const LOCAL_PART_MAX = 64;
// Letters of any script, plus the other characters of RFC 5322's dot-atom.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_LABEL = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;
const TOKEN_DAYS_MAX = 3650;
const INVITATION_DAYS_MAX = 30;
const INVITATION_DAYS = 7;
const CURSOR_MAX = 200;
const SEARCH_MAX = 200;
const NOTE_MAX = 255;
// `parseSessionForm` reads this field from the same body.
const READ_APART = ['session'];

export const parseRegistration = bodyParser((fields) => {
  const registration = {
    email: emailField(fields),
    username: usernameField(fields, 'username'),
    password: secretField(fields, 'password', PASSWORD_MAX),
    fullName: nameField(fields, 'full_name', FULL_NAME_MAX),
    invitation: optionalSecret(fields, 'invitation', LINK_SECRET_MAX),
  };
  if (registration.password !== '')
    fields.faults.push(...passwordFaults(registration.password, registration));
  return registration;
}, READ_APART);

/**
 * A login. Only its shape is checked: an email that no account can have fails like a wrong password. So does an over-long
 * email or password, which is cut to a length that is still too long.
 */
export const parseCredentials = bodyParser(
  (fields) => ({ email: emailText(fields), password: secretField(fields, 'password', PASSWORD_MAX) }),
  READ_APART,
);

export const parseRefresh = bodyParser(
  (fields) => secretField(fields, 'refresh_token', REFRESH_TOKEN_MAX),
  READ_APART,
);

/** A logout; undefined if the body has no refresh token. */
export const parseLogout = bodyParser(
  (fields) => optionalSecret(fields, 'refresh_token', REFRESH_TOKEN_MAX),
  READ_APART,
);

/** Whether a sign-in, refresh or logout asks for a cookie session. Another parser reads the other fields. */
export function parseSessionForm(body: object): Parsed<boolean> {
  const fields = readFields(body, Object.keys(body));
  const form = fields.values.get('session') ?? null;
  if (form !== null && form !== 'cookie') fields.faults.push('session must be cookie');
  return parsed(fields, form === 'cookie');
}

export const parseNewApiToken = bodyParser((fields) => ({
  name: requiredNameField(fields, 'name', 100),
  /** Null means never. */
  expiresInDays: integerField(fields, 'expires_in_days', 1, TOKEN_DAYS_MAX),
}));

/** The rules for passwords are not checked here: they depend on the owner. */
export const parsePasswordChange = bodyParser((fields) => ({
  current: secretField(fields, 'current_password', PASSWORD_MAX),
  password: secretField(fields, 'new_password', PASSWORD_MAX),
}));

/** Sets a password through a link. Like `parsePasswordChange`, it does not check the rules for passwords. */
export const parsePasswordReset = bodyParser((fields) => ({
  token: secretField(fields, 'token', LINK_SECRET_MAX),
  password: secretField(fields, 'new_password', PASSWORD_MAX),
}));

/** A change of the caller's names; absent ones stay. */
export const parseProfile = bodyParser((fields): Partial<Profile> => {
  const { values } = fields;
  return {
    ...(values.has('username') && { username: usernameField(fields, 'username') }),
    ...(values.has('full_name') && { fullName: nameField(fields, 'full_name', FULL_NAME_MAX) }),
  };
}, USER_ANSWER);

/** Deletes the caller's account. The password confirms it, or the username if the account has no password. */
export const parseDeletion = bodyParser((fields) => ({
  password: optionalSecret(fields, 'password', PASSWORD_MAX),
  confirm: optionalSecret(fields, 'confirm', USERNAME_MAX),
  contributions: contributionsField(fields),
}));

/** Deletes another user's account. */
export const parseContributions = bodyParser(contributionsField);

/** The query of `GET /users`. */
export const parseUserQuery = queryParser((query) => ({
  filters: {
    text: textParameter(query, 'q', SEARCH_MAX),
    isActive: flagParameter(query, 'is_active'),
    isAdmin: flagParameter(query, 'is_admin'),
  },
  ...pagePart(query, CURSOR_MAX),
}));

/** Activates or deactivates a user. */
export const parseActivation = bodyParser((fields) => booleanField(fields, 'is_active'), ACCOUNT_ANSWER);

/** Whether to remove API tokens along with sessions. */
export const parseTokensToo = queryParser((query) => flagParameter(query, 'api_tokens') === true);

export const parseNewInvitation = bodyParser((fields) => ({
  email: (fields.values.get('email') ?? null) === null ? null : emailField(fields),
  note: textField(fields, 'note', NOTE_MAX),
  days: integerField(fields, 'expires_in_days', 1, INVITATION_DAYS_MAX) ?? INVITATION_DAYS,
}));

export const parseInvitationSecret = bodyParser((fields) =>
  secretField(fields, 'invitation', LINK_SECRET_MAX),
);

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

/** The trimmed email. An over-long one, which was cut, is not trimmed: that might turn it into a valid address. */
function emailText(fields: Fields): string {
  const email = secretField(fields, 'email', EMAIL_MAX);
  return email.length > 2 * EMAIL_MAX ? email : email.trim();
}

function flagParameter(query: Query, name: string): boolean | undefined {
  const word = choiceParameter(query, name, ['true', 'false']);
  return word && word === 'true';
}

function contributionsField(fields: Fields): Contributions {
  return choiceField(fields, 'contributions', ['keep', 'delete']) ?? 'keep';
}

/**
 * The text as sent, neither sanitised nor trimmed; absent, null and empty are faults. Text of more than 2 * `max` UTF-16
 * units, which always has more than `max` characters, is cut to 2 * `max` + 1 units.
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

/** Like `secretField`, but undefined if absent or null. */
function optionalSecret(fields: Fields, name: string, max: number): string | undefined {
  return (fields.values.get(name) ?? null) === null ? undefined : secretField(fields, name, max);
}
