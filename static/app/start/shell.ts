import { fill, texts } from '../base/texts.js';
import { isSignedIn, mayWrite } from '../state/actions.js';
import { UNREACHABLE } from '../base/api.js';
import { answer } from '../state/store.js';
import { matchRoute } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { accountLink } from '../parts/mine.js';
import { button, dialogPart, gone, icon, missing, skeleton, toastPart } from '../parts/parts.js';
import { search } from '../parts/search.js';
import type { State } from '../base/types.js';

const words = texts.common;

/** The whole page: header, the current screen, and what floats over it. */
export function shell(state: State) {
  const { route, config } = state;
  const { tab, whole } = matchRoute(route.path)?.row ?? {};
  const logo = `${document.documentElement.dataset.base}/icons/icon.svg`;
  const brand = html`<a class="brand" href="/"
    ><img src=${logo} alt="" width="28" height="28" />${config?.name}</a
  >`;
  return html`
    <a class="skip" href="#content">${words.skip}</a>
    <header class="top desk">
      ${brand} ${tabs(state, tab)} ${search(state)}
      ${config?.read_only ? nothing : html`<a class="button primary" href="/add">${icon('add', 16)}${words.add}</a>`}
      ${accountLink(state)}
    </header>
    ${
      route.pattern === '/'
        ? nothing
        : html`<header class="phonetop phone">${brand}${accountLink(state)}</header>`
    }
    <main id="content" class=${whole ? 'whole' : 'page'} tabindex="-1">
      ${notices(state)} ${screen(state)}
    </main>
    ${bottom(tab)} ${state.ui.dialog ? dialogPart(state, state.ui.dialog) : toastPart(state)}
  `;
}

function screen(state: State) {
  const { pattern, view, failed } = state.route;
  if (view && state.config) return view.view(state);
  if (pattern === '') return gone();
  return failed ? missing({ state: 'failed', fault: UNREACHABLE }, () => location.reload()) : skeleton();
}

/** An entry of the navigation. */
const entry = (current: string | undefined, name: string, content: unknown, href = `/${name}`) =>
  html`<a href=${href} aria-current=${name === current ? 'page' : nothing}>${content}</a>`;

function tabs(state: State, tab: string | undefined) {
  const { explore, suggestions, lists, visits, activity } = words.tabs;
  return html`<nav class="tabs" aria-label=${words.main}>
    ${entry(tab, 'explore', explore, '/')} ${entry(tab, 'suggestions', [suggestions, pending(state)])}
    ${entry(tab, 'lists', lists)} ${entry(tab, 'visits', visits)}
    ${isSignedIn(state) ? entry(tab, 'activity', activity) : nothing}
  </nav>`;
}

/** How many suggestions wait, as the screen of them shows, or as the service said when the session was renewed. */
function pending(state: State) {
  const count = answer<readonly unknown[]>('/suggestions?status=pending')?.length ?? state.ui.pending ?? 0;
  if (count === 0 || !mayWrite(state)) return nothing;
  return html`<span class="count">${count > 99 ? '99+' : count}</span>`;
}

function notices(state: State) {
  const { reload } = state.ui;
  const waiting = state.outbox.length;
  const needy = state.outbox.filter((one) => one.state !== 'waiting').length;
  return html`
    ${reload && html`<p class="notice" role="status">${words.newVersion} ${button(words.reload, reload)}</p>`}
    ${state.online ? nothing : html`<p class="notice warn" role="status">${words.offline}</p>`}
    ${waiting > 0 ? html`<p class="notice"><a href="/settings/outbox">${icon('clock', 14)} ${fill(words.waiting, { count: waiting })}${needy > 0 ? html` · <b class="bad">${fill(words.needsYou, { count: needy })}</b>` : nothing}</a></p>` : nothing}
  `;
}

function bottom(tab: string | undefined) {
  const { explore, lists, visits } = words.tabs;
  return html`<nav class="bottom phone" aria-label=${words.main}>
    ${entry(tab, 'explore', [icon('cutlery', 22), explore], '/')}
    ${entry(tab, 'lists', [icon('mark', 22), lists])}
    <a class="add" href="/add"><span>${icon('add', 22)}</span><b class="vh">${words.add}</b></a>
    ${entry(tab, 'visits', [icon('calendar', 22), visits])}
    ${entry(tab, 'settings', [icon('more', 22), words.more])}
  </nav>`;
}
