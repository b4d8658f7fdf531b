import { closeDialog, openDialog } from '../actions.js';
import { words } from '../texts.js';
import { html } from '../vendor/lit-html/lit-html.js';

/** @import { State } from '../types.js' */

/**
 * Asks before something that cannot be taken back.
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.text
 * @param {string} question.yes
 * @param {() => void} question.run
 */
export function askFirst({ title, text, yes, run }) {
  const go = () => {
    closeDialog();
    run();
  };
  openDialog({
    label: title,
    body: () =>
      html`<h2>${title}</h2>
        <p>${text}</p>
        <p class="acts end">
          <button type="button" class="button" @click=${closeDialog}>${words.cancel}</button>
          <button type="button" class="button danger" @click=${go}>${yes}</button>
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
