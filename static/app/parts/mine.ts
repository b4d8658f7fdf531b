import { texts } from '../base/texts.js';
import { signInHref } from '../state/actions.js';
import { load } from '../state/data.js';
import { answer, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { age, empty, missing, skeleton } from './parts.js';
import type { State } from '../base/types.js';

const words = texts.common;

/** Draws an answer, or what is missing in place of it. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as of answers, whose types it passes on
export function loaded<Body>(url: string, draw: (body: Body) => unknown) {
  const body = answer<Body>(url);
  return body === undefined ? missing(state.data[url], () => void load(url)) : draw(body);
}

/**
 * A screen of what belongs to the person, made of one answer: its title with actions and its content, or what is
 * missing. Who is signed out finds what it is for, and the way in.
 * @param screen `url` below /api
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as of answers, whose types it passes on
export function ofPerson<Body>(
  { session: { user }, data }: State,
  { url, title, about, actions = nothing }: { url: string; title: string; about: string; actions?: unknown },
  content: (body: Body) => unknown,
) {
  const entry = user ? data[url] : undefined;
  const body = user ? answer<Body>(url) : undefined;
  if (entry?.state === 'failed') return html`${missing(entry, () => void load(url))}`;
  const signIn = html`<a class="button primary" href=${signInHref()}>${words.signIn}</a>`;
  const shown = body === undefined ? skeleton() : html`${age(entry)} ${content(body)}`;
  return html`<div class="mine">
    <div class="head rule">
      <h1>${title}</h1>
      ${user ? html`<div class="acts">${actions}</div>` : nothing}
    </div>
    ${user === null ? empty(about, signIn) : shown}
  </div>`;
}

/** A choice of one among several, which has its name without a label. */
export const choice = (
  label: string,
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string,
  { name, kind = '', choose }: { name?: string; kind?: string; choose?: (value: string) => void },
) =>
  html`<select
    name=${name ?? nothing}
    class=${kind}
    aria-label=${label}
    @change=${({ currentTarget: select }: Event) => select instanceof HTMLSelectElement && choose?.(select.value)}
  >
    ${choices.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}
  </select>`;

/** Gives the focus to a control by its `data-focus` once the screen is drawn again, as after it was moved. */
export function focusOn(name: string) {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const element = document.querySelector(`[data-focus="${CSS.escape(name)}"]`);
      if (element instanceof HTMLElement) element.focus();
    }),
  );
}
