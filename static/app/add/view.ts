import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { chooseFound, draftValues, lookUp, placeDraft, takeShared, typeText } from './draft.js';
import { positionOf, valuesOf } from './fields.js';
import { parsePlace } from './place-text.js';
import { faultText, isAdmin, mayWrite } from '../state/actions.js';
import { answer, setUi } from '../state/store.js';
import { loaded } from '../parts/mine.js';
import { button, icon, skeleton } from '../parts/parts.js';
import { CHOICES, placeForm } from './form.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import type { Found, Named, Restaurant, State, Suggestion } from '../base/types.js';
import type { Values } from './fields.js';

const common = texts.common;
const words = texts.add;

const FEW = 5;

/** What the address asks for: a new place, the change of one, or the making of one of a suggestion. */
function task(state: State) {
  const { pattern, params } = state.route;
  const { id } = params;
  if (pattern === '/add') return { purpose: mayWrite(state) ? 'add' : 'suggest', draft: 'add' } as const;
  const url = pattern.replace(':id', id ?? '').replace('/edit', '');
  return pattern.startsWith('/restaurants')
    ? ({ purpose: 'edit', draft: `edit ${id}`, url, home: url } as const)
    : ({ purpose: 'convert', draft: `convert ${id}`, url, home: `/suggestions?sel=${id}` } as const);
}

export function needs(state: State) {
  const { here = [], asked } = state.ui.place ?? {};
  const { url } = task(state);
  return [...CHOICES, ...(url ? [url] : [...here, ...(asked ? [asked] : [])])];
}

export function title(state: State) {
  const { purpose, url } = task(state);
  const place = answer<Named>(url);
  return purpose === 'edit' && place ? fill(words.of, { name: place.name }) : words.title[purpose];
}

export function enter({ route }: State) {
  if (route.pattern === '/add') takeShared(route.query);
}

export const leave = () => setUi({ place: undefined });

export function view(state: State) {
  const { url, ...form } = task(state);
  const { text = '', ...typed } = placeDraft(form.draft);
  if (url === undefined) {
    const values = draftValues({ text, ...typed });
    return html`${placeForm({ ...form, before: {}, values }, title(state), lookingUp(state, text, values))}
    ${isAdmin(state) ? html`<p class="small other-ways"><a href="/settings/import">${words.importFile}</a></p>` : nothing}`;
  }
  return html`${loaded(url, (place: Restaurant | Suggestion) => {
    if (state.session.user && !mayWrite(state)) return html`<h1>${common.failed.forbidden}</h1>`;
    const before = valuesOf(place);
    const notes = 'notes' in place && place.notes ? html`<p class="said">${place.notes}</p>` : nothing;
    return placeForm({ ...form, before, values: { ...before, ...typed.own } }, title(state), notes);
  })}`;
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
      @input=${({ target }: { target: HTMLTextAreaElement }) => typeText(target.value)}
      @keydown=${onKey}
    ></textarea>
    <p class="tiny soft" id="box-hint">
      ${config?.maps.provider === 'none' ? words.boxHint : words.boxHintLookUp}
    </p>
    ${canLookUp && text !== '' ? button(words.lookUp, lookUp, 'link small') : nothing}
  </div>`;
}

function understood(text: string, { name, address, position }: Values) {
  const { url, approximate, unresolved } = parsePlace(text);
  const { lat, lng } = positionOf(position);
  const at = lat === undefined || lng === undefined ? '' : `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
  const said = [name, address, at].filter(Boolean).join(' · ');
  const read = html`<p class="small">${icon('pin', 14)} <span class="soft">${words.read}</span> ${said}</p>`;
  const note = (text: string) => html`<p class="small warn" role="status">${icon('warning', 14)} ${text}</p>`;
  return html`${said === '' || said === text.trim() ? nothing : read}
  ${unresolved && at === '' ? note(words.unresolved) : nothing}
  ${url && approximate ? note(words.approximate) : nothing}`;
}

/** Places under a title, of each its name, a line about it and what can be done. */
const places = (
  id: 'here' | 'found',
  rows: readonly (readonly [name: string, about: string | null, deed: unknown])[],
  more: unknown = nothing,
) =>
  html`<section aria-labelledby=${id}>
    <h2 id=${id}>${words[id]}</h2>
    <ul class="known">
      ${rows.map(
        ([name, about, deed]) =>
          html`<li>
            <span><b>${name}</b><br /><span class="small soft">${about}</span></span
            >${deed}
          </li>`,
      )}
    </ul>
    ${more}
  </section>`;

function here({ ui }: State) {
  const answers = (ui.place?.here ?? []).flatMap((url) => answer<readonly Restaurant[]>(url) ?? []);
  // The nearest first; of a place that was found both ways the one with its distance.
  const first = answers.filter(({ id }, at) => answers.findIndex((one) => one.id === id) === at);
  if (first.length === 0) return nothing;
  return places(
    'here',
    first.slice(0, FEW).map(({ id, name, address, distance, is_suggestion: isSuggestion }) => {
      const away = distance !== undefined && fill(words.away, { distance: format.distance(distance * 1000) });
      const href = isSuggestion ? `/suggestions?sel=${id}` : `/restaurants/${id}`;
      return [
        name,
        [isSuggestion && common.status.suggestion, address, away].filter(Boolean).join(' · '),
        html`<a class="button" href=${href}>${common.opening.open}<span class="vh"> ${name}</span></a>`,
      ];
    }),
  );
}

function found({ config, data, ui }: State) {
  const url = ui.place?.asked;
  const entry = url === undefined ? undefined : data[url];
  if (!entry) return nothing;
  const all = answer<readonly Found[]>(url);
  const choose = (place: Found) =>
    button(words.choose, () => chooseFound(place), 'button', {
      label: fill(words.chooseName, { name: place.name }),
    });
  return places(
    'found',
    (all ?? []).slice(0, FEW).map((place) => [place.name, place.address, choose(place)]),
    html`${entry.fault && html`<p class="small bad" role="alert">${faultText(entry.fault)}</p>`}
    ${entry.state === 'loading' ? skeleton(2) : nothing}
    ${all?.length === 0 ? html`<p class="small soft" role="status">${words.notFound}</p>` : nothing}
    ${config?.maps.attribution && html`<p class="tiny soft">${config.maps.attribution}</p>`}`,
  );
}
