import { isAdmin, isSignedIn, signInHref } from '../actions.js';
import { words as common } from '../texts.js';
import { words } from '../texts/settings.js';
import { icon } from '../ui/parts.js';
import { forgetForms } from '../ui/send-form.js';
import { accountPart } from '../ui/settings-account.js';
import { SESSIONS, TOKENS, sessionsPart, tokensPart } from '../ui/settings-access.js';
import { appearancePart } from '../ui/settings-here.js';
import { peopleNeeds, peoplePart } from '../ui/settings-people.js';
import { outboxList } from '../ui/outbox.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { State } from '../types.js' */
/** @typedef {{ isShown: (state: State) => boolean, needs?: (state: State) => string[], body?: (state: State) => unknown }} Part */

/** @param {State} state */
const isOpen = ({ config }) => config?.auth_mode === 'none';
/** @param {State} state */
const hasAccount = (state) => isSignedIn(state) && !isOpen(state);

/** @type {Record<keyof typeof words.parts, Part>} */
const PARTS = {
  account: { isShown: hasAccount, body: accountPart },
  sessions: { isShown: hasAccount, body: sessionsPart, needs: () => [SESSIONS] },
  tokens: { isShown: hasAccount, body: tokensPart, needs: () => [TOKENS] },
  people: {
    isShown: (state) => hasAccount(state) && isAdmin(state),
    body: peoplePart,
    needs: peopleNeeds,
  },
  import: { isShown: isAdmin },
  appearance: { isShown: () => true, body: appearancePart },
  outbox: { isShown: () => true, body: outboxList },
};

const NAMES = /** @type {(keyof typeof PARTS)[]} */ (Object.keys(PARTS));

/** The part of the address, undefined at the list of all. @param {State} state */
const current = ({ route }) => NAMES.find((name) => name === route.params['part']);

/** On a wide screen the list of parts stands beside the first one. @param {State} state */
const shown = (state) => current(state) ?? (hasAccount(state) ? 'account' : 'appearance');

/** @param {State} state */
export const title = (state) => {
  const name = current(state);
  return name ? words.parts[name] : words.title;
};

export const leave = () => forgetForms();

/** @param {State} state */
export const needs = (state) => {
  const { isShown, needs } = PARTS[shown(state)];
  return isShown(state) ? (needs?.(state) ?? []) : [];
};

/** @param {State} state */
export function view(state) {
  const name = shown(state);
  const { isShown, body } = PARTS[name];
  const isIndex = current(state) === undefined;
  return html`<div class=${isIndex ? 'settings index' : 'settings'}>
    <nav aria-label=${words.title}>
      ${isIndex ? nothing : html`<a class="phone" href="/settings">${icon('back', 16)} ${words.back}</a>`}
      <ul class=${isIndex ? '' : 'desk'}>
        ${links(state)}
      </ul>
    </nav>
    <div class="part">
      <h1 class="rule">${title(state)}</h1>
      ${note(state)}
      <div class=${isIndex ? 'desk' : ''}>
        ${isShown(state) && body ? body(state) : html`<p>${common.failed.forbidden}</p>`}
      </div>
    </div>
  </div>`;
}

/** @param {State} state */
function note(state) {
  if (isOpen(state)) return html`<p class="soft">${words.open}</p>`;
  if (state.session.user !== null) return nothing;
  return html`<p class="acts account-head">
    <span class="soft">${words.signedOut}</span>
    <a class="button primary" href=${signInHref()}>${common.signIn}</a>
  </p>`;
}

/** @param {State} state */
function links(state) {
  const link = (/** @type {string} */ href, /** @type {string} */ text, isCurrent = false, kind = '') =>
    html`<li class=${kind}>
      <a href=${href} aria-current=${isCurrent ? 'page' : nothing}>${text}</a>
    </li>`;
  const name = shown(state);
  const parts = NAMES.filter((one) => PARTS[one].isShown(state));
  return html`${link('/suggestions', common.tabs.suggestions, false, 'phone')}
  ${isSignedIn(state) ? link('/activity', common.tabs.activity, false, 'phone') : nothing}
  ${parts.map((one) => link(`/settings/${one}`, words.parts[one], one === name))}
  ${link('/manual', words.manual)} ${link('/api/docs', words.docs)}`;
}
