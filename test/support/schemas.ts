import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Description, type Fields, elementsOf, isFields, mapValues, typesOf } from './description.ts';

/** Checks values against the schemas of a description, each compiled when it is first needed. */
export interface SchemaChecker {
  /** The faults of a value; a property that the schema does not tell is one. */
  readonly faults: (schema: unknown, value: unknown) => readonly string[];
  /** The faults of the text of a header, which may stand for a number. */
  readonly textFaults: (schema: unknown, text: string) => readonly string[];
}

const DOCUMENT = 'description';
// Places of a schema whose value is a schema for values within, for the value itself, a list of such, a map of such.
const FOR_VALUES_WITHIN = new Set(['items', 'additionalProperties', 'contains', 'unevaluatedItems']);
const FOR_ITSELF = new Set(['not', 'if', 'then', 'else']);
const LISTS_FOR_ITSELF = new Set(['allOf', 'anyOf', 'oneOf']);
const MAPS = new Set(['properties', 'patternProperties', '$defs']);
const NOTES = new Set([
  'description',
  'title',
  'example',
  'examples',
  'discriminator',
  'xml',
  'externalDocs',
]);

/** A checker for the schemas of `description`. */
export function createSchemaChecker(description: Description): SchemaChecker {
  const { document, resolve } = description;
  // The suite compiles schemas in each of its processes: the time that takes counts for more than that of a check.
  const cheap = { validateSchema: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...cheap });
  formats.default(ajv);
  const strict = createStrictForms(resolve);
  const schemas = isFields(document['components']) ? document['components']['schemas'] : undefined;
  ajv.addSchema({ $id: DOCUMENT, components: { schemas: mapValues(schemas, strict.open) } });
  const compiled = new WeakMap<Fields, ValidateFunction>();

  function validator(schema: Fields): ValidateFunction {
    const found = compiled.get(schema);
    if (found) return found;
    const made = ajv.compile(strict.closed(schema));
    compiled.set(schema, made);
    return made;
  }

  function faults(schema: unknown, value: unknown): string[] {
    if (!isFields(schema)) return [];
    const check = validator(schema);
    if (check(value)) return [];
    return (check.errors ?? []).slice(0, 5).map(sentence);
  }

  function textFaults(schema: unknown, text: string): string[] {
    const types = isFields(schema) ? typesOf(resolve(schema)) : [];
    const isNumber = types.includes('integer') || types.includes('number');
    return faults(schema, isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  }

  return { faults, textFaults };
}

interface StrictForms {
  /** For a whole value: whatever none of its parts describes is refused. */
  readonly closed: (schema: unknown) => object | boolean;
  /** For what may be a part of another schema: open itself, with closed ones for all values within. */
  readonly open: (schema: unknown) => Fields;
}

function createStrictForms(resolve: Description['resolve']): StrictForms {
  function closed(schema: unknown): object | boolean {
    if (!isFields(schema)) return schema === true;
    const types = typesOf(resolve(schema));
    const isObject = types.length === 0 || types.includes('object');
    return isObject ? { ...open(schema), unevaluatedProperties: false } : open(schema);
  }

  function open(schema: unknown): Fields {
    const entries = Object.entries(isFields(schema) ? schema : {}).filter(([key]) => !NOTES.has(key));
    return Object.fromEntries(entries.map(([key, value]) => [key, formOf(key, value)]));
  }

  function formOf(key: string, value: unknown): unknown {
    if (key === '$ref') return DOCUMENT + String(value);
    if (FOR_VALUES_WITHIN.has(key)) return closed(value);
    if (FOR_ITSELF.has(key)) return open(value);
    if (MAPS.has(key)) return mapValues(value, closed);
    if (LISTS_FOR_ITSELF.has(key)) return elementsOf(value).map(open);
    return key === 'prefixItems' ? elementsOf(value).map(closed) : value;
  }

  return { closed, open };
}

function sentence({ instancePath, keyword, message = keyword, params }: ErrorObject): string {
  const place = `value${instancePath}`;
  if (keyword === 'unevaluatedProperties' && isFields(params))
    return `${place} has a property "${String(params['unevaluatedProperty'])}" that is not documented`;
  return `${place} ${message}`;
}
