import { texts } from '../base/texts.js';
import { openDialog } from '../state/actions.js';
import { html } from '../vendor/lit-html/lit-html.js';

const words = texts.keys;

/** Opens the list of all keys. */
export function openKeys() {
  openDialog({
    label: words.title,
    body: () =>
      html`<h2>${words.title}</h2>
        ${(['everywhere', 'explore', 'place', 'suggestions'] as const).map(
          (where) =>
            html`<h3>${words.where[where]}</h3>
              <dl class="keys">
                ${words.rows[where].map(
                  ([key, text]) =>
                    html`<dt><kbd>${key}</kbd></dt>
                      <dd>${text}</dd>`,
                )}
              </dl>`,
        )}`,
  });
}
