import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import {
  chooseFound,
  draftValues,
  forgetDraft,
  lookHere,
  lookUp,
  newPurpose,
  placeDraft,
  takeShared,
  typeText,
} from './place-edit.js';
import { submitPlace } from './send.js';
import { parsePlace } from './place-text.js';
import { setUi } from '../state/store.js';
import { icon, skeleton } from '../parts/parts.js';
import { CHOICES, placeFault, placeFields } from './form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import type { Restaurant, State } from '../base/types.js';

const common = texts.common;
const words = texts.add;

export interface Found {
  place_id: string;
  name: string;
  address: string | null;
}

const DRAFT = 'add';
// Places further away are other places.
const RADIUS_KM = 0.15;
const FEW = 5;

export const title = (state: State) => words.title[newPurpose(state)];

const hereUrls = ({ ui }: State) => {
  const { q = '', latitude, longitude } = ui.addHere ?? {};
  return [
    ...(q === '' ? [] : [`/search?q=${encodeURIComponent(q)}&limit=${FEW}`]),
    ...(typeof latitude === 'number'
      ? [`/restaurants?lat=${latitude}&lng=${longitude}&radius=${RADIUS_KM}&limit=${FEW}`]
      : []),
  ];
};

const lookUpUrl = ({ ui }: State) =>
  ui.addLookUp ? `/places/search?q=${encodeURIComponent(ui.addLookUp)}` : undefined;

export function needs(state: State) {
  const asked = lookUpUrl(state);
  return [...CHOICES, ...hereUrls(state), ...(asked ? [asked] : [])];
}

export function enter({ route }: State) {
  takeShared(route.query);
  lookHere();
}

export function leave() {
  setUi({ placeFaults: {}, placeTwin: undefined, addHere: undefined, addLookUp: undefined });
}

export function view(state: State) {
  const purpose = newPurpose(state);
  const draft = placeDraft(DRAFT);
  const values = draftValues(draft);
  const faults = Object.keys(state.ui.placeFaults ?? {}).filter((name) => name !== '');
  const isOpen = state.ui.addOpen === true || faults.length > 0;
  return html`<form
    class="place-form"
    novalidate
    @submit=${(event: Event) => {
      event.preventDefault();
      submitPlace(purpose, DRAFT, values);
    }}
  >
    <h1 class="rule">${words.title[purpose]}</h1>
    ${state.config?.read_only ? html`<p class="warn">${words.readOnly}</p>` : nothing}
    ${box(state, draft.text ?? '')} ${understood(draft.text ?? '', values)} ${here(state)} ${found(state)}
    <details ?open=${isOpen} @toggle=${(event: any) => setUi({ addOpen: event.target.open })}>
      <summary>${words.details}</summary>
      ${placeFields({ state, purpose, draft: DRAFT, values })}
    </details>
    ${placeFault(state)}
    <div class="acts end">
      ${
        Object.keys(values).length > 0
          ? html`<button type="button" class="button plain" @click=${() => forgetDraft(DRAFT)}>
              ${words.clear}
            </button>`
          : nothing
      }
      <button class="button primary" aria-disabled=${state.ui.placeSending ? 'true' : nothing}>
        ${icon('add', 16)}${words.submit[purpose]}
      </button>
    </div>
  </form>`;
}

function box({ config }: State, text: string) {
  const canLookUp = config?.maps.provider !== 'none';
  const onKey = (event: KeyboardEvent) => {
    // An input method takes Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !canLookUp) return;
    event.preventDefault();
    lookUp();
  };
  return html`<div class="field box-field">
    <label for="box">${words.box}</label>
    <textarea
      id="box"
      rows="2"
      maxlength="5000"
      aria-describedby="box-hint"
      .value=${live(text)}
      @input=${(event: any) => typeText(event.target.value)}
      @keydown=${onKey}
    ></textarea>
    <p class="tiny soft" id="box-hint">${canLookUp ? words.boxHintLookUp : words.boxHint}</p>
    ${
      canLookUp && text !== ''
        ? html`<button type="button" class="link small" @click=${lookUp}>${words.lookUp}</button>`
        : nothing
    }
  </div>`;
}

function understood(text: string, { name, address, latitude, longitude }: Record<string, any>) {
  const { url, approximate, unresolved } = parsePlace(text);
  const parts = [
    name,
    address,
    typeof latitude === 'number' ? `${latitude.toFixed(5)}, ${longitude.toFixed(5)}` : '',
  ];
  const said = parts.filter(Boolean).join(' · ');
  return html`${
    said !== '' && said !== text.trim()
      ? html`<p class="small">${icon('pin', 14)} <span class="soft">${words.read}</span> ${said}</p>`
      : nothing
  }
  ${unresolved ? note(words.unresolved) : nothing} ${url && approximate ? note(words.approximate) : nothing}`;
}

const note = (text: string) => html`<p class="small warn" role="status">${icon('warning', 14)} ${text}</p>`;

function here(state: State) {
  const answers = hereUrls(state)
    .reverse()
    .flatMap((url) => (state.data[url]?.body ?? []) as (Restaurant & { distance?: number })[]);
  // The nearest first; a place that was found both ways keeps its distance.
  const places = [...new Map(answers.reverse().map((place) => [place.id, place])).values()]
    .reverse()
    .slice(0, FEW);
  if (places.length === 0) return nothing;
  return html`<section aria-labelledby="here">
    <h2 id="here">${words.here}</h2>
    <ul class="known">
      ${places.map((place) => {
        const { id, name, address, distance, is_suggestion: isSuggestion } = place;
        const away =
          distance === undefined ? '' : fill(words.away, { distance: format.distance(distance * 1000) });
        const line = [isSuggestion ? common.status.suggestion : '', address, away]
          .filter(Boolean)
          .join(' · ');
        return html`<li>
          <span><b>${name}</b><br /><span class="small soft">${line}</span></span>
          <a class="button" href=${isSuggestion ? `/suggestions?sel=${id}` : `/restaurants/${id}`}
            >${common.opening.open}<span class="vh"> ${name}</span></a
          >
        </li>`;
      })}
    </ul>
  </section>`;
}

function found(state: State) {
  const url = lookUpUrl(state);
  const entry = url ? state.data[url] : undefined;
  if (!entry) return nothing;
  const places = entry.body as Found[] | undefined;
  return html`<section aria-labelledby="found" aria-busy=${entry.state === 'loading'}>
    <h2 id="found">${words.found}</h2>
    ${entry.fault ? html`<p class="small bad" role="alert">${entry.fault.message}</p>` : nothing}
    ${entry.state === 'loading' ? skeleton(2) : nothing}
    ${places?.length === 0 ? html`<p class="small soft" role="status">${words.notFound}</p>` : nothing}
    <ul class="known">
      ${(places ?? []).slice(0, FEW).map(
        (place) =>
          html`<li>
            <span><b>${place.name}</b><br /><span class="small soft">${place.address}</span></span>
            <button
              type="button"
              class="button"
              aria-label=${fill(words.chooseName, { name: place.name })}
              @click=${() => chooseFound(place)}
            >
              ${words.choose}
            </button>
          </li>`,
      )}
    </ul>
    ${state.config?.maps.attribution ? html`<p class="tiny soft">${state.config.maps.attribution}</p>` : nothing}
  </section>`;
}
