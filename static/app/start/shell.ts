import { fill, texts } from '../base/texts.js';
import { isSignedIn, mayWrite } from '../state/actions.js';
import { UNREACHABLE } from '../base/api.js';
import { answer } from '../state/store.js';
import { matchRoute } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { accountLink } from '../parts/account-parts.js';
import { dialogPart, toastPart } from '../parts/float.js';
import { icon, logo, missing, skeleton } from '../parts/parts.js';
import { search } from '../parts/search.js';
import type { State } from '../base/types.js';

const words = texts.common;

const PENDING = '/suggestions?status=pending';

/** The whole page: header, the current screen, and what floats over it. */
export function shell(state: State) {
  const { route, config } = state;
  const { tab, whole } = matchRoute(route.path)?.row ?? {};
  const isExplore = route.pattern === '/';
  return html`
    <a class="skip" href="#content">${words.skip}</a>
    <header class="top desk">
      <a class="brand" href="/">${logo()}${config?.name ?? ''}</a>
      ${tabs(state, tab)} ${search(state)}
      ${mayAdd(state) ? html`<a class="button primary" href="/add">${icon('add', 16)}${words.add}</a>` : nothing}
      ${accountLink(state)}
    </header>
    ${isExplore ? nothing : phoneTop(state)}
    <main id="content" class=${whole ? 'whole' : 'page'} tabindex="-1">
      ${notices(state)} ${screen(state)}
    </main>
    ${bottom(tab)} ${state.ui.dialog ? dialogPart(state) : toastPart(state)}
  `;
}

function screen(state: State) {
  const { route } = state;
  if (route.view && state.config) return route.view.view(state);
  if (route.pattern === '')
    return missing({ state: 'failed', fault: { ...UNREACHABLE, status: 404 } }, () => undefined);
  if (!route.failed) return skeleton();
  return missing({ state: 'failed', fault: UNREACHABLE }, () => location.reload());
}

const mayAdd = (state: State) => state.config?.read_only !== true;

function tabs(state: State, tab = '') {
  const entry = (name: keyof typeof words.tabs, href = `/${name}`) =>
    html`<a href=${href} aria-current=${name === tab ? 'page' : nothing}
      >${words.tabs[name]}${name === 'suggestions' ? pending(state) : nothing}</a
    >`;
  return html`<nav class="tabs" aria-label=${words.main}>
    ${entry('explore', '/')} ${entry('suggestions')} ${entry('lists')} ${entry('visits')}
    ${isSignedIn(state) ? entry('activity') : nothing}
  </nav>`;
}

/** How many suggestions wait, as the screen of them shows, or as the service said when the session was renewed. */
function pending(state: State) {
  const count = answer<readonly unknown[]>(PENDING)?.length ?? state.ui.pending ?? 0;
  if (count === 0 || !mayWrite(state)) return nothing;
  return html`<span class="count">${count > 99 ? '99+' : count}</span>`;
}

function phoneTop(state: State) {
  return html`<header class="phonetop phone">
    <a class="brand" href="/">${logo()}${state.config?.name ?? ''}</a>${accountLink(state)}
  </header>`;
}

function notices(state: State) {
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
    ${waiting > 0 ? html`<p class="notice"><a href="/settings/outbox">${icon('clock', 14)} ${fill(words.waiting, { count: waiting })}${needy > 0 ? html`, <b class="bad">${fill(words.needsYou, { count: needy })}</b>` : nothing}</a></p>` : nothing}
  `;
}

function bottom(tab: string | undefined) {
  const entry = (name: string, picture: Parameters<typeof icon>[0], text: string, href = `/${name}`) =>
    html`<a href=${href} aria-current=${name === tab ? 'page' : nothing}>${icon(picture, 22)}${text}</a>`;
  return html`<nav class="bottom phone" aria-label=${words.main}>
    ${entry('explore', 'cutlery', words.tabs.explore, '/')} ${entry('lists', 'mark', words.tabs.lists)}
    <a class="add" href="/add"><span>${icon('add', 22)}</span><b class="vh">${words.add}</b></a>
    ${entry('visits', 'calendar', words.tabs.visits)} ${entry('settings', 'more', words.more)}
  </nav>`;
}
