import { FILTERS } from '../../catalogue/restaurants/filters.ts';
import { type ChosenQuery, sortedQuery } from '../../catalogue/restaurants/input.ts';
import {
  type Fields,
  bodyParser,
  booleanField,
  idField,
  idsField,
  nameField,
  textField,
} from '../../kit/input/fields.ts';
import { queryOf } from '../../kit/input/query.ts';
import { Sent } from '../../kit/input/unknown.ts';
import { isObject, propertiesOf } from '../../kit/objects.ts';
import { DAY_MS, HOUR_MS, parseInstant } from '../../kit/time.ts';
import { usernameField } from '../accounts/usernames.ts';
import { type Ballot, CHOICES, readChoices } from './decision.ts';
import { MOST_OPTIONS } from './proposal.ts';

const TITLE_MAX = 100;
const GUEST_NAME_MAX = 50;
const MOST_DAYS_AHEAD = 60;
const TIME_MAX = 40;
const SECRET_MAX = 100;

/** A new outing with its options, or with a choice of places `from` which the service proposes some. */
export interface NewOuting {
  readonly title: string | null;
  /** Times in ISO 8601. */
  readonly at: string;
  readonly closesAt: string;
  readonly options: readonly number[];
  readonly from: ChosenQuery | undefined;
}

/** A ballot, and for a guest the name and the secret. */
interface NewBallot extends Ballot {
  readonly name: string | null;
  readonly secret: string | null;
}

export const parseNewOuting = bodyParser((fields): NewOuting => {
  const now = Date.now();
  const title = nameField(fields, 'title', TITLE_MAX);
  const at = timeField(fields, 'at');
  if (at === undefined) fields.faults.push('at is required');
  else if (at <= now || at > now + MOST_DAYS_AHEAD * DAY_MS)
    fields.faults.push(`at must be in the future, at most ${MOST_DAYS_AHEAD} days ahead`);
  // An hour before `at`, or half-way to it if that is in the past.
  const usual = at === undefined ? NaN : at - HOUR_MS > now ? at - HOUR_MS : now + (at - now) / 2;
  const closesAt = timeField(fields, 'closes_at');
  if (closesAt !== undefined && (closesAt <= now || (at !== undefined && closesAt >= at)))
    fields.faults.push('closes_at must be in the future and before at');
  const options = idsField(fields, 'options', MOST_OPTIONS);
  const from = fields.values.get('from') ?? undefined;
  const isGiven = options.length > 0;
  const isProposed = from !== undefined;
  if (isGiven === isProposed) fields.faults.push('Either options or from is required');
  else if (options.length === 1) fields.faults.push('options must have at least 2 ids');
  const isoOf = (time = NaN): string => (Number.isFinite(time) ? new Date(time).toISOString() : '');
  const source = from === undefined ? undefined : readSource(fields, from);
  return { title, at: isoOf(at), closesAt: isoOf(closesAt ?? usual), options, from: source };
});

const CIRCLE = ['lat', 'lng', 'radius'];
// The status and opening hours are those at the time of the outing.
const SOURCES = ['q', ...Object.keys(FILTERS).filter((name) => name !== 'status' && name !== 'open_at')];

/** Reads the parameters of the list of restaurants from an object, and those of the circle from its `near`. */
function readSource({ faults, inner }: Fields, from: unknown): ChosenQuery {
  const objectAt = (name: string, value: unknown): Sent<unknown> => {
    const sent = new Sent(propertiesOf(value) ?? new Map<string, unknown>());
    if (!isObject(value)) faults.push(`${name} must be an object`);
    inner.set(name, sent);
    return sent;
  };
  const sent = objectAt('from', from);
  const near = sent.get('near') ?? undefined;
  const circle = near === undefined ? undefined : objectAt('from.near', near);
  if (isObject(near) && (circle?.get('radius') ?? null) === null) faults.push('from.near.radius is required');
  const parameters = new Map<string, readonly string[]>();
  const read = (names: readonly string[], values: Sent<unknown> | undefined): void => {
    for (const name of names) {
      const value = values?.get(name) ?? [];
      const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!parts.every((part) => typeof part === 'number' || typeof part === 'string'))
        faults.push(`from.${name} must be a number, a text or an array of these`);
      else if (parts.length > 0) parameters.set(name, [encodeURIComponent(parts.join())]);
    }
  };
  read(SOURCES, sent);
  read(CIRCLE, circle);
  const query = queryOf(parameters);
  const chosen = sortedQuery(query, false);
  faults.push(...query.faults.map((fault) => `from.${fault}`));
  return { ...chosen, includes: [] };
}

/** The milliseconds since 1970 of a time with its offset; undefined if absent, NaN if it cannot be read. */
function timeField(fields: Fields, name: string): number | undefined {
  const text = textField(fields, name, TIME_MAX);
  const time = text === null ? undefined : (parseInstant(text) ?? NaN);
  if (Number.isNaN(time)) fields.faults.push(`${name} must be a time with its offset`);
  return time;
}

export const parseBallot = bodyParser(readBallot);

export const parseBallotByLink = bodyParser((fields): NewBallot => ({
  ...readBallot(fields),
  name: (fields.values.get('name') ?? '') === '' ? null : usernameField(fields, 'name', GUEST_NAME_MAX),
  secret: textField(fields, 'secret', SECRET_MAX),
}));

function readBallot(fields: Fields): Ballot {
  const coming = booleanField(fields, 'coming');
  const sent = fields.values.get('choices') ?? {};
  const choices = readChoices(sent);
  if (!choices)
    fields.faults.push(`choices must be an object of ${CHOICES.join(', ')} by the ids of options`);
  return { coming, choices: choices ?? new Map(), veto: idField(fields, 'veto') };
}
