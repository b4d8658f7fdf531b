import { fill, texts } from '../base/texts.js';
import { forgetDraft, placeDraft } from './place-edit.js';
import { valuesOfPlace } from './fields.js';
import { submitPlace } from './send.js';
import { goBack } from '../state/router.js';
import { mayWrite } from '../state/actions.js';
import { load } from '../state/data.js';
import { setUi } from '../state/store.js';
import { missing } from '../parts/parts.js';
import { CHOICES, placeFault, placeFields } from './form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Restaurant, State, Suggestion } from '../base/types.js';

const common = texts.common;
const words = texts.add;

function task({ route, data }: State) {
  const { id = '' } = route.params;
  const isSuggestion = route.pattern.startsWith('/suggestions');
  const url = `/${isSuggestion ? 'suggestions' : 'restaurants'}/${id}`;
  const place = data[url]?.body as Restaurant | Suggestion | undefined;
  const purpose: 'convert' | 'edit' = isSuggestion ? 'convert' : 'edit';
  return {
    purpose,
    url,
    place,
    draft: `${purpose} ${id}`,
    home: isSuggestion ? `/suggestions?sel=${id}` : url,
  };
}

export const needs = (state: State) => [...CHOICES, task(state).url];

export function title(state: State) {
  const { purpose, place } = task(state);
  return place && purpose === 'edit' ? fill(words.of, { name: place.name }) : words.title[purpose];
}

export function leave() {
  setUi({ placeFaults: {}, placeTwin: undefined, notLocated: false });
}

export function view(state: State) {
  const { purpose, url, place, draft, home } = task(state);
  if (!place) return html`${missing(state.data[url], () => void load(url))}`;
  if (state.session.user && !mayWrite(state)) return html`<h1>${common.failed.forbidden}</h1>`;
  const before = valuesOfPlace(place);
  const values = { ...before, ...placeDraft(draft).own };
  return html`<form
    class="place-form"
    novalidate
    @submit=${(event: Event) => {
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
