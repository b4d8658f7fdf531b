import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readTarget } from '../../../src/http/target.ts';
import { ACTIONS, PUBLIC_KINDS, PRIVATE_KINDS } from '../../../src/storage/change-log.ts';
import { readVersion } from '../../../src/kit/version.ts';
import { ANYWHERE, ANY_KEYED, ANY_STRICT, ANY_WRITE } from '../../support/conformance.ts';
import {
  type Fields,
  elementsOf,
  isFields,
  readDescription,
  readDescriptionText,
} from '../../support/description.ts';
import { longTest } from '../../support/size.ts';

const description = readDescription();
const { document, operations, resolve, entries } = description;
const info = resolve(document['info']);
const components = resolve(document['components']);

/** A place of the document: its JSON pointer, the names that lead there, and what is there. */
interface Place {
  readonly pointer: string;
  readonly names: readonly string[];
  readonly fields: Fields;
}

// Values, which may have any form.
const VALUES = new Set(['example', 'examples', 'default', 'const', 'enum']);
const places = [...placesOf(document, [])];

function* placesOf(value: unknown, names: readonly string[]): Generator<Place> {
  if (Array.isArray(value))
    for (const [index, element] of value.entries()) yield* placesOf(element, [...names, String(index)]);
  if (!isFields(value)) return;
  yield { pointer: `#/${names.join('/')}`, names, fields: value };
  for (const [name, child] of Object.entries(value)) {
    const isNamedByAuthor = names.at(-1) === 'properties';
    if (isNamedByAuthor || !VALUES.has(name)) yield* placesOf(child, [...names, name]);
  }
}

/** The members of all maps with this name, such as each property of each `properties`. */
function membersOf(map: string): Place[] {
  return places.filter(({ names }) => names.at(-2) === map);
}

function described(fields: Fields): boolean {
  const own = fields['description'] ?? resolve(fields)['description'];
  return typeof own === 'string' && own.trim() !== '';
}

function undescribed(found: readonly Place[]): string[] {
  return found.filter(({ fields }) => !described(fields)).map(({ pointer }) => pointer);
}

function idsOf(wanted: (fields: Fields) => boolean): string[] {
  return operations.filter(({ fields }) => wanted(fields)).map(({ operationId }) => operationId);
}

function assertNone(faults: readonly unknown[]): void {
  assert.deepEqual(faults, []);
}

/** The schemas that answers reach, over references and within each other. */
function answeredSchemas(): Set<Fields> {
  const reached = new Set<Fields>();
  function reach(value: unknown): void {
    for (const { fields } of placesOf(value, [])) {
      if (reached.has(fields)) continue;
      reached.add(fields);
      if (fields['$ref'] !== undefined) reach(resolve(fields));
    }
  }
  for (const { fields } of operations)
    for (const [, response] of entries(fields['responses']))
      for (const [, media] of entries(response['content'])) reach(media['schema']);
  return reached;
}

/** The schemas that `allOf` combines, and theirs. */
function partsOf(schema: Fields): Fields[] {
  const parts = elementsOf(schema['allOf']).map(resolve);
  return parts.flatMap((part) => [part, ...partsOf(part)]);
}

describe('static/swagger.yaml', () => {
  longTest('passes the linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // A sign-in with a provider and the page at / only redirect.
      rules: { 'operation-2xx-response': 'off' },
    });
    const absoluteRef = fileURLToPath(new URL('../../../static/swagger.yaml', import.meta.url));
    const problems = await lintFromString({ source: readDescriptionText(), absoluteRef, config });
    assertNone(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]));
  });

  test('is of OpenAPI 3.1 and of the version of the program', () => {
    assert.match(String(document['openapi']), /^3\.1\.\d$/);
    assert.equal(info['version'], readVersion());
  });

  test('names each operation once, with a short summary, a description and one of its tags', () => {
    const tags = elementsOf(document['tags']).map((tag) => String(resolve(tag)['name']));
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    const tagOf = (fields: Fields): string => elementsOf(fields['tags']).join();
    const isShort = ({ summary }: Fields): boolean =>
      /^[A-Z]\S*( \S+){1,5}$/.test(String(summary)) && !String(summary).endsWith('.');
    assertNone(idsOf((fields) => !isShort(fields)));
    assertNone(idsOf((fields) => !described(fields)));
    assertNone(idsOf((fields) => !tags.includes(tagOf(fields))));
    assertNone(tags.filter((tag) => operations.every(({ fields }) => tagOf(fields) !== tag)));
  });

  test('describes each parameter, header, response, property, tag and the sign-in', () => {
    const parameters = operations.flatMap(({ operationId, parameters: found }) =>
      found.map((fields) => ({ pointer: `${operationId}: ${String(fields['name'])}`, names: [], fields })),
    );
    assert.ok(parameters.length > 20 && membersOf('properties').length > 50);
    assertNone(undescribed(parameters));
    for (const map of ['responses', 'headers', 'properties', 'securitySchemes'])
      assertNone(undescribed(membersOf(map)));
    assertNone(undescribed(places.filter(({ names }) => names[0] === 'tags' && names.length === 2)));
  });

  test('has an example of each parameter and each body of an operation', () => {
    const shown = (fields: Fields): boolean =>
      fields['example'] !== undefined || Object.keys(resolve(fields['examples'] ?? {})).length > 0;
    const bare = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter((one) => !shown(one)).map((one) => `${operationId}: ${String(one['name'])}`),
    );
    assertNone(bare);
    const mute = idsOf(({ requestBody }) => {
      const media = requestBody === undefined ? [] : entries(resolve(requestBody)['content']);
      return media.some(([, one]) => !shown(one));
    });
    assertNone(mute);
  });

  test('requires all properties of answers but the optional ones', () => {
    const answered = [...answeredSchemas()];
    const parts = new Set(answered.flatMap(partsOf));
    const objects = answered
      .filter((schema) => !parts.has(schema))
      .map((schema) => [schema, ...partsOf(schema)]);
    const optional = objects.flatMap((schemas) => {
      const required = schemas.flatMap((schema) => elementsOf(schema['required']));
      const names = schemas.flatMap(({ properties }) => Object.keys(isFields(properties) ? properties : {}));
      return names.filter((name) => !required.includes(name));
    });
    assert.ok(objects.length > 10);
    const known = [
      'batches',
      'code',
      'cover',
      'distance',
      'items',
      'map',
      'mine',
      'note',
      'opening',
      'pending_suggestions',
      'photos',
      'ratings',
      'secret',
    ];
    assert.deepEqual([...new Set(optional)].sort(), known);
  });

  test('lists the kinds and actions of the change log', () => {
    const { ChangeKind, ChangeAction } = resolve(components['schemas']);
    assert.deepEqual(resolve(ChangeKind)['enum'], [...PUBLIC_KINDS, ...PRIVATE_KINDS]);
    assert.deepEqual(resolve(ChangeAction)['enum'], ACTIONS);
  });

  test('allows further properties in answers', () => {
    const closed = [...answeredSchemas()].filter(
      (schema) => schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false,
    );
    assertNone(closed);
  });

  test('uses all shared components', () => {
    const used = new Set(
      [...readDescriptionText().matchAll(/\$ref: '([^']*)'/g)].map(([, pointer]) => pointer),
    );
    const shared = Object.entries(components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, map]) => Object.keys(resolve(map)).map((name) => `#/components/${kind}/${name}`));
    assert.ok(shared.length > 20);
    assertNone(shared.filter((pointer) => !used.has(pointer)));
  });

  test('links to operations and paths that exist', () => {
    const texts = places
      .map(({ fields }) => fields['description'])
      .filter((text) => typeof text === 'string');
    const targets = texts.flatMap((text) =>
      [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target),
    );
    assert.ok(targets.length > 5);
    const ids = new Set(operations.map(({ operationId }) => operationId));
    const leadsNowhere = (target: string): boolean => {
      if (target.startsWith('#')) return !ids.has(target.slice(1));
      return !target.startsWith('/') || description.find(readTarget(target).segments) === undefined;
    };
    assertNone(targets.filter(leadsNowhere));
  });

  test('states the statuses that any request may get once, and with no operation', () => {
    const text = String(info['description']);
    const stated = [...text.matchAll(/`(\d{3})`/g)].map(([, status]) => Number(status));
    const general = [...ANYWHERE, ANY_WRITE, ...ANY_KEYED, ANY_STRICT, 404, 405];
    assertNone(general.filter((status) => !stated.includes(status)));
    assertNone(
      idsOf(({ responses }) => [...ANYWHERE, 405].some((status) => String(status) in resolve(responses))),
    );
  });
});
