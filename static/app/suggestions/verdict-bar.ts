import { fill, texts } from '../base/texts.js';
import { closeDialog, mayWrite, openDialog } from '../state/actions.js';
import { decide, mayGet, removeSuggestion } from './verdicts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk } from '../parts/ask.js';
import { openKeys } from '../parts/help.js';
import { icon } from '../parts/parts.js';
import type { State, Suggestion } from '../base/types.js';
import type { Verdict } from './verdicts.js';

const words = texts.suggestions;

/** The verdicts by their keys. */
export const VERDICTS: Readonly<Record<string, Verdict>> = {
  a: 'approved',
  t: 'tested',
  r: 'rejected',
  c: 'converted',
};

/** What can be done with the suggestion that is shown, or with those that are selected. */
export function bar(state: State, shown: Suggestion) {
  const picked = state.ui.picked?.length ?? 0;
  if (!mayWrite(state))
    return isOwn(state, shown)
      ? html`<div class="bar">${removeButton(state, shown, words.takeBack)}</div>`
      : nothing;
  const verdicts = Object.entries(VERDICTS).filter(([, verdict]) => picked > 0 || mayGet(shown, verdict));
  if (verdicts.length === 0) return nothing;
  return html`<div class="bar">
    ${verdicts.map(([key, verdict]) => {
      const verb = words.verbs[verdict];
      return html`<button
        type="button"
        class=${verdict === 'approved' ? 'button primary' : 'button'}
        @click=${() => decide(state, verdict)}
      >
        ${verdict === 'approved' ? icon('check', 16) : nothing}${verb}${picked > 0 ? html` <span class="desk">${picked}</span>` : nothing}
        <kbd class="desk" aria-hidden="true">${key}</kbd>
      </button>`;
    })}
    <span class="desk small soft hints">
      <kbd>j</kbd> <kbd>k</kbd> ${words.hints.walk} <kbd>e</kbd> ${words.hints.edit}
      <kbd>x</kbd> ${words.hints.select}
      <button type="button" class="link" @click=${openKeys}><kbd>?</kbd> ${words.hints.keys}</button>
      ${moreButton(state, shown)}
    </span>
  </div>`;
}

const isOwn = ({ session }: State, { author, status }: Suggestion) =>
  Boolean(session.user) && author?.id === session.user?.id && status === 'pending';

/** Opens what is done more rarely. */
export function moreButton(state: State, item: Suggestion) {
  if (!mayWrite(state)) return html`<span></span>`;
  const open = () =>
    openDialog({
      label: fill(words.moreOf, { name: item.name }),
      body: () =>
        html`<h2>${item.name}</h2>
          <div class="acts column">
            ${
              item.status === 'converted'
                ? nothing
                : html`<a class="button" href=${`/suggestions/${item.id}/edit`} @click=${closeDialog}
                    >${icon('edit', 16)}${words.edit}</a
                  >`
            }
            ${removeButton(state, item, words.remove)}
          </div>`,
    });
  return html`<button
    type="button"
    class="button plain only"
    aria-label=${fill(words.moreOf, { name: item.name })}
    @click=${open}
  >
    ${icon('more', 20)}
  </button>`;
}

function removeButton(state: State, item: Suggestion, label: string) {
  const said =
    label === words.remove
      ? fill(words.removed, { name: item.name })
      : fill(words.takenBack, { name: item.name });
  const remove = () => {
    closeDialog();
    removeSuggestion(item.id, said);
  };
  const press = () => deleteOrAsk(state, fill(words.removeForEver, { name: item.name }), remove);
  return html`<button type="button" class="button" @click=${press}>${label}</button>`;
}
