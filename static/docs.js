// The page at /api/docs: fetches the description, lists its operations, and shows the one that the address names.
import { byId, h, markdown } from './docs-dom.js';
import { detailView, headView, methodBadge, operationsOf } from './docs-operation.js';
import { useDocument } from './docs-schema.js';
import { startSession, takeSession } from './docs-session.js';
import { tryView } from './docs-try.js';

const main = byId('main');
const search = byId('search');
const menu = byId('menu');

let description;
let operations = [];
let refresh = () => undefined;

async function start() {
  startSession(() => refresh());
  const taken = takeSession();
  try {
    description = await fetchDescription();
  } catch (error) {
    const fault = `The description cannot be loaded: ${error.message}`;
    main.replaceChildren(h('p', { class: 'alert', role: 'alert' }, fault));
    return;
  }
  useDocument(description);
  operations = operationsOf(description);
  byId('version').textContent = description.info.version;
  byId('operations').append(...description.tags.map((tag) => tagGroup(tag)));
  await taken;
  show();
  addEventListener('hashchange', () => {
    show();
    byId('title').focus({ preventScroll: true });
  });
}

/** Waits when a rate limit requires it: after many reloads the page would otherwise be empty. */
async function fetchDescription() {
  const response = await fetch('/api/docs/swagger.json');
  const body = await response.json();
  if (response.ok) return body;
  if (response.status !== 429) throw new Error(body.error);
  await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000));
  return fetchDescription();
}

/** A tag with its operations, and with `text` if there is any. */
function tagGroup({ name }, text) {
  const items = operations.filter(({ tag }) => tag === name).map(operationItem);
  return h('section', {}, h('h2', {}, name), text, h('ul', {}, items));
}

function operationItem({ id, method, summary, path }) {
  return h(
    'li',
    { 'data-id': id },
    h('a', { href: `#${id}` }, methodBadge(method), ' ', h('span', {}, summary), ' ', h('code', {}, path)),
  );
}

/** Shows what the fragment of the address names: an operation, or else the overview. */
function show() {
  const id = location.hash.slice(1);
  const operation = operations.find((each) => each.id === id);
  closeMenu();
  for (const link of byId('operations').querySelectorAll('a')) {
    if (link.hash === `#${id}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  byId('operations').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  document.title = [operation?.summary, description.info.title].filter(Boolean).join(' · ');
  if (operation) showOperation(operation);
  else showOverview();
  scrollTo(0, 0);
}

function showOperation(operation) {
  const form = tryView(operation);
  refresh = form.refresh;
  main.replaceChildren(
    h(
      'article',
      { class: 'operation', 'aria-labelledby': 'title' },
      headView(operation),
      form.element,
      detailView(operation),
    ),
  );
}

function showOverview() {
  refresh = () => undefined;
  main.replaceChildren(
    h(
      'div',
      { class: 'overview' },
      h('h1', { id: 'title', tabindex: -1 }, description.info.title),
      markdown(description.info.description).flat(),
      description.tags.map((tag) => tagGroup(tag, markdown(tag.description))),
    ),
  );
}

/** Limits the navigation to operations that contain every word; returns them, those with the words in their names first. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const holding = (read) => operations.filter((each) => words.every((word) => read(each).includes(word)));
  const matches = new Set([...holding(nameOf), ...holding(textOf)].map(({ id }) => id));
  for (const item of byId('operations').querySelectorAll('li')) item.hidden = !matches.has(item.dataset.id);
  for (const section of byId('operations').children)
    section.hidden = section.querySelector('li:not([hidden])') === null;
  byId('matches').textContent = words.length === 0 ? '' : `${matches.size || 'No'} found`;
  return words.length === 0 ? [] : [...matches];
}

function nameOf({ id, method, path, summary }) {
  return [id, method, path, summary].join(' ').toLowerCase();
}

function textOf(operation) {
  const names = operation.parameters.map(({ name }) => name);
  return [nameOf(operation), operation.tag, operation.description, ...names].join(' ').toLowerCase();
}

function closeMenu() {
  document.body.classList.remove('menu-open');
  menu.setAttribute('aria-expanded', 'false');
}

search.addEventListener('input', filter);
search.form.addEventListener('submit', (event) => {
  event.preventDefault();
  const [best] = filter();
  if (best !== undefined) location.hash = best;
});
menu.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
  if (isOpen) search.focus();
});
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenu();
  const isTyping = event.target.closest('input, textarea, select, dialog');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});

await start();
