// The page at /api/docs: fetches the description, lists its operations, and shows the one that the address names.
import { byId, h, markdown } from './docs-dom.js';
import { detailView, headView, methodBadge, operationsOf } from './docs-operation.js';
import { useDocument } from './docs-schema.js';
import { findOperations } from './docs-search.js';
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
  filter();
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
  // Examples name the host of this page.
  const text = (await response.text()).replaceAll('http://localhost:8080', location.origin);
  const body = JSON.parse(text);
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
    {},
    h('a', { href: `#${id}` }, methodBadge(method), ' ', h('span', {}, summary), ' ', h('code', {}, path)),
  );
}

/** Shows what the fragment of the address names: an operation, or else the overview. */
function show() {
  const id = location.hash.slice(1);
  const operation = operations.find((each) => each.id === id);
  closeMenu();
  markCurrent()?.scrollIntoView({ block: 'nearest' });
  document.title = [operation?.summary, description.info.title].filter(Boolean).join(' · ');
  if (operation) showOperation(operation);
  else showOverview();
  scrollTo(0, 0);
  if (!operation) document.getElementById(id)?.scrollIntoView();
}

/** Marks the link in the navigation to what is shown, and returns it. */
function markCurrent() {
  let current;
  for (const link of byId('operations').querySelectorAll('a')) {
    link.removeAttribute('aria-current');
    if (link.hash === location.hash) current = link;
  }
  current?.setAttribute('aria-current', 'page');
  return current;
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

/** The overview: how to get started, the operations, and then what is true of all of them. */
function showOverview() {
  refresh = () => undefined;
  const [tour, ...sections] = description.info.description.split(/^## /m);
  const chapters = sections.map((text) => {
    const [title] = text.split('\n', 1);
    const id = `about-${title.toLowerCase().replaceAll(' ', '-')}`;
    return { title, id, text: text.slice(title.length) };
  });
  const contents = chapters.map(({ id, title }) => [' · ', h('a', { href: `#${id}` }, title)]);
  main.replaceChildren(
    h(
      'div',
      { class: 'overview' },
      h('h1', { id: 'title', tabindex: -1 }, description.info.title),
      markdown(tour).flat(),
      h('p', {}, 'Below the operations', contents),
      description.tags.map((tag) => tagGroup(tag, markdown(tag.description))),
      chapters.map(({ id, title, text }) => h('section', {}, h('h2', { id }, title), markdown(text))),
    ),
  );
}

/** Limits the navigation to the operations that match the search, best first, and returns the best. */
function filter() {
  const isSearch = search.value.trim() !== '';
  const found = isSearch ? findOperations(operations, search.value) : [];
  const groups = isSearch
    ? [h('ul', {}, found.map(operationItem))]
    : description.tags.map((tag) => tagGroup(tag));
  byId('operations').replaceChildren(...groups);
  markCurrent();
  byId('matches').textContent = isSearch ? `${found.length || 'No'} found` : '';
  return found[0];
}

function closeMenu() {
  document.body.classList.remove('menu-open');
  menu.setAttribute('aria-expanded', 'false');
}

search.addEventListener('input', filter);
search.form.addEventListener('submit', (event) => {
  event.preventDefault();
  const best = filter();
  if (best) location.hash = best.id;
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
