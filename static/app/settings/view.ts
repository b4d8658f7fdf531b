import { texts } from '../base/texts.js';
import { isAdmin, isSignedIn, signInHref } from '../state/actions.js';
import { icon } from '../parts/parts.js';
import { forgetForms } from '../parts/send-form.js';
import { accountPart } from './account.js';
import { SESSIONS, TOKENS, sessionsPart, tokensPart } from './access.js';
import { appearancePart } from './here.js';
import { peopleNeeds, peoplePart } from './people.js';
import { outboxList } from './outbox.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

export interface Part {
  isShown: (state: State) => boolean;
  needs?: (state: State) => string[];
  body?: (state: State) => unknown;
}

const isOpen = ({ config }: State) => config?.auth_mode === 'none';
const hasAccount = (state: State) => isSignedIn(state) && !isOpen(state);

const PARTS: Record<keyof typeof words.parts, Part> = {
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

const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];

/** The part of the address, undefined at the list of all. */
const current = ({ route }: State) => NAMES.find((name) => name === route.params.part);

/** On a wide screen the list of parts stands beside the first one. */
const shown = (state: State) => current(state) ?? (hasAccount(state) ? 'account' : 'appearance');

export const title = (state: State) => {
  const name = current(state);
  return name ? words.parts[name] : common.tabs.settings;
};

export const leave = () => forgetForms();

export const needs = (state: State) => {
  const { isShown, needs } = PARTS[shown(state)];
  return isShown(state) ? (needs?.(state) ?? []) : [];
};

export function view(state: State) {
  const name = shown(state);
  const { isShown, body } = PARTS[name];
  const isIndex = current(state) === undefined;
  return html`<div class=${isIndex ? 'settings index' : 'settings'}>
    <nav aria-label=${common.tabs.settings}>
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

function note(state: State) {
  if (isOpen(state)) return html`<p class="soft">${words.open}</p>`;
  if (state.session.user !== null) return nothing;
  return html`<p class="acts account-head">
    <span class="soft">${words.signedOut}</span>
    <a class="button primary" href=${signInHref()}>${common.signIn}</a>
  </p>`;
}

function links(state: State) {
  const link = (href: string, text: string, isCurrent = false, kind = '') =>
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
