import { fill, texts } from '../base/texts.js';
import { faultText } from '../base/api.js';
import { isAdmin, isSignedIn, signInHref } from '../state/actions.js';
import { chooseLanguage } from '../state/language.js';
import { field } from '../parts/form.js';
import { button, icon } from '../parts/parts.js';
import * as people from './account.js';
import { importPart } from './import.js';
import { fieldsIn } from '../base/import-words.js';
import { BATCHES, listsNeeds } from '../state/import-actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { forgetUnsent } from '../base/cache.js';
import { ago } from '../base/format.js';
import { askFirst } from '../parts/mine.js';
import { streetsPart } from '../parts/place-map.js';
import { pairsLink, pairsUrls } from '../parts/similar.js';
import { readOwn, sendAgain, takeBack } from '../state/outbox.js';
import { navigate } from '../state/router.js';
import { languages } from '../texts/texts.js';
import { readStored, setDraft, setUi, writeStored } from '../state/store.js';
import { type Rating, type State, type Waiting, trust } from '../base/types.js';

const common = texts.common;
const words = texts.settings;

type Name = keyof typeof words.parts;
type Ask<Answer> = (state: State) => Answer;

const isOpen = ({ config }: State) => config?.auth_mode === 'none';
const hasAccount = (state: State) => isSignedIn(state) && !isOpen(state);
const leadsPeople = (state: State) => hasAccount(state) && isAdmin(state);

/** By the last part of their addresses. */
const PARTS: Readonly<
  Record<Name, { isShown: Ask<boolean>; url?: Ask<string | undefined>; body: Ask<unknown> }>
> = {
  account: { isShown: hasAccount, body: people.accountPart },
  sessions: { isShown: hasAccount, body: people.sessionsPart, url: () => people.SESSIONS },
  tokens: { isShown: hasAccount, body: people.tokensPart, url: () => people.TOKENS },
  feeds: { isShown: isSignedIn, body: people.feedsPart, url: () => people.FEEDS },
  people: { isShown: leadsPeople, body: people.peoplePart, url: people.usersUrl },
  invitations: { isShown: leadsPeople, body: people.invitationsPart, url: () => people.INVITATIONS },
  import: {
    isShown: () => true,
    body: importPart,
    url: (state) => (isSignedIn(state) ? BATCHES : undefined),
  },
  map: { isShown: isAdmin, body: mapPart },
  appearance: { isShown: () => true, body: appearancePart },
  outbox: { isShown: () => true, body: outboxPart },
};

const isName = (name: string | undefined): name is Name => Object.hasOwn(PARTS, name ?? '');

const isIndex = ({ route }: State) => !isName(route.params.part);

/** On a wide screen the list of parts is next to the first one. */
const shown = (state: State): Name => {
  const { part } = state.route.params;
  return isName(part) ? part : hasAccount(state) ? 'account' : 'appearance';
};

export const title = (state: State) => (isIndex(state) ? common.tabs.settings : words.parts[shown(state)]);

export const needs = (state: State) => {
  const { isShown, url } = PARTS[shown(state)];
  const needed = isShown(state) ? url?.(state) : undefined;
  return [...(needed === undefined ? [] : [needed]), ...listsNeeds(state), ...pairsUrls(state)];
};

export function view(state: State) {
  const { isShown, body } = PARTS[shown(state)];
  const [settings, list, part] = isIndex(state) ? ['settings index', '', 'desk'] : ['settings', 'desk', ''];
  const signIn = html`<p class="acts account-head">
    <span class="soft">${words.signedOut}</span>
    <a class="button primary" href=${signInHref()}>${common.signIn}</a>
  </p>`;
  return html`<div class=${settings}>
    <nav aria-label=${common.tabs.settings}>
      ${isIndex(state) ? nothing : html`<a class="phone" href="/settings">${icon('back', 16)} ${words.back}</a>`}
      <ul class=${list}>
        ${links(state)}
      </ul>
    </nav>
    <div class="part">
      <h1 class="rule">${title(state)}</h1>
      ${isOpen(state) ? html`<p class="soft">${words.open}</p>` : state.session.user === null ? signIn : nothing}
      <div class=${part}>${isShown(state) ? body(state) : html`<p>${common.failed.forbidden}</p>`}</div>
    </div>
  </div>`;
}

function links(state: State) {
  const link = (href: string, text: string, isCurrent = false, kind = '') =>
    html`<li class=${kind}><a href=${href} aria-current=${isCurrent ? 'page' : nothing}>${text}</a></li>`;
  const names = Object.keys(PARTS)
    .filter(isName)
    .filter((name) => PARTS[name].isShown(state));
  return html`${link('/suggestions', common.tabs.suggestions, false, 'phone')}
    ${isSignedIn(state) ? link('/activity', common.tabs.activity, false, 'phone') : nothing}
    <li>${pairsLink(state, '')}</li>
    ${names.map((name) => link(`/settings/${name}`, words.parts[name], name === shown(state)))}
    ${link('/manual', words.manual)} ${link('/api/docs', words.docs)}`;
}

const unsent = texts.outbox;

/** @param value undefined is the default */
function choose(name: string, value: string | undefined) {
  // Where storage is switched off it holds for this page, as far as the page itself can do it.
  writeStored(name, value);
  // The script that sets the theme listens to other tabs, which get this event from the browser.
  dispatchEvent(new Event('storage'));
  setUi({});
}

function appearancePart({ ui: { install }, config }: State) {
  const theme = readStored('theme') ?? 'system';
  const check = (type: string, text: string, isOn: boolean, change: () => void) =>
    html`<label class="check"
      ><input type=${type} name="theme" .checked=${isOn} @change=${change} />${text}</label
    >`;
  const hasKeys = readStored('keys') !== 'off';
  const { lang } = document.documentElement;
  const nameOf = (tag: string) => {
    const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
  };
  return html`${field({
      name: 'language',
      label: words.language,
      required: true,
      value: lang,
      choices: languages.map((tag) => [tag, nameOf(tag)]),
      onInput: (tag) => void chooseLanguage(tag),
    })}
    <fieldset class="box">
      <legend>${words.theme}</legend>
      ${Object.entries(words.themes).map(([value, text]) =>
        check('radio', text, theme === value, () => choose('theme', value === 'system' ? undefined : value)),
      )}
    </fieldset>
    <div class="box">
      ${check('checkbox', words.keys, hasKeys, () => choose('keys', hasKeys ? 'off' : undefined))}
      <p class="small soft">${words.keysText}</p>
    </div>
    ${streetsPart(config)}
    ${
      install &&
      html`<p class="small soft">${words.installText}</p>
        <p class="acts">${button(words.install, install)}</p>`
    }
    ${isSecureContext ? nothing : html`<p class="small soft">${words.plain}</p>`}`;
}

/** Leads an administrator to a map with streets. */
function mapPart({ config }: State) {
  const { kind, attribution } = config?.tiles ?? {};
  return html`<p class="lead">${words.mapKinds[kind ?? 'none']} ${attribution ?? ''}</p>
    <p class="small soft lead">${words.mapText}</p>
    <ol class="steps">
      ${words.mapSteps.map((step) => html`<li>${step}</li>`)}
    </ol>
    <p class="small"><a href="/manual/maps">${words.mapManual}</a></p>`;
}

/** What waits to be sent, with what can be done about each. */
function outboxPart({ outbox, ui: { unsentOfOther: count = 0 } }: State) {
  const askToDelete = () =>
    askFirst(unsent.askDeleteOthers, common.forGood, common.delete, () => forgetUnsent().then(readOwn));
  if (count > 0)
    return html`<p class="lead">${fill(unsent.others, { count })}</p>
      <p class="acts">${button(unsent.deleteOthers, askToDelete)}</p>`;
  if (outbox.length === 0) return html`<p>${unsent.none}</p>`;
  return html`<ul class="outbox">
    ${outbox.map(waitingPart)}
  </ul>`;
}

/** Why something was refused. */
function reasonOf({ status, reason: message = '' }: Waiting) {
  // An older version of the app stored a sentence alone.
  if (status === undefined) return message;
  const fields = status === 400 ? fieldsIn(message) : '';
  return fields ? fill(unsent.fields, { fields }) : faultText({ status, message });
}

function waitingPart(waiting: Waiting) {
  const { key, label, place = '', state, at, path, body } = waiting;
  const isRefused = state === 'refused';
  const why = isRefused
    ? fill(unsent.refused, { reason: reasonOf(waiting) })
    : fill(state === 'old' ? unsent.old : unsent.waits, { ago: ago(at) });
  const href = place.replace('restaurant ', '/restaurants/');
  /** Takes a rating back and has it changed where its place is. */
  const editRating = async () => {
    // The service reads again what is sent.
    const rating = trust<Partial<Rating>>(body ?? {});
    const { food_rating: food, service_rating: service, ambiance_rating: ambiance, comment } = rating;
    setDraft(place.replace('restaurant', 'rate'), { food, service, ambiance, comment, drafts: [] });
    await takeBack(key);
    navigate(href);
  };
  const again = state === 'old' ? unsent.send : unsent.again;
  return html`<li class="box">
    ${href === place ? html`<b>${label}</b>` : html`<a href=${href}>${label}</a>`}
    <p class=${isRefused ? 'small bad' : 'small warn'}>${icon(isRefused ? 'warning' : 'clock', 14)} ${why}</p>
    <div class="acts">
      ${state === 'waiting' ? nothing : button(again, () => sendAgain(waiting))}
      ${path.startsWith('/ratings') && place ? button(common.edit, editRating) : nothing}
      ${button(unsent.discard, () => takeBack(key))}
    </div>
  </li>`;
}
