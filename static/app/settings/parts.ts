import { texts } from '../base/texts.js';
import { toast } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { leader } from '../parts/parts.js';

const words = texts.settings;

/** Something to copy, in a field, since browsers copy only over HTTPS. */
export function copyBox(label: string, text: string) {
  const copy = () => navigator.clipboard.writeText(text).then(() => toast({ text: words.copied }));
  return html`<p class="copy">
    <input readonly aria-label=${label} .value=${text} @focus=${(event: any) => event.target.select()} />
    ${
      'clipboard' in navigator
        ? html`<button type="button" class="button" @click=${copy}>${words.copy}</button>`
        : nothing
    }
  </p>`;
}

/** A secret that the API tells once. */
export const secretBox = (label: string, text: string | undefined) =>
  text === undefined
    ? nothing
    : html`<div class="box" role="status">
        <p><strong>${label}</strong> ${words.once}</p>
        ${copyBox(label, text)}
      </div>`;

/** A line of a list: its name, what can be done with it, and more about it below. */
export const line = (name: unknown, end: unknown, about: readonly (string | null | false | undefined)[]) =>
  html`<li>
    ${leader(html`<strong>${name}</strong>`, end)}
    <p class="small soft">${about.filter(Boolean).join(' · ')}</p>
  </li>`;
