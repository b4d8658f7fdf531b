import { fill, texts } from '../base/texts.js';
import { closeDialog, mayWrite, openDialog } from '../state/actions.js';
import { VERDICTS, decide, mayGet, removeSuggestion } from './verdicts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk } from '../parts/ask.js';
import { openKeys } from '../parts/help.js';
import { icon } from '../parts/parts.js';
import type { State, Suggestion } from '../base/types.js';

const words = texts.suggestions;

/** What can be done with the suggestion that is shown, or with those that are selected. */
export function bar(state: State, shown: Suggestion) {
  const picked = state.ui.inbox?.picked?.length ?? 0;
  const { user } = state.session;
  const isOwn = user && shown.author?.id === user.id && shown.status === 'pending';
  if (!mayWrite(state)) return isOwn ? html`<div class="bar">${removeButton(state, shown)}</div>` : nothing;
  const verdicts = Object.entries(VERDICTS).filter(([, verdict]) => picked > 0 || mayGet(shown, verdict));
  if (verdicts.length === 0) return nothing;
  return html`<div class="bar">
    ${verdicts.map(
      ([key, verdict]) =>
        html`<button
          type="button"
          class=${verdict === 'converted' ? 'button primary' : 'button'}
          @click=${() => decide(state, verdict)}
        >
          ${words.verbs[verdict]}${picked > 0 ? html` <span class="desk">${picked}</span>` : nothing}
          <kbd class="desk" aria-hidden="true">${key}</kbd>
        </button>`,
    )}
    <span class="desk small soft hints">
      <button type="button" class="link" @click=${openKeys}><kbd>?</kbd> ${words.keys}</button>
      ${moreButton(state, shown)}
    </span>
  </div>`;
}

/** Opens what is done more rarely. */
export function moreButton(state: State, item: Suggestion) {
  if (!mayWrite(state)) return html`<span></span>`;
  const label = fill(words.moreOf, { name: item.name });
  const edit = html`<a class="button" href=${`/suggestions/${item.id}/edit`} @click=${closeDialog}
    >${icon('edit', 16)}${words.edit}</a
  >`;
  const body = () =>
    html`<h2>${item.name}</h2>
      <div class="acts column">
        ${item.status === 'converted' ? nothing : edit} ${removeButton(state, item)}
      </div>`;
  return html`<button
    type="button"
    class="button plain only"
    aria-label=${label}
    @click=${() => openDialog({ label, body })}
  >
    ${icon('more', 20)}
  </button>`;
}

function removeButton(state: State, item: Suggestion) {
  const { id, name } = item;
  const remove = () => {
    closeDialog();
    removeSuggestion({ id, name });
  };
  const press = () => deleteOrAsk(state, fill(words.removeForEver, { name }), remove);
  return html`<button type="button" class="button" @click=${press}>${words.remove}</button>`;
}
