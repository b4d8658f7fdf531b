// The fields of an operation's form. Each has a `place` in the request, a `name`, an `element` and `read`.
import { choicesOf } from './docs-choices.js';
import { JSON_TYPE, formatted, h, newId } from './docs-dom.js';
import { examplesOf, propertiesOf, resolve, typeOf } from './docs-schema.js';
import { adopt, refreshToken } from './docs-session.js';

/** Ids of the latest records created here, by the segment of their URL, and names of files: they fill later forms. */
const known = new Map();
/** Values of optional parameters, by operation and name: they are still there when the user comes back. */
const typed = new Map();

/** The fields for the parameters and the body of an operation. */
export function fieldsOf(operation) {
  return [...operation.parameters.map((each) => parameterField(each, operation)), ...bodyFields(operation)];
}

/** A field with its label; `choices` by name are shown below it. */
function field(name, note, input, choices) {
  const id = newId();
  input.id = id;
  const label = h('label', { for: id }, h('code', {}, name), note && [' ', h('small', {}, note)]);
  return h('div', { class: `field ${input.localName}` }, label, input, choices?.element);
}

function parameterField({ name, in: place, required = false, schema, example }, { id, method, path }) {
  const made = known.get(collectionBefore(name, path)) ?? known.get(name);
  // A button that is pressed only to see its effect must not change or delete records that existed before.
  const first = made ?? (method === 'GET' ? example : undefined) ?? '';
  const { enum: words = typeOf(schema) === 'boolean' ? ['true', 'false'] : undefined } = resolve(schema);
  const input = words ? wordsInput(words, required) : textInput(required, example);
  const key = `${id} ${name}`;
  input.value = required ? String(first) : (typed.get(key) ?? '');
  const ids = () =>
    input.value
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  const choices = choicesOf(name, ids, (chosen) => (input.value = chosen.join()));
  input.addEventListener('input', () => choices?.sync());
  return {
    place,
    name,
    required,
    load: choices?.load,
    element: field(name, required && 'required', input, choices),
    read() {
      const value = input.value.trim();
      if (!required) typed.set(key, value);
      return value;
    },
  };
}

function wordsInput(words, required) {
  const options = words.map((each) => h('option', {}, String(each)));
  return h('select', {}, !required && h('option', { value: '' }, '–'), options);
}

function textInput(required, example) {
  return h('input', {
    required,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: `such as ${example}`,
  });
}

/** The segment of the path before a parameter: the collection to which its id belongs. */
function collectionBefore(name, path) {
  const segments = path.split('/');
  return segments[segments.indexOf(`{${name}}`) - 1];
}

function bodyFields({ body }) {
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? [];
  if (type === undefined) return [];
  return type === JSON_TYPE ? [jsonField(media, body.required)] : formFields(media);
}

function jsonField(media, required = false) {
  const examples = examplesOf(media);
  const area = h('textarea', { spellcheck: 'false', autocomplete: 'off', required });
  const fault = h('p', { class: 'fault', role: 'status' });
  const properties = Object.keys(propertiesOf(media.schema).properties);
  const choices = properties
    // An alias, such as `category_id` of `suggested_category_id`, needs no second choice.
    .filter((name) => !properties.some((other) => other.endsWith(`_${name}`)))
    .map((name) => [name, jsonChoices(name, area)])
    .filter(([, made]) => made);
  function check() {
    fault.textContent = faultOf(area.value);
    for (const [, { sync }] of choices) sync();
  }
  area.addEventListener('input', check);
  function fill(index) {
    area.value = formatted(withKnown(examples[index][1]));
    area.rows = Math.min(12, area.value.split('\n').length + 1);
    check();
  }
  fill(0);
  const names = examples.map(([name]) => h('option', {}, name));
  const choose = h('select', { oninput: () => fill(choose.selectedIndex) }, names);
  const element = [
    names.length > 1 && field('example', '', choose),
    field('body', JSON_TYPE, area),
    fault,
    choices.map(([name, { element: made }]) =>
      h('div', { class: 'field' }, h('code', { 'aria-hidden': 'true' }, name), made),
    ),
  ];
  const load = () => choices.forEach(([, made]) => made.load());
  return { place: 'json', required: true, element, load, read: () => area.value };
}

/** Choices for a property of the JSON in a text area. */
function jsonChoices(name, area) {
  const read = () => {
    const value = parsed(area.value)?.[name] ?? [];
    return [value].flat().map(String);
  };
  const write = (ids) => {
    const value = name.endsWith('s') ? ids.map(Number) : ids.length > 0 ? Number(ids[0]) : null;
    const body = parsed(area.value);
    if (body) area.value = formatted({ ...body, [name]: value });
  };
  return choicesOf(name, read, write);
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function faultOf(text) {
  try {
    if (text.trim() !== '') JSON.parse(text);
    return '';
  } catch (error) {
    return `Not JSON: ${error.message}`;
  }
}

/** An example with existing ids, those created here, and the tokens of this session. */
function withKnown(example) {
  const entries = Object.entries(example).map(([name, value]) => {
    if (name === 'refresh_token') return [name, refreshToken() ?? value];
    // With a password that is public here, anyone could use the account.
    if (name === 'password') return [name, ''];
    const noun = /^(.*)_id$/.exec(name)?.[1] ?? '';
    const id = known.get(`${noun}s`) ?? known.get(noun.replace(/y$/, 'ies'));
    return [name, id === undefined ? value : Number(id)];
  });
  return Object.fromEntries(entries);
}

function formFields({ schema }) {
  const { properties, required } = propertiesOf(schema);
  return Object.entries(properties).map(([name, part]) => {
    const isFile = typeOf(part) === 'file';
    const isRequired = required.includes(name);
    const input = h('input', { type: isFile ? 'file' : 'text', required: isRequired });
    const note = [isFile ? 'file' : typeOf(part), isRequired && 'required'].filter(Boolean).join(', ');
    // The code samples name a file before one is chosen.
    const missing = isRequired ? new File([], name) : undefined;
    return {
      place: 'form',
      name,
      required: isRequired,
      element: field(name, note, input),
      read: () => (isFile ? (input.files[0] ?? missing) : input.value),
    };
  });
}

/** Stores values for later requests: ids of created or deleted records and of the change, the name of a photo, tokens. */
export function learn({ method }, { status, headers, value }) {
  const [, collection, id] =
    /^\/api\/(?:auth\/)?([\w-]+)\/(\d+)$/.exec(new Map(headers).get('location') ?? '') ?? [];
  if (status === 201 && collection) known.set(collection, id);
  if (status === 204 && method === 'DELETE') known.clear();
  const change = new Map(headers).get('change');
  if (change !== undefined) known.set('changes', change);
  if (typeof value?.filename === 'string') known.set('filename', value.filename);
  if (typeof value?.access_token === 'string') adopt(value);
}
