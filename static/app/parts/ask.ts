import { texts } from '../base/texts.js';
import { closeDialog, openDialog } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const words = texts.common;

/**
 * Asks before something that cannot be taken back.
 * @param question.other what else can be done
 */
export function askFirst({
  title,
  text,
  yes,
  run,
  other,
}: {
  title: string;
  text: string;
  yes: string;
  run: () => unknown;
  other?: { text: string; run: () => unknown };
}) {
  const button = (text: string, run?: () => unknown, kind = 'button') =>
    html`<button type="button" class=${kind} @click=${() => (closeDialog(), run?.())}>${text}</button>`;
  openDialog({
    label: title,
    body: () =>
      html`<h2>${title}</h2>
        <p>${text}</p>
        <p class="acts end">
          ${button(words.cancel)} ${other ? button(other.text, other.run) : nothing}
          ${button(yes, run, 'button danger')}
        </p>`,
  });
}

/**
 * Deletes; asks first where a deletion cannot be undone.
 * @param title its question
 */
export function deleteOrAsk({ config }: State, title: string, run: () => unknown) {
  if (config?.trash_days !== 0) return void run();
  askFirst({ title, text: words.forGood, yes: words.delete, run });
}
