import { closeDialog, openDialog } from '../actions.js';
import { words } from '../texts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { State } from '../types.js' */

/**
 * Asks before something that cannot be taken back.
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text
 * @param {string} question.yes
 * @param {() => void} question.run
 * @param {{ text: string, run: () => void }} [question.other] what else can be done
 */
export function askFirst({ title, text, yes, run, other }) {
  const button = (/** @type {string} */ text, /** @type {() => void} */ run, kind = 'button') =>
    html`<button type="button" class=${kind} @click=${() => (closeDialog(), run())}>${text}</button>`;
  openDialog({
    label: title,
    body: () =>
      html`<h2>${title}</h2>
        <p>${text}</p>
        <p class="acts end">
          ${button(words.cancel, () => {})} ${other ? button(other.text, other.run) : nothing}
          ${button(yes, run, 'button danger')}
        </p>`,
  });
}

/**
 * Deletes; asks first where a deletion cannot be undone.
 * @param {State} state
 * @param {string} title its question
 * @param {() => void} run
 */
export function deleteOrAsk({ config }, title, run) {
  if (config?.trash_days !== 0) return run();
  askFirst({ title, text: words.forGood, yes: words.delete, run });
}
