// The form to try an operation.
import { JSON_TYPE, copyButton, formatted, h, newId } from './docs-dom.js';
import { answerView, curlLine, outcomeView, send } from './docs-exchange.js';
import { examplesOf, resolve, typeOf } from './docs-schema.js';
import { accessToken, adopt, isOpenToAll, openSignIn, refreshToken } from './docs-session.js';

/** Ids of the latest records created here, by the segment of their URL, and names of files: they fill later forms. */
const known = new Map();

/** The form of an operation, and `refresh`, to be called after a sign-in or sign-out. */
export function tryView(operation) {
  const parts = [...operation.parameters.map(parameterField), ...bodyFields(operation)];
  const read = () => readRequest(operation, parts);
  const curl = h('code');
  const hint = h('p', { class: 'hint' });
  const answer = h('div', { class: 'answer' });
  const outcome = h('p', { role: 'status' });
  const button = h('button', { class: 'primary' }, 'Send');
  const link = openLink(read);
  let following;

  function refresh() {
    curl.textContent = curlLine(read());
    hint.hidden = !operation.needsToken || isOpenToAll || accessToken() !== undefined;
  }
  async function submit(event) {
    event.preventDefault();
    if (operation.opens) link.click();
    if (operation.opens || button.disabled) return;
    if (following) {
      following.abort();
      return;
    }
    button.disabled = true;
    outcome.replaceChildren('Sending…');
    following = new AbortController();
    const result = await send(read(), { signal: following.signal, show: showPart });
    following = undefined;
    show(result, 'Send');
    if (!result.failure) learn(operation, result);
  }
  function showPart(result) {
    show(result, 'Stop');
    if (!form.isConnected) following.abort();
  }
  function show(result, next) {
    button.disabled = false;
    button.textContent = next;
    outcome.replaceChildren(...outcomeView(result));
    answer.replaceChildren(...answerView(result, operation));
  }

  const form = h(
    'form',
    { onsubmit: submit, oninput: refresh, onkeydown: sendOnCtrlEnter },
    parts.map(({ element }) => element),
    hint,
    h('div', { class: 'send' }, operation.opens ? link : button),
  );
  hint.append(
    'This needs a signed-in user. ',
    h('button', { type: 'button', onclick: openSignIn }, 'Sign in'),
  );
  refresh();
  const element = h(
    'section',
    { class: 'try', 'aria-labelledby': 'try-title' },
    h('h2', { id: 'try-title' }, 'Try it'),
    form,
    outcome,
    answer,
    h(
      'h3',
      {},
      'The same with curl ',
      copyButton('Copy', () => curl.textContent),
    ),
    h('pre', { tabindex: 0, role: 'group', 'aria-label': 'curl', class: 'wrap' }, curl),
  );
  return { element, refresh };
}

function sendOnCtrlEnter(event) {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
}

/** For operations that answer with a redirect, which a page cannot read: the browser itself follows it. */
function openLink(read) {
  const open = (event) => (event.currentTarget.href = read().url);
  return h(
    'a',
    { class: 'primary', href: '#', target: '_blank', rel: 'noopener', onclick: open },
    'Open in a new tab',
  );
}

function field(name, note, input) {
  const id = newId();
  input.id = id;
  const label = h('label', { for: id }, h('code', {}, name), note && [' ', h('small', {}, note)]);
  return h('div', { class: `field ${input.localName}` }, label, input);
}

function parameterField(parameter) {
  const { name, in: place, required = false, schema, example, method } = parameter;
  const made = known.get(collectionBefore(parameter)) ?? known.get(name);
  // A button that is pressed only to see its effect must not change or delete records that existed before.
  const first = made ?? (method === 'GET' ? example : undefined) ?? '';
  const { enum: choices = typeOf(schema) === 'boolean' ? ['true', 'false'] : undefined } = resolve(schema);
  const input = choices
    ? h(
        'select',
        {},
        !required && h('option', { value: '' }, '–'),
        choices.map((each) => h('option', {}, String(each))),
      )
    : h('input', {
        required,
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: `such as ${example}`,
      });
  if (required) input.value = String(first);
  return { place, name, element: field(name, required && 'required', input), read: () => input.value.trim() };
}

/** The segment of the path before a parameter: the collection to which its id belongs. */
function collectionBefore({ path, name }) {
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
  const check = () => (fault.textContent = faultOf(area.value));
  area.addEventListener('input', check);
  function fill(index) {
    area.value = formatted(withKnown(examples[index][1]));
    area.rows = Math.min(24, area.value.split('\n').length + 1);
    check();
  }
  fill(0);
  const names = examples.map(([name]) => h('option', {}, name));
  const choose = h('select', { oninput: () => fill(choose.selectedIndex) }, names);
  const element = [names.length > 1 && field('example', '', choose), field('body', JSON_TYPE, area), fault];
  return { place: 'json', element, read: () => area.value };
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
  const { properties = {}, required = [] } = resolve(schema);
  return Object.entries(properties).map(([name, part]) => {
    const isFile = typeOf(part) === 'file';
    const input = h('input', { type: isFile ? 'file' : 'text', required: required.includes(name) });
    const note = isFile ? 'file' : typeOf(part);
    return {
      place: 'form',
      name,
      element: field(name, note, input),
      read: () => (isFile ? input.files[0] : input.value),
    };
  });
}

/** The request that the fields describe. */
function readRequest({ method, path, takesToken, accept, opens, streams }, parts) {
  const of = (place) => parts.filter((part) => part.place === place).map((part) => [part.name, part.read()]);
  const given = (place) => of(place).filter(([, value]) => value !== undefined && value !== '');
  const values = new Map(of('path'));
  const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name) ?? ''));
  const query = new URLSearchParams(given('query')).toString().replaceAll('%2C', ',');
  const [, json = ''] = of('json')[0] ?? [];
  const form = given('form');
  const takesJson = parts.some(({ place }) => place === 'json');
  return {
    method,
    takesToken,
    opens,
    streams,
    url: location.origin + target + (query && `?${query}`),
    headers: {
      ...(accept && { Accept: accept }),
      ...(takesJson && { 'Content-Type': JSON_TYPE }),
      ...Object.fromEntries(given('header')),
    },
    json: json.trim() === '' ? undefined : json,
    form: parts.some(({ place }) => place === 'form') ? form : undefined,
  };
}

/** Stores values for later requests: ids of created or deleted records and of the change, the name of a photo, tokens. */
function learn({ method }, { status, headers, value }) {
  const [, collection, id] =
    /^\/api\/(?:auth\/)?([\w-]+)\/(\d+)$/.exec(new Map(headers).get('location') ?? '') ?? [];
  if (status === 201 && collection) known.set(collection, id);
  if (status === 204 && method === 'DELETE') known.clear();
  const change = new Map(headers).get('change');
  if (change !== undefined) known.set('changes', change);
  if (typeof value?.filename === 'string') known.set('filename', value.filename);
  if (typeof value?.access_token === 'string') adopt(value);
}
