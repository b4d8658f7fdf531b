import { texts } from '../base/texts.js';
import { isAdmin, isSignedIn, signInHref } from '../state/actions.js';
import { icon } from '../parts/parts.js';
import { SESSIONS, TOKENS, accountPart, sessionsPart, tokensPart } from './account.js';
import { appearancePart, mapPart } from './here.js';
import { INVITATIONS, invitationsPart, peopleNeeds, peoplePart } from './people.js';
import { outboxList } from './outbox.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

interface Part {
  title: string;
  isShown: (state: State) => boolean;
  needs?: (state: State) => string[];
  /** none where a screen of its own has the address */
  body?: (state: State) => unknown;
}

const isOpen = ({ config }: State) => config?.auth_mode === 'none';
const hasAccount = (state: State) => isSignedIn(state) && !isOpen(state);
const leadsPeople = (state: State) => hasAccount(state) && isAdmin(state);

const { account, sessions, tokens, people, invitations, imports, map, appearance, outbox } = words.parts;

const ACCOUNT: Part = { title: account, isShown: hasAccount, body: accountPart };
const APPEARANCE: Part = { title: appearance, isShown: () => true, body: appearancePart };

/** By the last part of their addresses. */
const PARTS = new Map<string | undefined, Part>(
  Object.entries({
    account: ACCOUNT,
    sessions: { title: sessions, isShown: hasAccount, body: sessionsPart, needs: () => [SESSIONS] },
    tokens: { title: tokens, isShown: hasAccount, body: tokensPart, needs: () => [TOKENS] },
    people: { title: people, isShown: leadsPeople, body: peoplePart, needs: peopleNeeds },
    invitations: {
      title: invitations,
      isShown: leadsPeople,
      body: invitationsPart,
      needs: () => [INVITATIONS],
    },
    import: { title: imports, isShown: isAdmin },
    map: { title: map, isShown: isAdmin, body: mapPart },
    appearance: APPEARANCE,
    outbox: { title: outbox, isShown: () => true, body: outboxList },
  }),
);

const chosen = ({ route }: State) => PARTS.get(route.params.part);

/** On a wide screen the list of parts stands beside the first one. */
const shown = (state: State) => chosen(state) ?? (hasAccount(state) ? ACCOUNT : APPEARANCE);

export const title = (state: State) => chosen(state)?.title ?? common.tabs.settings;

export const needs = (state: State) => {
  const { isShown, needs } = shown(state);
  return isShown(state) ? (needs?.(state) ?? []) : [];
};

export function view(state: State) {
  const { isShown, body } = shown(state);
  const isIndex = !chosen(state);
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
  const parts = [...PARTS].filter(([, { isShown }]) => isShown(state));
  return html`${link('/suggestions', common.tabs.suggestions, false, 'phone')}
  ${isSignedIn(state) ? link('/activity', common.tabs.activity, false, 'phone') : nothing}
  ${parts.map(([name, part]) => link(`/settings/${name}`, part.title, part === shown(state)))}
  ${link('/manual', words.manual)} ${link('/api/docs', words.docs)}`;
}
