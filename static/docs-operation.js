// The view of one operation of the description.
import { JSON_TYPE, codeBlock, copyButton, h, inline, jsonBlock, markdown, tabs } from './docs-dom.js';
import { examplesOf, factsOf, fieldView, resolve, schemaView } from './docs-schema.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of a description in the order of its tags, with references resolved where the page needs it. */
export function operationsOf({ paths, tags }) {
  const found = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => read(method, path, item)),
  );
  return tags.flatMap(({ name }) => found.filter(({ tag }) => tag === name));
}

function read(method, path, item) {
  const operation = item[method];
  const { security = [], responses } = operation;
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const successes = Object.keys(responses).filter((status) => status < 400);
  const types = successes.flatMap((status) => Object.keys(resolve(responses[status]).content ?? {}));
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0],
    summary: operation.summary,
    description: operation.description,
    parameters,
    body: operation.requestBody && resolve(operation.requestBody),
    responses,
    takesToken: security.some((choice) => 'bearer' in choice),
    needsToken: security.length > 0 && security.every((choice) => 'bearer' in choice),
    // Where there is a choice, JSON is easier to read here than a page.
    accept: types.length > 1 && types.includes(JSON_TYPE) ? JSON_TYPE : undefined,
    /** Whether the answer is no text. */
    isBinary: types.some((type) => /^image\/(?!svg)|pmtiles$/.test(type)),
    /** Whether the answer is a stream. */
    streams: types.includes('text/event-stream'),
    /** Whether it only redirects the browser. */
    opens: successes.every((status) => status >= 300),
  };
}

/** `GET` and its like in its colour. */
export function methodBadge(method) {
  return h('span', { class: `method ${method.toLowerCase()}` }, method);
}

/** The head of an operation: method, path and description. */
export function headView(operation) {
  const { id, method, path, tag, summary, description } = operation;
  const link = () => `${location.origin}${location.pathname}#${id}`;
  return h(
    'div',
    { class: 'head' },
    h('p', { class: 'tag' }, tag),
    h('h1', { id: 'title', tabindex: -1 }, summary),
    h(
      'p',
      { class: 'endpoint' },
      methodBadge(method),
      h('code', {}, breakable(path)),
      h('span', { class: 'access' }, accessOf(operation)),
      copyButton('Copy link', link),
    ),
    markdown(description),
  );
}

/** A path that can break at its slashes. */
function breakable(path) {
  return path.split(/(?=\/)/).flatMap((segment) => [h('wbr'), segment]);
}

/** Its parameters, body and answers. */
export function detailView({ parameters, body, responses }) {
  return h(
    'div',
    { class: 'details' },
    parameters.length > 0 && [
      h('h2', {}, 'Parameters'),
      h('ul', { class: 'schema' }, parameters.map(parameterView)),
    ],
    body && bodyView(body),
    h('h2', {}, 'Answers'),
    Object.entries(responses).map(([status, response]) => responseView(status, resolve(response))),
  );
}

function accessOf({ needsToken, takesToken }) {
  if (needsToken) return 'For signed-in users';
  return takesToken ? 'Public; a token is accepted' : 'Public';
}

function parameterView({ name, in: place, required, schema, description }) {
  return fieldView({ name, facts: `${place} · ${factsOf(schema)}`, isRequired: required, description });
}

function bodyView({ description, content, required }) {
  return [
    h('h2', {}, 'Body', !required && h('small', {}, ' optional')),
    markdown(description),
    Object.entries(content).map(([type, media]) => mediaView(type, media, true)),
  ];
}

function mediaView(type, media, isBody = false) {
  const isShown = type === JSON_TYPE;
  const examples = isShown ? examplesOf(media).map(([name, value]) => [name, jsonBlock(value, name)]) : [];
  const schema = ['Schema', h('div', {}, media.schema && schemaView(media.schema, isBody))];
  const shown = isShown ? [...examples, schema] : [schema];
  const plain = !isShown && typeof media.example === 'string' && codeBlock(media.example, 'Example');
  return [h('p', { class: 'media' }, h('code', {}, type)), plain || tabs(`Views of ${type}`, shown)];
}

function responseView(status, { description, headers = {}, content = {} }) {
  const names = Object.entries(headers);
  return h(
    'details',
    { class: 'response', open: status < 300 },
    h(
      'summary',
      {},
      h('span', { class: `status s${status[0]}` }, status),
      ' ',
      inline(description.split('\n')[0]),
    ),
    h(
      'div',
      {},
      markdown(description.split('\n').slice(1).join('\n')),
      Object.entries(content).map(([type, media]) => mediaView(type, media)),
      names.length > 0 &&
        h(
          'details',
          {},
          h('summary', {}, 'Headers'),
          h(
            'ul',
            { class: 'schema' },
            names.map(([name, header]) => headerView(name, resolve(header))),
          ),
        ),
    ),
  );
}

function headerView(name, { description, schema }) {
  return fieldView({ name, facts: factsOf(schema), description });
}
