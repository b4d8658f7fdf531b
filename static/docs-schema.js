// Schemas of the description (JSON Schema 2020-12) in words, and examples of them.
import { h, markdown } from './docs-dom.js';

let root = {};

/** Sets the document that references point into. */
export function useDocument(document) {
  root = document;
}

/** The target of a reference such as `#/components/schemas/Error`; any other value is returned as it is. */
export function resolve(value) {
  if (value?.$ref === undefined) return value ?? {};
  const { $ref, ...own } = value;
  const path = $ref.slice(2).split('/');
  return { ...resolve(path.reduce((node, key) => node?.[key], root)), ...own };
}

/** A schema with its reference resolved and its `allOf` parts merged. */
function whole(schema) {
  const { allOf, ...own } = resolve(schema);
  if (!allOf) return own;
  return allOf.map(whole).reduce(
    (merged, part) => ({
      ...part,
      ...merged,
      properties: { ...part.properties, ...merged.properties },
      required: [...(part.required ?? []), ...(merged.required ?? [])],
    }),
    own,
  );
}

/** The properties of a schema by name, and the names of those that are required. */
export function propertiesOf(schema) {
  const { properties = {}, required = [] } = whole(schema);
  return { properties, required };
}

/** An example of a schema: its own, or one composed of those of its parts. */
export function exampleOf(schema) {
  const { examples, example, properties, items, ...rest } = whole(schema);
  const [first = example ?? rest.const ?? rest.default ?? rest.enum?.[0]] = examples ?? [];
  if (first !== undefined) return first;
  const choice = rest.oneOf ?? rest.anyOf;
  if (choice) return exampleOf(choice[0]);
  if (items) return [exampleOf(items)];
  if (!properties) return typeOf(rest) === 'object' ? {} : null;
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, exampleOf(part)]));
}

/** The examples of a media type as `[name, value]`; there is at least one. */
export function examplesOf({ example, examples, schema }) {
  if (example !== undefined) return [['Example', example]];
  const named = Object.entries(examples ?? {});
  if (named.length === 0) return [['Example', exampleOf(schema)]];
  return named.map(([name, reference]) => {
    const { summary = name, value } = resolve(reference);
    return [summary, value];
  });
}

/** The type in a word or two, such as `integer or null` or `array of Restaurant`. */
export function typeOf(schema) {
  const { type, items, oneOf, anyOf, contentMediaType, format } = whole(schema);
  if (items) return `array of ${nameOf(items) ?? typeOf(items)}`;
  const choice = oneOf ?? anyOf;
  if (choice) return choice.map((part) => nameOf(part) ?? typeOf(part)).join(' or ');
  if (contentMediaType || format === 'binary') return 'file';
  return [type ?? 'object'].flat().join(' or ');
}

function nameOf(schema) {
  return schema.$ref?.split('/').at(-1);
}

/** Type and limits in one line. */
export function factsOf(schema) {
  const full = whole(schema);
  const facts = [
    typeOf(schema),
    full.format,
    full.enum && `one of ${full.enum.map((value) => JSON.stringify(value)).join(', ')}`,
    range(full.minimum, full.maximum === Number.MAX_SAFE_INTEGER ? undefined : full.maximum),
    full.exclusiveMinimum !== undefined && `more than ${full.exclusiveMinimum}`,
    range(full.minLength, full.maxLength, ' characters'),
    range(full.minItems, full.maxItems, ' of them'),
    full.pattern && !full.format && `like ${full.pattern}`,
    full.default !== undefined && `default ${JSON.stringify(full.default)}`,
  ];
  return facts.filter(Boolean).join(' · ');
}

function range(min, max, unit = '') {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return `${min} or more${unit}`;
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`;
}

/** The properties below a schema, those of arrays' elements too: a list of lists. `isBody`: of a request body. */
export function schemaView(schema, isBody) {
  const full = whole(schema);
  if (full.items) return [h('p', { class: 'facts' }, factsOf(schema)), schemaView(full.items, isBody)];
  const choice = full.oneOf ?? full.anyOf;
  if (choice) return choice.filter(({ type }) => type !== 'null').map((part) => schemaView(part, isBody));
  if (!full.properties) return h('p', { class: 'facts' }, factsOf(schema));
  const isRequired = (name) => isBody && full.required?.includes(name);
  return h(
    'ul',
    { class: 'schema' },
    Object.entries(full.properties).map(([name, part]) => propertyView(name, part, isRequired(name), isBody)),
  );
}

function propertyView(name, schema, isRequired, isBody) {
  const full = whole(schema);
  const inner = full.properties ?? whole(full.items).properties ?? full.oneOf ?? full.anyOf;
  const summary = h('summary', {}, `Fields of ${name}`);
  return fieldView(
    { name, facts: factsOf(schema), isRequired, description: full.description },
    inner && h('details', {}, summary, schemaView(full.items ?? schema, isBody)),
  );
}

/** An entry of a list of properties, parameters or headers; `more` is shown below it. */
export function fieldView({ name, facts, isRequired, description }, more) {
  return h(
    'li',
    {},
    h('code', { class: 'name' }, name),
    ' ',
    h('span', { class: 'facts' }, facts),
    isRequired && [' ', h('span', { class: 'required' }, 'required')],
    markdown(description),
    more,
  );
}
