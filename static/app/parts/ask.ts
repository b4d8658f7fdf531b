import { texts } from '../base/texts.js';
import { closeDialog, openDialog } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
import type { State } from '../base/types.js';

const words = texts.common;
const keys = texts.keys;

interface Question {
  readonly title: string;
  readonly text: string;
  /** what its button says, and does */
  readonly yes: string;
  readonly run: () => unknown;
  /** what else can be done */
  readonly other?: { readonly text: string; readonly run: () => unknown };
}

/** Asks before something that cannot be taken back. */
export function askFirst({ title, text, yes, run, other }: Question) {
  const closing = (text: string, run?: () => unknown, kind?: string) =>
    button(text, () => (closeDialog(), run?.()), kind);
  openDialog({
    label: title,
    body: () =>
      html`<h2>${title}</h2>
        <p>${text}</p>
        <p class="acts end">
          ${closing(words.cancel)} ${other ? closing(other.text, other.run) : nothing}
          ${closing(yes, run, 'button danger')}
        </p>`,
  });
}

/** Deletes; asks first, with a title, where a deletion cannot be undone. */
export function deleteOrAsk({ config }: State, title: string, run: () => unknown) {
  if (config?.trash_days !== 0) return void run();
  askFirst({ title, text: words.forGood, yes: words.delete, run });
}

/** Opens the list of all keys. */
export function openKeys() {
  openDialog({
    label: keys.title,
    body: () =>
      html`<h2>${keys.title}</h2>
        ${(['everywhere', 'explore', 'place', 'suggestions'] as const).map(
          (where) =>
            html`<h3>${keys.where[where]}</h3>
              <dl class="keys">
                ${keys.rows[where].map(
                  ([key, text]) =>
                    html`<dt><kbd>${key}</kbd></dt>
                      <dd>${text}</dd>`,
                )}
              </dl>`,
        )}`,
  });
}
