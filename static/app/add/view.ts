import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import * as drafts from './draft.js';
import { bodyOf, fieldsOf, positionOf, positionText, twinOf, valuesOf } from './fields.js';
import { parsePlace } from './place-text.js';
import { act, isSignedIn, mayWrite, needsUser, revert, toast } from '../state/actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer, setDraft, setUi, state } from '../state/store.js';
import { field, formFault, submit } from '../parts/form.js';
import { loaded } from '../parts/mine.js';
import { button, chip, icon, lines, section } from '../parts/parts.js';
import { placeMap } from '../parts/place-map.js';
import { openRate, placeHref } from '../parts/place-parts.js';
import { awayText, reasonsOf } from '../parts/similar.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { isRecord } from '../base/types.js';
import type { Found, Named, Restaurant, Similar, State, Suggestion } from '../base/types.js';
import type { Sent } from '../parts/form.js';
import type { FieldRow, Purpose, Values } from './fields.js';

const common = texts.common;
const words = texts.add;

type Texts = Readonly<Record<string, string>>;

const labels: Texts = words.fields;
const hints: Texts = words.hints;
const choices: Readonly<Record<string, Texts>> = words.choices;

const FEW = 5;
const { setForm, setFields } = drafts;

/**
 * A form. `draft`: the name of what was typed; `before`: the place that it changes; `values`: what stands in it; `home`:
 * where Cancel leads.
 */
interface Filled {
  readonly purpose: Purpose;
  readonly draft: string;
  readonly before: Values;
  readonly values: Values;
  readonly home?: string;
}

/** What the address asks for: a new place, the change of one, or the making of one of a suggestion. */
function taskOf(state: State) {
  const { pattern, params } = state.route;
  const { id } = params;
  if (pattern === '/add') return { purpose: mayWrite(state) ? 'add' : 'suggest', draft: 'add' } as const;
  const url = pattern.replace(':id', id ?? '').replace('/edit', '');
  return pattern.startsWith('/restaurants')
    ? ({ purpose: 'edit', draft: `edit ${id}`, url, home: url } as const)
    : ({ purpose: 'convert', draft: `convert ${id}`, url, home: `/suggestions?sel=${id}` } as const);
}

export function needs(state: State) {
  const { here, asked } = state.ui.place ?? {};
  const { url } = taskOf(state);
  return ['/categories', '/food-types', ...(url ? [url] : [here ?? [], asked ?? []].flat())];
}

export function title(state: State) {
  const { purpose, url } = taskOf(state);
  const place = answer<Named>(url);
  return purpose === 'edit' && place ? fill(words.of, { name: place.name }) : words.title[purpose];
}

export function enter({ route }: State) {
  if (route.pattern === '/add') drafts.takeShared(route.query);
}

export const leave = () => setUi({ place: undefined });

export function view(state: State) {
  const { url, ...task } = taskOf(state);
  const draft = drafts.placeDraft(task.draft);
  if (url === undefined) {
    const values = drafts.draftValues(draft);
    const above = html`${box(state, draft.text ?? '', values)} ${here(state)} ${found(state)}`;
    return html`${placeForm({ ...task, before: {}, values }, above)}
    ${isSignedIn(state) ? html`<p class="small other-ways"><a href="/settings/import">${words.importFile}</a></p>` : nothing}`;
  }
  return html`${loaded(url, (place: Restaurant | Suggestion) => {
    if (state.session.user && !mayWrite(state)) return html`<h1>${common.failed.forbidden}</h1>`;
    const before = valuesOf(place);
    const notes = 'notes' in place && place.notes ? html`<p class="said">${place.notes}</p>` : nothing;
    return placeForm({ ...task, before, values: { ...before, ...draft.own } }, notes);
  })}`;
}

/** The box for what is pasted or typed, and what of it is understood. */
function box({ config, ui }: State, text: string, { name, address, position }: Values) {
  const { url, approximate, unresolved, many } = parsePlace(text);
  const isMany = many ?? ui.place?.isMany;
  const hasProvider = config?.maps.provider !== 'none';
  const canLookUp = hasProvider || unresolved;
  const onKey = (event: KeyboardEvent) => {
    // An input method takes Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !canLookUp) return;
    event.preventDefault();
    drafts.lookUp();
  };
  const { lat, lng } = positionOf(position);
  const at = lat === undefined || lng === undefined ? '' : `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
  const said = [name, address, at].filter(Boolean).join(' · ');
  const read = html`<p class="small">${icon('pin', 14)} <span class="soft">${words.read}</span> ${said}</p>`;
  const note = (text: string) => html`<p class="small warn" role="status">${icon('warning', 14)} ${text}</p>`;
  return html`${config?.read_only ? html`<p class="warn">${words.readOnly}</p>` : nothing}
    <div class="field">
      <label for="box">${words.box}</label>
      <textarea
        id="box"
        rows="2"
        maxlength="5000"
        aria-describedby="box-hint"
        .value=${live(text)}
        @input=${({ target }: { target: HTMLTextAreaElement }) => drafts.typeText(target.value)}
        @keydown=${onKey}
      ></textarea>
      <p class="tiny soft" id="box-hint">${hasProvider ? words.boxHintLookUp : words.boxHint}</p>
      ${canLookUp && text !== '' ? button(words.lookUp, drafts.lookUp, 'link small') : nothing}
    </div>
    ${said === '' || said === text.trim() ? nothing : read}
    ${unresolved && !isMany && at === '' ? note(words.unresolved) : nothing}
    ${isMany ? note(words.many) : nothing} ${url && approximate ? note(words.approximate) : nothing}`;
}

function here({ ui }: State) {
  const found = answer<readonly (Similar | Restaurant)[]>(ui.place?.here) ?? [];
  // Where only a position is known these are the places around it.
  const all = found.map((one) =>
    'restaurant' in one
      ? one
      : { restaurant: one, certain: false, reasons: [], distance_m: (one.distance ?? 0) * 1000 },
  );
  const line = ({ restaurant: place, ...match }: Similar) => {
    const { name, address } = place;
    const open = html`<a class="button" href=${placeHref(place)}
      >${common.open}<span class="vh"> ${name}</span></a
    >`;
    return [
      name,
      open,
      match.certain && words.certain,
      place.is_suggestion && common.status.suggestion,
      address,
      ...reasonsOf(match),
      awayText(match),
    ] as const;
  };
  const first = all.toSorted((one, other) => Number(other.certain) - Number(one.certain)).slice(0, FEW);
  return first.length === 0 ? nothing : section(words.here, lines(first.map(line)));
}

function found({ config, data, ui: { place: { asked } = {} } }: State) {
  if (asked === undefined) return nothing;
  if (Number(data[asked]?.fault?.status) >= 500)
    return html`<p class="small soft" role="status">${words.lookUpFailed}</p>`;
  return loaded(asked, (all: readonly Found[]) => {
    const line = (place: Found) => {
      const label = fill(words.chooseName, { name: place.name });
      const choose = button(words.choose, () => drafts.chooseFound(place), 'button', { label });
      return [place.name, choose, place.address] as const;
    };
    const none = html`<p class="small soft" role="status">${words.notFound}</p>`;
    const { attribution } = config?.maps ?? {};
    return section(
      words.found,
      html`${all.length === 0 ? none : lines(all.slice(0, FEW).map(line))}
      ${attribution && html`<p class="tiny soft">${attribution}</p>`}`,
    );
  });
}

/** The form of a place with all that is drawn of it. */
function placeForm(form: Filled, above: unknown) {
  const { purpose, draft, home, values } = form;
  const fields = fieldsOf(purpose).map((row) => row.control && CONTROLS[row.control](form, row));
  const press = (event: Event) => {
    event.preventDefault();
    submitPlace(form);
  };
  const clear = () => {
    drafts.forgetDraft(draft);
    if (home) goBack(home);
  };
  const folded = html`<details>
    <summary>${words.details}</summary>
    ${fields}
  </details>`;
  const canClear = home ?? Object.keys(values).length > 0;
  return html`<form class="place-form" novalidate @submit=${press}>
    <h1 class="rule">${title(state)}</h1>
    ${above} ${home ? fields : folded} ${formFault()} ${twinPart()}
    <div class="acts end">
      ${canClear ? button(home ? common.cancel : words.clear, clear, 'button plain') : nothing}
      <button class="button primary">${words.submit[purpose]}</button>
    </div>
  </form>`;
}

const CONTROLS: Record<NonNullable<FieldRow['control']>, (form: Filled, row: FieldRow) => unknown> = {
  text: input,
  select: input,
  position,
  foods(form, row) {
    const chosen = form.values.food_type_ids ?? [];
    const option = ({ id, name }: Named) => {
      const isOn = chosen.includes(id);
      return [name, isOn, isOn ? chosen.filter((one) => one !== id) : [...chosen, id]] as const;
    };
    return chips(form, row, named('/food-types').map(option));
  },
  diets(form, row) {
    const chosen = form.values.diets ?? {};
    const option = ([diet, text]: [string, string]) => {
      const isOn = chosen[diet] === 'yes' || chosen[diet] === 'only';
      return [text, isOn, { ...chosen, [diet]: isOn ? null : 'yes' }] as const;
    };
    return chips(form, row, Object.entries<string>(texts.explore.diets).map(option));
  },
};

function input({ draft, values }: Filled, row: FieldRow) {
  const { name, type = 'text', max = 500, required = false, control } = row;
  const hint = hints[name];
  const value = values[name];
  return field({
    ...{ name, label: labels[name] ?? '', type, max, required },
    value: typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '',
    ...(hint && { hint }),
    ...(control === 'select' && { choices: optionsOf(row) }),
    onInput: (text) => setFields(draft, { [name]: text }),
  });
}

const named = (url: string) => answer<readonly Named[]>(url) ?? [];

function optionsOf({ name, required }: FieldRow): (readonly [value: string, text: string])[] {
  const own = Object.entries(choices[name] ?? {});
  if (own.length > 0) return required ? own : [['', words.none], ...own];
  if (name === 'price_level')
    return [['', words.none], ...[1, 2, 3, 4].map((level) => [String(level), format.price(level)] as const)];
  return [['', words.noCategory], ...named('/categories').map(({ id, name }) => [String(id), name] as const)];
}

const chips = (
  { draft }: Filled,
  { name }: FieldRow,
  options: readonly (readonly [text: string, isOn: boolean, next: unknown])[],
) =>
  html`<fieldset class="field">
    <legend>${labels[name]} <span class="soft tiny">${common.optional}</span></legend>
    <div class="chips">
      ${options.map(([text, isOn, next]) => chip(text, isOn, () => setFields(draft, { [name]: next })))}
    </div>
  </fieldset>`;

function position(form: Filled, row: FieldRow) {
  const { draft, values } = form;
  const { isPicking = false } = state.ui.place ?? {};
  const { lat, lng } = positionOf(values.position);
  const toggle = () => setForm({ isPicking: !isPicking });
  const take = (lat: number, lng: number) => setFields(draft, { position: positionText(lat, lng) });
  const locate = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => take(coords.latitude, coords.longitude),
      () => toast({ text: texts.map.noPosition, kind: 'fault' }),
      { enableHighAccuracy: true, timeout: 10_000 },
    );
  // Browsers say where they are only to pages that came over HTTPS or from this computer.
  const canLocate = isSecureContext && 'geolocation' in navigator;
  return html`${input(form, row)}
    <div class="acts where">
      ${canLocate ? button(html`${icon('here', 16)}${words.iAmHere}`, locate) : nothing}
      ${button(html`${icon('pin', 16)}${words.pick}`, toggle, 'button', { expanded: isPicking })}
    </div>
    ${
      isPicking
        ? placeMap({
            position: lat === undefined || lng === undefined ? undefined : { lat, lng },
            onPick: ({ lat, lng }) => take(lat, lng),
          })
        : nothing
    }`;
}

/** The ways to the place that is here already. */
function twinPart() {
  const twin = state.ui.place?.twin;
  if (!twin) return nothing;
  const { id, isSuggestion } = twin;
  return html`<div class="acts twin">
    <a class="button" href=${placeHref({ id, is_suggestion: isSuggestion })}>${common.open}</a>
    ${isSuggestion ? nothing : button(words.rate, () => openRate(twin))}
  </div>`;
}

const request = ({ purpose, before: { id } }: Filled) =>
  ({
    add: { method: 'POST', path: '/restaurants' },
    suggest: { method: 'POST', path: '/suggestions' },
    edit: { method: 'PUT', path: `/restaurants/${id}` },
    convert: { method: 'POST', path: `/suggestions/${id}/convert` },
  })[purpose];

/** @param made what came of it, but while it waits to be sent */
function close({ purpose, draft, before: { id, status } }: Filled, made?: unknown) {
  drafts.forgetDraft(draft);
  if (purpose === 'edit') return goBack(`/restaurants/${id}`);
  const home = isRecord(made)
    ? placeHref({ id: Number(made.id), is_suggestion: purpose === 'suggest' })
    : '/';
  navigate(purpose === 'convert' ? `/suggestions?status=${status}` : home, { replace: true });
}

/** Sends the form. Right after a sign-in it may not be drawn yet. */
const submitPlace = needsUser('place', (filled: Filled) => {
  const form = document.querySelector('.place-form');
  const reasons = filled.purpose === 'convert' ? texts.suggestions.faults : undefined;
  return form instanceof HTMLFormElement ? submit(form, () => send(filled), true, reasons) : send(filled);
});

async function send(form: Filled): Promise<Sent> {
  const { purpose, draft, before, values } = form;
  if (values.position?.trim() && positionOf(values.position).lat === undefined)
    return { ok: false, faults: { position: words.notPosition } };
  const body = bodyOf(purpose, values, before);
  if (purpose === 'edit' && Object.keys(body).length === 0) {
    close(form);
    return { ok: true };
  }
  const typed = drafts.placeDraft(draft);
  const said = fill(words.said[purpose], { name: values.name ?? '' });
  const label = purpose === 'convert' ? {} : { label: said };
  const outcome = await act({ ...request(form), body, quiet: true, noUndo: true, ...label });
  if (!outcome.ok) {
    const twin = twinOf(outcome.fault.message);
    setForm({ twin });
    if (twin) return { ok: false, faults: { '': fill(words.exists, { name: twin.name }) } };
    // Both halves of a position have one field.
    const message = outcome.fault.message.replaceAll(/\b(?:latitude|longitude)\b/g, 'position');
    return { ok: false, fault: { ...outcome.fault, message } };
  }
  close(form, outcome.queued ? undefined : outcome.body);
  const { change } = outcome;
  const undo = () => {
    if (before.id === undefined) {
      setDraft(draft, typed);
      navigate('/add', { replace: true });
    }
    if (change !== null) void revert(change);
  };
  if (change !== null) toast({ text: said, undo });
  return outcome;
}
