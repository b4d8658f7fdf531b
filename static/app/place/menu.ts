import { fill, texts } from '../base/texts.js';
import { act, closeDialog, mayWrite, needsUser, openDialog, toast } from '../state/actions.js';
import { sentenceParts, undoPart } from '../parts/activity-log.js';
import { ago } from '../base/format.js';
import { goBack, navigate } from '../state/router.js';
import { state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk, loaded } from '../parts/mine.js';
import { button } from '../parts/parts.js';
import { goLinks, openGo } from '../parts/place-bar.js';
import type { Change, Named, Page, Restaurant, State } from '../base/types.js';

const words = texts.restaurant;

/** Opens what is rarely done with a place. */
export function openMenu(place: Restaurant, state: State) {
  const { id, name } = place;
  const writes = mayWrite(state);
  const entry = (key: keyof typeof words.menuOf, run: () => void, kind = '') =>
    html`<li>
      ${button(words.menuOf[key], () => (closeDialog(), requestAnimationFrame(run)), `button plain ${kind}`)}
    </li>`;
  openDialog({
    label: words.menu,
    body: () =>
      html`<h2>${name}</h2>
        <ul class="choices">
          ${writes ? entry('edit', () => navigate(`/restaurants/${id}/edit`)) : nothing}
          ${entry('history', () => openHistory({ id, name }))}
          ${goLinks(place) ? entry('maps', () => openGo(place)) : nothing}
          ${isSecureContext ? entry('copy', () => void copyLink()) : nothing}
          ${entry('print', () => requestAnimationFrame(() => print()))}
          ${writes ? entry('delete', () => remove({ id, name }), 'danger') : nothing}
        </ul>`,
  });
}

async function copyLink() {
  await navigator.clipboard.writeText(location.href);
  toast({ text: words.copied });
}

const remove = needsUser('delete place', ({ id, name }: Named) =>
  deleteOrAsk(state, fill(words.askDelete, { name }), () => {
    // First, so that the page of what is gone is not asked for again.
    goBack('/');
    void act({ method: 'DELETE', path: `/restaurants/${id}`, said: fill(words.deleted, { name }) });
  }),
);

const openHistory = needsUser('history', ({ id, name }: Named) => {
  const url = `/restaurants/${id}/history?limit=50`;
  const title = fill(words.historyOf, { name });
  const line = (change: Change) => {
    const sentence = sentenceParts(state, change).join(name);
    return html`<li>
      <span>${sentence}</span> <span class="tiny soft">${ago(change.at)}</span>
      ${undoPart(state, change, sentence)}
    </li>`;
  };
  openDialog({
    label: title,
    needs: () => [url],
    body: () =>
      html`<h2>${title}</h2>
        ${loaded(url, ({ data }: Page<Change>) =>
          data.length === 0
            ? html`<p class="soft">${words.noHistory}</p>`
            : html`<ul class="changes">
                ${data.map(line)}
              </ul>`,
        )}`,
  });
});
