import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { chooseFound, draftValues, lookUp, placeDraft, takeShared, typeText } from './draft.js';
import { positionOf, valuesOf } from './fields.js';
import { parsePlace } from './place-text.js';
import { faultText, isAdmin, mayWrite } from '../state/actions.js';
import { load } from '../state/data.js';
import { answer, setUi } from '../state/store.js';
import { icon, missing, skeleton } from '../parts/parts.js';
import { CHOICES, placeForm } from './form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import type { Found, Restaurant, State, Suggestion } from '../base/types.js';
import type { Values } from './fields.js';

const common = texts.common;
const words = texts.add;

const FEW = 5;

/** What the address asks for: a new place, the change of one, or the making of one of a suggestion. */
function task(state: State) {
  const { pattern, params } = state.route;
  if (pattern === '/add') return { purpose: mayWrite(state) ? 'add' : 'suggest', draft: 'add' } as const;
  const url = pattern.replace(':id', params.id ?? '').replace('/edit', '');
  const place = answer<Restaurant | Suggestion>(url);
  return pattern.startsWith('/suggestions')
    ? ({
        purpose: 'convert',
        draft: `convert ${params.id}`,
        url,
        home: `/suggestions?sel=${params.id}`,
        place,
      } as const)
    : ({ purpose: 'edit', draft: `edit ${params.id}`, url, home: url, place } as const);
}

export function needs(state: State) {
  const { here = [], asked } = state.ui.place ?? {};
  const { url } = task(state);
  return [...CHOICES, ...(url ? [url] : [...here, ...(asked ? [asked] : [])])];
}

export function title(state: State) {
  const { purpose, place } = task(state);
  return purpose === 'edit' && place ? fill(words.of, { name: place.name }) : words.title[purpose];
}

export function enter({ route }: State) {
  if (route.pattern === '/add') takeShared(route.query);
}

export function leave() {
  setUi({ place: undefined });
}

export function view(state: State) {
  const { url, place, ...form } = task(state);
  const typed = placeDraft(form.draft);
  if (url === undefined) {
    const values = draftValues(typed);
    return html`${placeForm({ ...form, before: {}, values }, title(state), lookingUp(state, typed.text ?? '', values))}
    ${isAdmin(state) ? html`<p class="small other-ways"><a href="/settings/import">${words.importFile}</a></p>` : nothing}`;
  }
  if (!place) return html`${missing(state.data[url], () => void load(url))}`;
  if (state.session.user && !mayWrite(state)) return html`<h1>${common.failed.forbidden}</h1>`;
  const before = valuesOf(place);
  const notes = 'notes' in place && place.notes ? html`<p class="said">${place.notes}</p>` : nothing;
  return placeForm({ ...form, before, values: { ...before, ...typed.own } }, title(state), notes);
}

const lookingUp = (state: State, text: string, values: Values) =>
  html`${state.config?.read_only ? html`<p class="warn">${words.readOnly}</p>` : nothing} ${box(state, text)}
  ${understood(text, values)} ${here(state)} ${found(state)}`;

function box({ config }: State, text: string) {
  const canLookUp = config?.maps.provider !== 'none' || parsePlace(text).unresolved;
  const onKey = (event: KeyboardEvent) => {
    // An input method takes Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !canLookUp) return;
    event.preventDefault();
    lookUp();
  };
  return html`<div class="field">
    <label for="box">${words.box}</label>
    <textarea
      id="box"
      rows="2"
      maxlength="5000"
      aria-describedby="box-hint"
      .value=${live(text)}
      @input=${({ currentTarget }: Event) => currentTarget instanceof HTMLTextAreaElement && typeText(currentTarget.value)}
      @keydown=${onKey}
    ></textarea>
    <p class="tiny soft" id="box-hint">
      ${config?.maps.provider === 'none' ? words.boxHint : words.boxHintLookUp}
    </p>
    ${canLookUp && text !== '' ? html`<button type="button" class="link small" @click=${lookUp}>${words.lookUp}</button>` : nothing}
  </div>`;
}

function understood(text: string, { name, address, position }: Values) {
  const { url, approximate, unresolved } = parsePlace(text);
  const { lat, lng } = positionOf(position);
  const at = lat === undefined || lng === undefined ? '' : `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
  const said = [name, address, at].filter(Boolean).join(' · ');
  const isShort = unresolved && at === '';
  return html`${
    said !== '' && said !== text.trim()
      ? html`<p class="small">${icon('pin', 14)} <span class="soft">${words.read}</span> ${said}</p>`
      : nothing
  }
  ${isShort ? note(words.unresolved) : nothing} ${url && approximate ? note(words.approximate) : nothing}`;
}

const note = (text: string) => html`<p class="small warn" role="status">${icon('warning', 14)} ${text}</p>`;

const place = (name: string, line: string | null, action: unknown) =>
  html`<li>
    <span><b>${name}</b><br /><span class="small soft">${line}</span></span
    >${action}
  </li>`;

function here({ ui }: State) {
  const answers = (ui.place?.here ?? []).flatMap((url) => answer<readonly Restaurant[]>(url) ?? []);
  // The nearest first; of a place that was found both ways the one with its distance.
  const places = answers
    .filter(({ id }, at) => answers.findIndex((one) => one.id === id) === at)
    .slice(0, FEW);
  if (places.length === 0) return nothing;
  return html`<section aria-labelledby="here">
    <h2 id="here">${words.here}</h2>
    <ul class="known">
      ${places.map(({ id, name, address, distance, is_suggestion: isSuggestion }) => {
        const away =
          distance !== undefined && fill(words.away, { distance: format.distance(distance * 1000) });
        const href = isSuggestion ? `/suggestions?sel=${id}` : `/restaurants/${id}`;
        return place(
          name,
          [isSuggestion && common.status.suggestion, address, away].filter(Boolean).join(' · '),
          html`<a class="button" href=${href}>${common.opening.open}<span class="vh"> ${name}</span></a>`,
        );
      })}
    </ul>
  </section>`;
}

function found({ config, data, ui }: State) {
  const url = ui.place?.asked;
  const entry = url === undefined ? undefined : data[url];
  if (!entry) return nothing;
  const places = answer<readonly Found[]>(url);
  return html`<section aria-labelledby="found" aria-busy=${entry.state === 'loading'}>
    <h2 id="found">${words.found}</h2>
    ${entry.fault ? html`<p class="small bad" role="alert">${faultText(entry.fault)}</p>` : nothing}
    ${entry.state === 'loading' ? skeleton(2) : nothing}
    ${places?.length === 0 ? html`<p class="small soft" role="status">${words.notFound}</p>` : nothing}
    <ul class="known">
      ${places
        ?.slice(0, FEW)
        .map((one) =>
          place(
            one.name,
            one.address,
            html`<button
              type="button"
              class="button"
              aria-label=${fill(words.chooseName, { name: one.name })}
              @click=${() => chooseFound(one)}
            >
              ${words.choose}
            </button>`,
          ),
        )}
    </ul>
    ${config?.maps.attribution ? html`<p class="tiny soft">${config.maps.attribution}</p>` : nothing}
  </section>`;
}
