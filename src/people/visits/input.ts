import {
  type Fields,
  type Parsed,
  integerField,
  parsed,
  readFields,
  requiredIdField,
  requiredTextField,
  idField,
  textField,
} from '../../kit/input/fields.ts';
import {
  type Query,
  choicesParameter,
  integerParameter,
  pagePart,
  queryParser,
  textParameter,
} from '../../kit/input/query.ts';
import { isObject, pick } from '../../kit/objects.ts';
import { DAY_MS, parseInstant } from '../../kit/time.ts';
import { type Dish, VISIT_ANSWER, VISIT_COLUMNS, type VisitFields } from './record.ts';

const FIRST_DAY = '1900-01-01';
const LAST_DAY = '9999-12-31';
const NOTE_MAX = 5_000;
const DISH_NOTE_MAX = 1_000;
const MOST_COMPANIONS = 20;
const COMPANION_MAX = 100;
const MOST_DISHES = 50;
const DISH_NAME_MAX = 200;
const AMOUNT_MAX = 1_000_000_000_000;
const MOST_BYTES = 64 * 1024;
const TOO_LARGE = 'visit must be at most 64 KB';
const MAX_CURSOR = 200;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A body that creates a visit; without a day it is today. */
export const parseNewVisit = visitParser((fields, dishes) => {
  const restaurantId = requiredIdField(fields, 'restaurant_id');
  const visit = { visited_on: dayField(fields), ...readRest(fields, dishes) };
  fields.faults.push(...visitFaults({ ...visit, visited_on: visit.visited_on ?? FIRST_DAY }));
  return { restaurantId, ...visit };
});

/**
 * A body that changes a visit: the result has only the fields that were sent, and the restaurant that it names, null for one
 * that is deleted.
 */
export const parseVisitChange = visitParser((fields, dishes) => {
  const restaurantId = fields.values.has('restaurant_id') ? idField(fields, 'restaurant_id') : undefined;
  const visitedOn = dayField(fields);
  if (fields.values.has('visited_on') && fields.values.get('visited_on') === null)
    fields.faults.push('visited_on is required');
  const sent = Object.entries(readRest(fields, dishes)).filter(([name]) => fields.values.has(name));
  const change: Partial<VisitFields> = Object.fromEntries(sent);
  return { restaurantId, change: visitedOn === undefined ? change : { ...change, visited_on: visitedOn } };
});

/**
 * Makes a parser of visits. `read` adds the fields of each dish to `dishes`, whose unknown names are reported as well. If the
 * body is too large as sent, that is the only fault, so that clients do not shorten fields one by one.
 */
function visitParser<Value>(
  read: (fields: Fields, dishes: Fields[]) => Value,
): (body: object) => Parsed<Value> {
  return (body) => {
    const [fields, dishes] = [readFields(body, VISIT_ANSWER), new Array<Fields>()];
    const value = read(fields, dishes);
    const sent = Object.entries(body).filter(([name]) => VISIT_ANSWER.includes(name));
    const isOversized = fields.faults.length > 0 && isTooLarge(Object.fromEntries(sent));
    const unknown: Fields['unknown'] = () => ({
      of: 'fields',
      sentences: [fields, ...dishes].flatMap((one) => one.unknown().sentences),
    });
    return parsed({ faults: isOversized ? [TOO_LARGE] : fields.faults, unknown }, value);
  };
}

/** The faults of a visit as it would be stored, beyond those of its fields. */
export function visitFaults(visit: VisitFields): readonly string[] {
  if (isTooLarge(pick({ ...visit }, VISIT_COLUMNS))) return [TOO_LARGE];
  const { total_minor, currency, dishes } = visit;
  const hasAmount = total_minor !== null || dishes.some(({ price_minor }) => price_minor !== null);
  return hasAmount && currency === null ? ['currency is required with an amount'] : [];
}

function isTooLarge(fields: object): boolean {
  return Buffer.byteLength(JSON.stringify(fields)) > MOST_BYTES;
}

/** The query of `GET /visits`. */
export const parseVisitsQuery = queryParser((query) => ({
  filters: {
    restaurantId: integerParameter(query, 'restaurant_id', 1, Number.MAX_SAFE_INTEGER) ?? null,
    from: dayParameter(query, 'from') ?? FIRST_DAY,
    to: dayParameter(query, 'to') ?? LAST_DAY,
  },
  withPlaces: choicesParameter(query, 'include', ['restaurant']) !== undefined,
  ...pagePart(query, MAX_CURSOR),
}));

function dayParameter(query: Query, name: string): string | undefined {
  const text = textParameter(query, name, 100);
  if (text === undefined || isDay(text)) return text;
  query.faults.push(`${name} must be a day as YYYY-MM-DD`);
  return undefined;
}

function readRest(fields: Fields, dishes: Fields[]): Omit<VisitFields, 'visited_on'> {
  return {
    note: textField(fields, 'note', NOTE_MAX),
    companions: companionsField(fields),
    total_minor: integerField(fields, 'total_minor', 0, AMOUNT_MAX),
    currency: currencyField(fields),
    dishes: dishesField(fields, dishes),
  };
}

/** A day of the calendar, from 1900 to tomorrow; undefined where it is absent or null. */
function dayField({ values, faults }: Fields): string | undefined {
  const value = values.get('visited_on') ?? undefined;
  if (value === undefined) return undefined;
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
  if (typeof value === 'string' && isDay(value) && value >= FIRST_DAY && value <= tomorrow) return value;
  faults.push(`visited_on must be a day as YYYY-MM-DD, from ${FIRST_DAY} to tomorrow`);
  return undefined;
}

function isDay(text: string): boolean {
  return parseInstant(`${text}T00:00Z`) !== undefined;
}

function currencyField(fields: Fields): string | null {
  const code = textField(fields, 'currency', 100)?.toUpperCase() ?? null;
  if (code !== null && !CURRENCIES.has(code)) fields.faults.push('currency must be a code of ISO 4217');
  return code;
}

function companionsField(fields: Fields): readonly string[] {
  return elements(fields, 'companions', MOST_COMPANIONS).map((value, index) => {
    const name = `companions[${index}]`;
    const one = readFields({ [name]: value });
    const text = requiredTextField(one, name, COMPANION_MAX);
    fields.faults.push(...one.faults);
    return text;
  });
}

function dishesField(fields: Fields, dishes: Fields[]): readonly Dish[] {
  return elements(fields, 'dishes', MOST_DISHES).flatMap((value, index) => {
    if (!isObject(value)) {
      fields.faults.push(`dishes[${index}] must be an object`);
      return [];
    }
    const one = readFields(value);
    dishes.push(one);
    const dish = {
      name: requiredTextField(one, 'name', DISH_NAME_MAX),
      stars: integerField(one, 'stars', 1, 5),
      price_minor: integerField(one, 'price_minor', 0, AMOUNT_MAX),
      note: textField(one, 'note', DISH_NOTE_MAX),
      again: flagField(one, 'again'),
    };
    fields.faults.push(...one.faults.map((fault) => `dishes[${index}].${fault}`));
    return [dish];
  });
}

function flagField({ values, faults }: Fields, name: string): boolean | null {
  const value = values.get(name) ?? null;
  if (value === null || typeof value === 'boolean') return value;
  faults.push(`${name} must be true or false`);
  return null;
}

/** The elements of an array of at most `max`; none where it is absent or null. */
function elements({ values, faults }: Fields, name: string, max: number): readonly unknown[] {
  const value = values.get(name) ?? [];
  if (!Array.isArray(value)) faults.push(`${name} must be an array`);
  else if (value.length > max) faults.push(`${name} must have at most ${max} elements`);
  else return value;
  return [];
}
