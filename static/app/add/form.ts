import { fill, texts } from '../base/texts.js';
import { price } from '../base/format.js';
import { act, faultText, needsUser, revert, toast } from '../state/actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer, setDraft, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, formFault, submit } from '../parts/form.js';
import { button, chip, icon } from '../parts/parts.js';
import { placeMap, shownArea } from '../parts/place-map.js';
import { openRate } from '../parts/place-parts.js';
import { forgetDraft, placeDraft, setFields, setForm, setHere } from './draft.js';
import { bodyOf, fieldsOf, positionOf, positionText, twinOf } from './fields.js';
import { type Named, isRecord } from '../base/types.js';
import type { Sent } from '../parts/form.js';
import type { FieldRow, Purpose, Values } from './fields.js';

const common = texts.common;
const words = texts.add;

type Texts = Readonly<Record<string, string>>;

/**
 * A form. `draft`: the name of what was typed; `before`: the place that it changes;
 * `values`: what stands in it; `home`: where Cancel leads.
 */
interface Filled {
  readonly purpose: Purpose;
  readonly draft: string;
  readonly before: Values;
  readonly values: Values;
  readonly home?: string;
}

/** The addresses of what the form offers to choose from. */
export const CHOICES = ['/categories', '/food-types'];

const labels: Texts = words.fields;
const hints: Texts = words.hints;
const choices: Readonly<Record<string, Texts>> = words.choices;

/** The form of a place with all that is drawn of it. */
export function placeForm(form: Filled, title: string, above: unknown) {
  const { purpose, draft, home } = form;
  const fields = fieldsOf(purpose).map((row) => (row.control ? CONTROLS[row.control](form, row) : nothing));
  const isNew = home === undefined;
  const press = (event: Event) => {
    event.preventDefault();
    submitPlace(form);
  };
  const clear = () => {
    forgetDraft(draft);
    if (!isNew) goBack(home);
  };
  const folded = html`<details>
    <summary>${words.details}</summary>
    ${fields}
  </details>`;
  const canClear = !isNew || Object.keys(form.values).length > 0;
  return html`<form class="place-form" novalidate @submit=${press}>
    <h1 class="rule">${title}</h1>
    ${above} ${isNew ? folded : fields} ${formFault()} ${twinPart()}
    <div class="acts end">
      ${canClear ? button(isNew ? words.clear : common.cancel, clear, 'button plain') : nothing}
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
    const next = (id: number) => (chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
    return chips(
      form,
      row,
      named('/food-types').map(({ id, name }) => [name, chosen.includes(id), next(id)]),
    );
  },
  diets(form, row) {
    const chosen = form.values.diets ?? {};
    const isOn = (diet: string) => chosen[diet] === 'yes' || chosen[diet] === 'only';
    const diets = Object.entries<string>(texts.explore.diets);
    return chips(
      form,
      row,
      diets.map(([diet, text]) => [text, isOn(diet), { ...chosen, [diet]: isOn(diet) ? null : 'yes' }]),
    );
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
    return [['', words.none], ...[1, 2, 3, 4].map((level) => [String(level), price(level)] as const)];
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
  const { isPicking = false, notLocated = false } = state.ui.place ?? {};
  const { lat, lng } = positionOf(values.position);
  const toggle = () => setForm({ isPicking: !isPicking });
  // Browsers tell a place only to pages that came over HTTPS or from this computer.
  const canLocate = isSecureContext && 'geolocation' in navigator;
  return html`${input(form, row)}
    <div class="acts where">
      ${canLocate ? button(html`${icon('here', 16)}${words.iAmHere}`, () => setHere(draft)) : nothing}
      ${button(html`${icon('pin', 16)}${words.pick}`, toggle, 'button', { expanded: isPicking })}
    </div>
    ${notLocated ? html`<p class="small warn" role="status">${words.notLocated}</p>` : nothing}
    ${
      isPicking && state.config
        ? placeMap(state.config, {
            position: lat === undefined || lng === undefined ? undefined : { lat, lng },
            around: shownArea(state),
            onPick: ({ lat, lng }) => setFields(draft, { position: positionText(lat, lng) }),
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
    <a class="button" href=${isSuggestion ? `/suggestions?sel=${id}` : `/restaurants/${id}`}
      >${common.opening.open}</a
    >
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
function leave({ purpose, draft, before }: Filled, made?: unknown) {
  forgetDraft(draft);
  if (purpose === 'edit') return goBack(`/restaurants/${before.id}`);
  const path = purpose === 'add' ? '/restaurants/' : '/suggestions?sel=';
  const home = isRecord(made) ? `${path}${String(made.id)}` : '/';
  navigate(purpose === 'convert' ? `/suggestions?status=${before.status}` : home, { replace: true });
}

/** Sends a form, or leaves it where nothing was changed. After a sign-in it may not be drawn yet. */
const submitPlace = needsUser('place', (filled: Filled) => {
  const form = document.querySelector('.place-form');
  return form instanceof HTMLFormElement ? submit(form, () => send(filled), true) : send(filled);
});

async function send(form: Filled): Promise<Sent> {
  const { purpose, draft, before, values } = form;
  if (values.position?.trim() && positionOf(values.position).lat === undefined)
    return { ok: false, faults: { position: words.notPosition } };
  const body = bodyOf(purpose, values, before);
  if (purpose === 'edit' && Object.keys(body).length === 0) {
    leave(form);
    return { ok: true };
  }
  const typed = placeDraft(draft);
  const said = fill(words.said[purpose], { name: values.name ?? '' });
  const label = purpose === 'convert' ? {} : { label: said };
  const outcome = await act({ ...request(form), body, quiet: true, noUndo: true, ...label });
  if (!outcome.ok) {
    const { fault } = outcome;
    const twin = twinOf(fault.message);
    setForm({ twin });
    // Both halves of a position have one field.
    const message = fault.message.replaceAll(/\b(?:latitude|longitude)\b/g, 'position');
    if (fault.status === 400) return { ok: false, fault: { ...fault, message } };
    return { ok: false, faults: { '': twin ? fill(words.exists, { name: twin.name }) : faultText(fault) } };
  }
  leave(form, outcome.queued ? undefined : outcome.body);
  const { change } = outcome;
  if (change === null) return outcome;
  const undo = () => {
    if (before.id === undefined) {
      setDraft(draft, typed);
      navigate('/add', { replace: true });
    }
    void revert(change);
  };
  toast({ text: said, undo });
  return outcome;
}
