import { toast } from '../actions.js';
import { words } from '../texts/settings.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { leader } from './parts.js';

/**
 * Something to copy, in a field, since browsers copy only over HTTPS.
 * @param {string} label
 * @param {string} text
 */
export function copyBox(label, text) {
  const copy = () => navigator.clipboard.writeText(text).then(() => toast({ text: words.copied }));
  return html`<p class="copy">
    <input
      readonly
      aria-label=${label}
      .value=${text}
      @focus=${(/** @type {any} */ event) => event.target.select()}
    />
    ${
      'clipboard' in navigator
        ? html`<button type="button" class="button" @click=${copy}>${words.copy}</button>`
        : nothing
    }
  </p>`;
}

/**
 * A secret that the API tells once.
 * @param {string} label
 * @param {string | undefined} text
 */
export const secretBox = (label, text) =>
  text === undefined
    ? nothing
    : html`<div class="box" role="status">
        <p><strong>${label}</strong> ${words.once}</p>
        ${copyBox(label, text)}
      </div>`;

/**
 * A line of a list: its name, what can be done with it, and more about it below.
 * @param {unknown} name
 * @param {unknown} end
 * @param {readonly (string | null | false | undefined)[]} about
 */
export const line = (name, end, about) =>
  html`<li>
    ${leader(html`<strong>${name}</strong>`, end)}
    <p class="small soft">${about.filter(Boolean).join(' · ')}</p>
  </li>`;
