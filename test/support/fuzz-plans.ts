import fc from 'fast-check';
import {
  type Description,
  type Fields,
  type Operation,
  elementsOf,
  isFields,
  mapValues,
} from './description.ts';
import { Reference, type Values, createValues, propertiesOf, reference, requiredOf } from './fuzz-values.ts';
import { formsOf } from './fuzz-forms.ts';
import { isGiven, ownPart, queryOf, without } from './fuzz-queries.ts';
import type { Part } from './photos.ts';

/** A request as it will be sent, but for the references in it. */
export interface Plan {
  readonly operation: Operation;
  readonly method: string;
  /** The values of the path template. */
  readonly path: Fields;
  readonly query: readonly Parameter[];
  readonly headers: Fields;
  readonly body: Body;
  /** Whose token goes along. */
  readonly token: 'own' | 'none' | 'bad';
  /** The rule that it breaks; undefined for none. */
  readonly broken: string | undefined;
  /** What the answer has to be: whatever a good request gets, a refusal, or either. */
  readonly expected: 'taken' | 'refused' | 'either';
}

/** A name and a value of a query. Without a name the value is a whole query. */
export type Parameter = readonly [name: string, value: unknown];

/** Text that is sent as it is, where all other values of a path or query are encoded. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The parts of a request. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly type: string | null; readonly value: Fields }
  | { readonly kind: 'form'; readonly parts: readonly Part[] }
  | { readonly kind: 'bytes'; readonly type: string | null; readonly content: Buffer };

/** The requests of an operation as the description has them. */
export interface Shape {
  readonly operation: Operation;
  readonly parameters: (place: string) => readonly Fields[];
  /** The flat schema of its JSON body, if it has one. */
  readonly body: Fields | undefined;
  readonly isForm: boolean;
  readonly bodyIsRequired: boolean;
}

const JSON_TYPE = 'application/json';
const BOTH = ['latitude', 'longitude'];
const RATINGS = ['food_rating', 'service_rating', 'ambiance_rating'];
/** Rules between the properties of a body, which its schema does not tell. */
// Cookies are for pages, and invitations have to be real ones.
const ofScript = (body: Fields): Fields => without(body, ['session', 'invitation']);
const BODY_RULES: Readonly<Record<string, (body: Fields) => Fields>> = {
  register: ofScript,
  refreshSession: ofScript,
  logout: ofScript,
  createRestaurant: together,
  updateRestaurant: together,
  createSuggestion: together,
  mergeRestaurants: oneOther,
  createVisit: visit,
  createOuting: (body) => without(body, [isGiven(body, 'from') ? 'options' : 'from']),
  updateVisit: (body) => without(visit(body), ['restaurant_id']),
  convertSuggestion: (body) =>
    RATINGS.every((name) => isGiven(body, name)) ? body : without(body, [...RATINGS, 'comment']),
};

/** Ids that not all of a collection will do for. */
const POOLS_OF_PATHS: Readonly<Record<string, string>> = {
  convertSuggestion: 'open suggestions',
  setSuggestionStatus: 'open suggestions',
  revertChange: 'open changes',
  purgeChange: 'deletions',
};

/** Whether an operation gets beyond `503`: a service in a test has neither a maps nor an identity provider. */
export function isSetUp({ path }: Operation): boolean {
  return !/^\/api\/(?:places|geocode|auth\/(?:idp|oidc))(?:\/|$)/.test(path);
}

/** The shapes of the requests of all operations. */
export function readShapes(description: Description, values: Values): readonly Shape[] {
  return description.operations.map((operation) => {
    const request = operation.fields['requestBody'];
    const { content, required } = request === undefined ? {} : description.resolve(request);
    const [json, form] = [JSON_TYPE, 'multipart/form-data'].map((type) =>
      isFields(content) && isFields(content[type]) ? content[type]['schema'] : undefined,
    );
    return {
      operation,
      parameters: (place) => operation.parameters.filter((parameter) => parameter['in'] === place),
      body: json === undefined ? undefined : values.flat(json),
      isForm: form !== undefined,
      bodyIsRequired: required === true,
    };
  });
}

/** Makes the arbitrary requests of a shape that keep to all rules. */
export function createPlans(description: Description): {
  readonly shapes: readonly Shape[];
  readonly good: (shape: Shape) => fc.Arbitrary<Plan>;
} {
  const values = createValues(description);

  function parametersIn(shape: Shape, place: string): fc.Arbitrary<Fields> {
    const parameters = shape.parameters(place);
    const schemas = parameters.map(({ name, schema }) => [String(name), schema] as const);
    const required = parameters.filter((parameter) => parameter['required'] === true);
    return values.object(
      new Map(schemas),
      required.map(({ name }) => String(name)),
    );
  }

  function bodyOf({ operation, body, isForm, bodyIsRequired }: Shape): fc.Arbitrary<Body> {
    if (isForm) return formsOf(operation.operationId).good.map((parts) => ({ kind: 'form', parts }));
    if (operation.operationId === 'login') return logins();
    if (!body) return fc.constant({ kind: 'none' });
    const rule = BODY_RULES[operation.operationId] ?? ((value: Fields) => value);
    const json = values
      .object(propertiesOf(body), requiredOf(body))
      .map((value): Body => ({ kind: 'json', type: JSON_TYPE, value: rule(value) }));
    // Without a body there must be its type nevertheless.
    const empty: Body = { kind: 'bytes', type: JSON_TYPE, content: Buffer.alloc(0) };
    return bodyIsRequired ? json : fc.oneof({ weight: 5, arbitrary: json }, fc.constant(empty));
  }

  function good(shape: Shape): fc.Arbitrary<Plan> {
    const { operation } = shape;
    const parts = fc.record({
      path: pathOf(shape, parametersIn(shape, 'path')),
      query: parametersIn(shape, 'query').map((query) => queryOf(operation, query)),
      headers: parametersIn(shape, 'header'),
      body: bodyOf(shape),
      isHead: fc.nat(5).map((number) => number === 0),
      isAnonymous: fc.boolean(),
    });
    return parts.map(({ isHead, isAnonymous, ...plan }) => {
      const canBeAnonymous = isPublic(operation) && ownPart(plan) === 'none';
      return {
        ...plan,
        operation,
        method: isHead && operation.method === 'GET' ? 'HEAD' : operation.method,
        token: operation.operationId === 'logout' || (canBeAnonymous && isAnonymous) ? 'none' : 'own',
        broken: undefined,
        expected: 'taken',
      };
    });
  }

  return { shapes: readShapes(description, values), good };
}

/** Whether an operation can do without a token. */
export function isPublic({ fields }: Operation): boolean {
  const ways = elementsOf(fields['security']);
  return ways.length === 0 || ways.some((way) => !isFields(way) || !Object.hasOwn(way, 'bearer'));
}

/** The ids in a path are those of the collection that stands before them. */
function pathOf({ operation }: Shape, others: fc.Arbitrary<Fields>): fc.Arbitrary<Fields> {
  const { path, operationId } = operation;
  const [, collection = ''] = /([a-z-]+)\/\{(?:id|restaurantId)\}/.exec(path) ?? [];
  if (collection === '') return others;
  const id = reference(POOLS_OF_PATHS[operationId] ?? collection);
  if (path.includes('/items/'))
    return fc
      .tuple(others, id, reference('restaurants'))
      .map(([values, found, restaurantId]) => ({ ...values, id: found, restaurantId }));
  return fc.tuple(others, id).map(([values, found]) => mapValues(values, () => found));
}

function logins(): fc.Arbitrary<Body> {
  return reference('emails').map(({ turn }) => ({
    kind: 'json',
    type: JSON_TYPE,
    value: { email: new Reference('emails', turn), password: new Reference('passwords', turn) },
  }));
}

function together(body: Fields): Fields {
  return withOneGoogleId(BOTH.every((name) => isGiven(body, name)) ? body : without(body, BOTH));
}

/** The id of Google has two names, of which one is enough. */
function withOneGoogleId(body: Fields): Fields {
  const { external_ids } = body;
  const isTwice = 'google_place_id' in body && isFields(external_ids) && 'google' in external_ids;
  return isTwice ? without(body, ['google_place_id']) : body;
}

/** Each merge takes one restaurant away. */
function oneOther({ from }: Fields): Fields {
  const ids = elementsOf(from).slice(0, 1);
  return { from: ids.map((id) => new Reference('restaurants', Number(id) % 10_000)) };
}

/** Days have bounds, and amounts need a currency that there is. */
function visit(body: Fields): Fields {
  return { ...body, currency: 'EUR', ...('visited_on' in body && { visited_on: '2026-01-31' }) };
}
