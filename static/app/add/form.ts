import { texts } from '../base/texts.js';
import { price } from '../base/format.js';
import { setFields, setHere, setPosition, typePosition } from './place-edit.js';
import { fieldsOf } from './fields.js';
import { setUi } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, formFault } from '../parts/form.js';
import { chip, icon } from '../parts/parts.js';
import { placeMap, shownArea } from '../parts/place-map.js';
import { openRate } from '../parts/rate.js';
import type { Named, State } from '../base/types.js';
import type { FieldRow, Purpose, Values } from './fields.js';

const common = texts.common;
const words = texts.add;
const filters = texts.explore;

/** A form as it is shown: the draft that it writes, and what stands in its fields. */
export interface Form {
  state: State;
  purpose: Purpose;
  draft: string;
  values: Values;
}
export type Texts = Record<string, string>;

/** The addresses of what the form offers to choose from. */
export const CHOICES = ['/categories', '/food-types'];

const labels = words.fields as Texts;
const hints = words.hints as Texts;
const choices = words.choices as Record<string, Texts>;

/** The fields of a place, with their faults. */
export function placeFields(form: Form) {
  const faults = (form.state.ui.placeFaults ?? {}) as Texts;
  return fieldsOf(form.purpose).map((row) =>
    row.control ? CONTROLS[row.control](form, row, faults) : nothing,
  );
}

const CONTROLS: Record<
  NonNullable<FieldRow['control']>,
  (form: Form, row: FieldRow, faults: Texts) => unknown
> = {
  text: ({ draft, values }, { name, type = 'text', max = 255, required = false }, faults) =>
    field(
      {
        name,
        label: labels[name] ?? '',
        type,
        max,
        required,
        ...(hints[name] && { hint: hints[name] }),
        value: values[name] ?? '',
        onInput: (value) => setFields(draft, { [name]: value }),
      },
      faults,
    ),
  category: (form, row, faults) =>
    select(form, row, faults, words.noCategory, listed(form.state, '/categories')),
  price: (form, row, faults) => select(form, row, faults, words.none, PRICES),
  choice: (form, row, faults) =>
    select(form, row, faults, row.required ? undefined : words.none, choicesOf(row.name)),
  foods: ({ state, draft, values }, { name }, faults) => {
    const chosen = (values[name] ?? []) as number[];
    const toggled = (id: number) =>
      chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    const chips = listed(state, '/food-types').map(({ id, name: food }) =>
      chip(food, chosen.includes(id), () => setFields(draft, { [name]: toggled(id) })),
    );
    return group(name, faults, html`<div class="chips foods">${chips}</div>`);
  },
  diets: ({ draft, values }, { name }, faults) => {
    const diets = values[name] ?? {};
    const has = (diet: string) => diets[diet] === 'yes' || diets[diet] === 'only';
    const chips = Object.entries(filters.diets).map(([diet, text]) =>
      chip(text, has(diet), () =>
        setFields(draft, { [name]: { ...diets, [diet]: has(diet) ? null : 'yes' } }),
      ),
    );
    return group(name, faults, html`<div class="chips">${chips}</div>`);
  },
  position,
};

const choicesOf = (name: string) =>
  Object.entries(choices[name] ?? {}).map(([id, text]) => ({ id, name: text }));

const PRICES = [1, 2, 3, 4].map((id) => ({ id, name: price(id) }));

const listed = ({ data }: State, url: string): readonly Named[] =>
  (data[url]?.body as Named[] | undefined) ?? [];

const select = (
  { draft, values }: Form,
  { name, required = false }: FieldRow,
  faults: Texts,
  none: string | undefined,
  among: readonly { id: string | number; name: string }[],
) =>
  field(
    {
      name,
      label: labels[name] ?? '',
      required,
      value: String(values[name] ?? ''),
      choices: [
        ...(none === undefined ? [] : [['', none] as const]),
        ...among.map(({ id, name }) => [String(id), name] as const),
      ],
      onInput: (value) =>
        setFields(draft, { [name]: among.find(({ id }) => String(id) === value)?.id ?? null }),
    },
    faults,
  );

const group = (name: string, faults: Texts, inside: unknown) =>
  html`<fieldset class="field">
    <legend>${labels[name]} <span class="soft tiny">${common.optional}</span></legend>
    ${inside}
    ${faults[name] ? html`<p class="small bad" role="alert">${icon('warning', 14)} ${faults[name]}</p>` : nothing}
  </fieldset>`;

function position({ state, draft, values }: Form, { name }: FieldRow, faults: Texts) {
  const { latitude, longitude } = values;
  const has = typeof latitude === 'number' && typeof longitude === 'number';
  const { picking = false } = state.ui;
  // Browsers tell a place only to pages that came over HTTPS or from this computer.
  const canLocate = isSecureContext && 'geolocation' in navigator;
  return html`${field(
      {
        name,
        label: labels[name] ?? '',
        hint: words.hints.latitude,
        value: values.position ?? (has ? `${latitude}, ${longitude}` : ''),
        onInput: (text) => typePosition(draft, text),
      },
      faults,
    )}
    <div class="acts where">
      ${canLocate ? html`<button type="button" class="button" @click=${() => setHere(draft)}>${icon('here', 16)}${words.iAmHere}</button>` : nothing}
      <button
        type="button"
        class="button"
        aria-expanded=${picking}
        @click=${() => setUi({ picking: !picking })}
      >
        ${icon('pin', 16)}${words.pick}
      </button>
    </div>
    ${state.ui.notLocated ? html`<p class="small warn" role="status">${words.notLocated}</p>` : nothing}
    ${
      picking && state.config
        ? placeMap(state.config, {
            position: has ? { lat: latitude, lng: longitude } : undefined,
            around: shownArea(state),
            onPick: ({ lat, lng }) => setPosition(draft, lat, lng),
          })
        : nothing
    }`;
}

/** What is wrong with the form as a whole; where the place is here already, the ways to it. */
export function placeFault({ ui }: State) {
  const { placeFaults = {}, placeTwin: twin } = ui;
  return html`${formFault(placeFaults)}
  ${
    twin
      ? html`<div class="acts twin">
          <a
            class="button"
            href=${twin.isSuggestion ? `/suggestions?sel=${twin.id}` : `/restaurants/${twin.id}`}
            >${common.opening.open}</a
          >
          ${
            twin.isSuggestion
              ? nothing
              : html`<button type="button" class="button" @click=${() => openRate(twin)}>
                  ${words.rate}
                </button>`
          }
        </div>`
      : nothing
  }`;
}
