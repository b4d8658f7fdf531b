import { isSignedIn, mayWrite, signInHref } from '../actions.js';
import { UNREACHABLE } from '../api.js';
import { matchRoute, navigate, setQuery } from '../router.js';
import { words } from '../texts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { dialogPart, toastPart } from './float.js';
import { avatar, icon, logo, missing, skeleton } from './parts.js';

/** @import { State } from '../types.js' */

const TYPING = 250;
const ALL_PENDING = '/suggestions?status=pending';
/** Enough of the pending suggestions for the count in the header, which ends at 99. */
export const PENDING = `${ALL_PENDING}&limit=100`;

/**
 * The whole page: header, the current screen, and what floats over it.
 * @param {State} state
 */
export function shell(state) {
  const { route, config } = state;
  const { tab, whole } = matchRoute(route.path)?.row ?? {};
  const isExplore = route.pattern === '/';
  return html`
    <a class="skip" href="#content">${words.skip}</a>
    <header class="top desk">
      <a class="brand" href="/">${logo()}${config?.name ?? ''}</a>
      ${tabs(state, tab)} ${search(state)}
      ${mayAdd(state) ? html`<a class="button primary" href="/add">${icon('add', 16)}${words.add}</a>` : nothing}
      ${account(state)}
    </header>
    ${isExplore ? nothing : phoneTop(state)}
    <main id="content" class=${whole ? 'whole' : 'page'} tabindex="-1">
      ${notices(state)} ${screen(state)}
    </main>
    ${bottom(tab)} ${state.ui.dialog ? dialogPart(state) : toastPart(state)}
  `;
}

/** @param {State} state */
function screen(state) {
  const { route } = state;
  if (route.view && state.config) return route.view.view(state);
  if (route.pattern === '')
    return missing({ state: 'failed', fault: { ...UNREACHABLE, status: 404 } }, () => {});
  if (!route.failed) return skeleton();
  return missing({ state: 'failed', fault: UNREACHABLE }, () => location.reload());
}

/** @param {State} state */
const mayAdd = (state) => state.config?.read_only !== true;

/** @param {State} state */
function tabs(state, tab = '') {
  const entry = (/** @type {keyof typeof words.tabs} */ name, href = `/${name}`) =>
    html`<a href=${href} aria-current=${name === tab ? 'page' : nothing}
      >${words.tabs[name]}${name === 'suggestions' ? pending(state) : nothing}</a
    >`;
  return html`<nav class="tabs" aria-label=${words.main}>
    ${entry('explore', '/')} ${entry('suggestions')} ${entry('lists')} ${entry('visits')}
    ${isSignedIn(state) ? entry('activity') : nothing}
  </nav>`;
}

/** @param {State} state */
function pending(state) {
  const body = (state.data[ALL_PENDING] ?? state.data[PENDING])?.body;
  if (!Array.isArray(body) || body.length === 0 || !mayWrite(state)) return nothing;
  return html`<span class="count">${body.length > 99 ? '99+' : body.length}</span>`;
}

/** @param {State} state */
function account({ session, config }) {
  if (session.user) {
    const { username } = session.user;
    return html`<a class="account" href="/settings" aria-label=${words.settingsOf(username)}
      >${avatar(username)}</a
    >`;
  }
  if (session.user === undefined || config?.auth_mode === 'none') return nothing;
  return html`<a class="button" href=${signInHref()}>${words.signIn}</a>`;
}

let timer = 0;
/** What is being typed, which no answer that comes in meanwhile may take away. */
let typed = '';

/** @param {State} state */
export function search({ route }) {
  const { q = '' } = route.query;
  const type = (/** @type {string} */ text) => {
    typed = text;
    clearTimeout(timer);
    timer = setTimeout(() => searchFor(text), TYPING);
  };
  return html`<form
    class="search"
    role="search"
    @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      const input = /** @type {HTMLInputElement} */ (
        /** @type {HTMLFormElement} */ (event.target).elements.namedItem('q')
      );
      searchFor(input.value);
    }}
  >
    ${icon('search', 16)}
    <input
      type="search"
      name="q"
      maxlength="200"
      autocomplete="off"
      aria-label=${words.search.label}
      placeholder=${words.search.placeholder}
      .value=${live(timer !== 0 || typed.trim() === q ? typed : q)}
      @input=${(/** @type {any} */ event) => type(event.target.value)}
    />
    <kbd class="desk" aria-hidden="true">/</kbd>
  </form>`;
}

/** @param {string} text */
function searchFor(text) {
  clearTimeout(timer);
  timer = 0;
  const q = text.trim();
  const query = new URLSearchParams(location.search);
  if (location.pathname !== '/') {
    if (q !== '') navigate(`/?q=${encodeURIComponent(q)}`);
    return;
  }
  if ((query.get('q') ?? '') === q) return;
  // One entry of the history for a search, not one for each letter.
  setQuery({ q, sel: undefined }, { replace: query.has('q') });
}

/** @param {State} state */
function phoneTop(state) {
  return html`<header class="phonetop phone">
    <a class="brand" href="/">${logo()}${state.config?.name ?? ''}</a>${account(state)}
  </header>`;
}

/** @param {State} state */
function notices(state) {
  const { reload } = state.ui;
  const waiting = state.outbox.length;
  const needy = state.outbox.filter((one) => one.state !== 'waiting').length;
  return html`
    ${
      reload
        ? html`<p class="notice" role="status">
            ${words.newVersion} <button type="button" class="button" @click=${reload}>${words.reload}</button>
          </p>`
        : nothing
    }
    ${state.online ? nothing : html`<p class="notice warn" role="status">${words.offline}</p>`}
    ${waiting > 0 ? html`<p class="notice"><a href="/settings/outbox">${icon('clock', 14)} ${words.waiting(waiting)}${needy > 0 ? html`, <b class="bad">${words.needsYou(needy)}</b>` : nothing}</a></p>` : nothing}
  `;
}

/** @param {string | undefined} tab */
function bottom(tab) {
  const entry = (
    /** @type {string} */ name,
    /** @type {Parameters<typeof icon>[0]} */ picture,
    /** @type {string} */ text,
    href = `/${name}`,
  ) => html`<a href=${href} aria-current=${name === tab ? 'page' : nothing}>${icon(picture, 22)}${text}</a>`;
  return html`<nav class="bottom phone" aria-label=${words.main}>
    ${entry('explore', 'cutlery', words.tabs.explore, '/')} ${entry('lists', 'mark', words.tabs.lists)}
    <a class="add" href="/add"><span>${icon('add', 22)}</span><b class="vh">${words.add}</b></a>
    ${entry('visits', 'calendar', words.tabs.visits)} ${entry('settings', 'more', words.more)}
  </nav>`;
}
