import { act, closeDialog, mayWrite, needsUser, openDialog, toast } from '../actions.js';
import { mayRevert, sentenceParts, whyNot } from '../activity-log.js';
import { affectedBy } from '../affected.js';
import { load } from '../data.js';
import { ago } from '../format.js';
import { goBack, navigate } from '../router.js';
import { state } from '../store.js';
import { words as log } from '../texts/activity.js';
import { words } from '../texts/restaurant.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { deleteOrAsk } from './ask.js';
import { missing } from './parts.js';
import { goLinks, openGo } from './place.js';

/** @import { Change, Restaurant, State } from '../types.js' */

/**
 * Opens what is rarely done with a place.
 * @param {Restaurant} place
 * @param {State} state
 */
export function openMenu(place, state) {
  const { id, name } = place;
  const writes = mayWrite(state);
  const entry = (/** @type {keyof typeof words.menuOf} */ key, /** @type {() => void} */ run, kind = '') =>
    html`<li>
      <button
        type="button"
        class=${`button plain ${kind}`}
        @click=${() => (closeDialog(), requestAnimationFrame(run))}
      >
        ${words.menuOf[key]}
      </button>
    </li>`;
  openDialog({
    label: words.menu,
    body: () =>
      html`<h2>${name}</h2>
        <ul class="choices">
          ${writes ? entry('edit', () => navigate(`/restaurants/${id}/edit`)) : nothing}
          ${entry('history', () => openHistory({ id, name }))}
          ${goLinks(place) ? entry('maps', () => openGo(place)) : nothing}
          ${navigator.clipboard ? entry('copy', copyLink) : nothing}
          ${entry('print', () => requestAnimationFrame(() => print()))}
          ${writes ? entry('delete', () => remove({ id, name }), 'danger') : nothing}
        </ul>`,
  });
}

async function copyLink() {
  await navigator.clipboard.writeText(location.href);
  toast({ text: words.copied });
}

const remove = needsUser('delete place', (/** @type {Pick<Restaurant, 'id' | 'name'>} */ { id, name }) =>
  deleteOrAsk(state, words.askDelete(name), () => {
    // First, so that the page of what is gone is not asked for again.
    goBack('/');
    void act({
      method: 'DELETE',
      path: `/restaurants/${id}`,
      said: words.deleted(name),
      touches: ['/restaurants', '/search', '/lists', '/visits', '/suggestions'],
    });
  }),
);

const openHistory = needsUser('history', (/** @type {Pick<Restaurant, 'id' | 'name'>} */ { id, name }) => {
  const url = `/restaurants/${id}/history?limit=50`;
  openDialog({
    label: words.historyOf(name),
    needs: () => [url],
    body: (state) => {
      const changes = /** @type {{ data: readonly Change[] } | undefined} */ (state.data[url]?.body)?.data;
      return html`<h2>${words.historyOf(name)}</h2>
        ${
          changes
            ? html`<ul class="changes">
                ${changes.map((change) => changeRow(state, change, name))}
              </ul>`
            : missing(state.data[url], () => load(url))
        }
        ${changes?.length === 0 ? html`<p class="soft">${words.noHistory}</p>` : nothing}`;
    },
  });
});

/**
 * @param {State} state
 * @param {Change} change
 * @param {string} name of the place
 */
function changeRow(state, change, name) {
  const [before, after] = sentenceParts(state, change);
  const sentence = before + name + after;
  return html`<li>
    <span>${sentence}</span> <span class="tiny soft">${ago(change.at)}</span>
    ${change.reverted_by !== null ? html`<span class="tiny soft">${log.reverted}</span>` : nothing}
    ${
      change.reverted_by === null && mayRevert(state, change)
        ? html`<button
            type="button"
            class="link small"
            aria-label=${log.revertOf(sentence)}
            @click=${() => takeBack(change)}
          >
            ${log.revert}
          </button>`
        : nothing
    }
  </li>`;
}

/** @param {Change} change */
async function takeBack(change) {
  const outcome = await act({
    method: 'POST',
    path: `/changes/${change.id}/revert`,
    said: log.done,
    quiet: true,
    touches: ['/changes', ...affectedBy([change])],
  });
  if (!outcome.ok) toast({ text: whyNot(change, outcome.fault), kind: 'fault' });
}
