import {
  type Parsed,
  booleanField,
  integerField,
  parsed,
  readFields,
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
import { ACCOUNT_ANSWER, type AccountFilters } from './directory.ts';
import { emailField } from './input.ts';
import type { NewInvitation } from './invitations.ts';

const MAX_CURSOR = 200;
const MAX_TEXT = 200;
const MAX_NOTE = 255;
const MAX_DAYS = 30;
const DEFAULT_DAYS = 7;

/** The query of `GET /users`. */
export function parseUserQuery(queryString: string): Parsed<AccountFilters & PagePart> {
  const query = readQuery(queryString);
  const flag = (name: string): boolean | undefined => {
    const word = choiceParameter(query, name, ['true', 'false']);
    return word && word === 'true';
  };
  return parsed(query, {
    text: textParameter(query, 'q', MAX_TEXT),
    isActive: flag('is_active'),
    isAdmin: flag('is_admin'),
    ...pagePart(query, MAX_CURSOR),
  });
}

/** A body that activates or deactivates a user. */
export function parseActivation(body: object): Parsed<boolean> {
  const fields = readFields(body, ACCOUNT_ANSWER);
  return parsed(fields, booleanField(fields, 'is_active'));
}

/** The query of `DELETE /users/{id}/sessions`: whether API tokens go, too. */
export function parseTokensToo(queryString: string): Parsed<boolean> {
  const query = readQuery(queryString);
  return parsed(query, choiceParameter(query, 'api_tokens', ['true', 'false']) === 'true');
}

/** A body that makes an invitation; it may be empty. */
export function parseNewInvitation(body: object): Parsed<NewInvitation> {
  const fields = readFields(body);
  return parsed(fields, {
    email: (fields.values.get('email') ?? null) === null ? null : emailField(fields),
    note: textField(fields, 'note', MAX_NOTE),
    days: integerField(fields, 'expires_in_days', 1, MAX_DAYS) ?? DEFAULT_DAYS,
  });
}

/** The query of `GET /invitations`. */
export function parseInvitationList(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}
