import { fill, texts } from '../base/texts.js';
import { act, toast } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { askFirst } from '../parts/mine.js';
import { button, leader } from '../parts/parts.js';

const words = texts.settings;

/** Part of a page under a title, with what can be done at its end. */
export const section = (title: string, content: unknown, end?: unknown) =>
  html`<section>
    <h2>${title}</h2>
    ${content} ${end === undefined ? nothing : html`<p class="acts">${end}</p>`}
  </section>`;

/** Something to copy, in a field, since browsers copy only over HTTPS. Links can be shared where the system does that. */
export function copyBox(label: string, text: string) {
  const copy = () => navigator.clipboard.writeText(text).then(() => toast({ text: words.copied }));
  // It is refused, too, where the sheet is closed again.
  const share = () => navigator.share({ title: label, url: text }).catch(() => undefined);
  const select = ({ target }: { target: HTMLInputElement }) => target.select();
  return html`<p class="copy">
    <input readonly aria-label=${label} .value=${text} @focus=${select} />
    ${'share' in navigator && URL.canParse(text) ? button(words.share, share, 'button primary') : nothing}
    ${'clipboard' in navigator ? button(words.copy, copy) : nothing}
  </p>`;
}

const LOOPBACK = /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])[:/]/;

/** A secret that the API tells once. */
export const secretBox = (secret: { name: string; text: string } | undefined) =>
  secret &&
  html`<div class="box" role="status">
    <p><strong>${secret.name}</strong> ${words.once}</p>
    ${copyBox(secret.name, secret.text)}
    ${LOOPBACK.test(secret.text) ? html`<p class="small warn">${words.loopback}</p>` : nothing}
  </div>`;

/** A list: of each its name, what can be done with it, and more about it below. */
export const lines = (
  all: readonly (readonly [name: string, end: unknown, ...about: (string | null | false | undefined)[]])[],
) =>
  html`<ul class="lines">
    ${all.map(
      ([name, end, ...about]) =>
        html`<li>
          ${leader(html`<strong>${name}</strong>`, end)}
          <p class="small soft">${about.filter(Boolean).join(' · ')}</p>
        </li>`,
    )}
  </ul>`;

/** Asks before it deletes what a path names. */
export function askToDelete(
  { title, text, yes, said }: Record<'title' | 'text' | 'yes' | 'said', string>,
  path: string,
  name = '',
) {
  const write = { method: 'DELETE', path, said: fill(said, { name }) };
  askFirst(fill(title, { name }), text, yes, () => act(write));
}

export const contributionsField = {
  name: 'contributions',
  label: words.contributions,
  required: true,
  choices: Object.entries(words.contributionChoices),
};

/** @param most days; without a limit there may be no end, too */
export const daysField = (value: string, most = Infinity) => ({
  name: 'expires_in_days',
  label: words.days,
  required: true,
  value,
  choices: Object.entries(words.dayChoices).filter(([days]) => (Number(days) || Infinity) <= most),
});
