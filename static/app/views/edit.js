import { forgetDraft, placeDraft } from '../place-edit.js';
import { valuesOfPlace } from '../place-fields.js';
import { submitPlace } from '../place-send.js';
import { goBack } from '../router.js';
import { mayWrite } from '../actions.js';
import { load } from '../data.js';
import { setUi } from '../store.js';
import { words as common } from '../texts.js';
import { words } from '../texts/add.js';
import { missing } from '../ui/parts.js';
import { CHOICES, placeFault, placeFields } from '../ui/place-form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { Restaurant, State, Suggestion } from '../types.js' */

/** @param {State} state */
function task({ route, data }) {
  const { id = '' } = route.params;
  const isSuggestion = route.pattern.startsWith('/suggestions');
  const url = `/${isSuggestion ? 'suggestions' : 'restaurants'}/${id}`;
  const place = /** @type {Restaurant | Suggestion | undefined} */ (data[url]?.body);
  /** @type {'convert' | 'edit'} */
  const purpose = isSuggestion ? 'convert' : 'edit';
  return {
    purpose,
    url,
    place,
    draft: `${purpose} ${id}`,
    home: isSuggestion ? `/suggestions?sel=${id}` : url,
  };
}

/** @param {State} state */
export const needs = (state) => [...CHOICES, task(state).url];

/** @param {State} state */
export function title(state) {
  const { purpose, place } = task(state);
  return place && purpose === 'edit' ? words.of(place.name) : words.title[purpose];
}

export function leave() {
  setUi({ placeFaults: {}, placeTwin: undefined, notLocated: false });
}

/** @param {State} state */
export function view(state) {
  const { purpose, url, place, draft, home } = task(state);
  if (!place) return html`${missing(state.data[url], () => void load(url))}`;
  if (state.session.user && !mayWrite(state)) return html`<h1>${common.failed.forbidden}</h1>`;
  const before = valuesOfPlace(place);
  const values = { ...before, ...placeDraft(draft).own };
  return html`<form
    class="place-form"
    novalidate
    @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      submitPlace(purpose, draft, values, before);
    }}
  >
    <h1 class="rule">${title(state)}</h1>
    ${'notes' in place && place.notes ? html`<p class="said">${place.notes}</p>` : nothing}
    ${placeFields({ state, purpose, draft, values })} ${placeFault(state)}
    <div class="acts end">
      <button
        type="button"
        class="button plain"
        @click=${() => {
          forgetDraft(draft);
          goBack(home);
        }}
      >
        ${common.cancel}
      </button>
      <button class="button primary" aria-disabled=${state.ui.placeSending ? 'true' : nothing}>
        ${words.submit[purpose]}
      </button>
    </div>
  </form>`;
}
