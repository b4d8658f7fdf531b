import { fill, texts } from '../base/texts.js';
import { price } from '../base/format.js';
import { forgetDraft, setFields, setForm, setHere } from './draft.js';
import { fieldsOf, positionOf, positionText, twinOf } from './fields.js';
import { submitPlace } from './send.js';
import { answer, state } from '../state/store.js';
import { goBack } from '../state/router.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, formFault } from '../parts/form.js';
import { chip, icon } from '../parts/parts.js';
import { placeMap, shownArea } from '../parts/place-map.js';
import { openRate } from '../parts/rate.js';
import type { Named } from '../base/types.js';
import type { FieldRow } from './fields.js';
import type { Filled } from './send.js';

const common = texts.common;
const words = texts.add;

type Texts = Readonly<Record<string, string>>;
type Options = readonly (readonly [value: string, text: string])[];

/** The addresses of what the form offers to choose from. */
export const CHOICES = ['/categories', '/food-types'];

const labels: Texts = words.fields;
const hints: Texts = words.hints;
const choices: Readonly<Record<string, Texts>> = words.choices;
const diets: Texts = texts.explore.diets;

/** The form of a place with all that is drawn of it. */
export function placeForm(form: Filled, title: string, above: unknown) {
  const { purpose, draft, home } = form;
  const fields = fieldsOf(purpose).map((row) => (row.control ? CONTROLS[row.control](form, row) : nothing));
  const submit = (event: Event) => {
    event.preventDefault();
    submitPlace(form);
  };
  const clear = () => {
    forgetDraft(draft);
    if (home !== undefined) goBack(home);
  };
  return html`<form class="place-form" novalidate @submit=${submit}>
    <h1 class="rule">${title}</h1>
    ${above}
    ${
      home === undefined
        ? html`<details>
            <summary>${words.details}</summary>
            ${fields}
          </details>`
        : fields
    }
    ${placeFault()}
    <div class="acts end">
      ${
        home !== undefined || Object.keys(form.values).length > 0
          ? html`<button type="button" class="button plain" @click=${clear}>
              ${home === undefined ? words.clear : common.cancel}
            </button>`
          : nothing
      }
      <button class="button primary" aria-disabled=${state.ui.place?.isSending ? 'true' : nothing}>
        ${words.submit[purpose]}
      </button>
    </div>
  </form>`;
}

const faultsNow = (): Texts => state.ui.place?.faults ?? {};

const CONTROLS: Record<NonNullable<FieldRow['control']>, (form: Filled, row: FieldRow) => unknown> = {
  text: input,
  select: (form, row) => input(form, row, optionsOf(row)),
  position,
  foods: (form, { name }) => {
    const chosen = form.values.food_type_ids ?? [];
    return chips(
      form,
      name,
      named('/food-types').map(({ id, name: food }) => {
        const isOn = chosen.includes(id);
        return [food, isOn, isOn ? chosen.filter((one) => one !== id) : [...chosen, id]];
      }),
    );
  },
  diets: (form, { name }) => {
    const chosen = form.values.diets ?? {};
    return chips(
      form,
      name,
      Object.entries(diets).map(([diet, text]) => {
        const isOn = chosen[diet] === 'yes' || chosen[diet] === 'only';
        return [text, isOn, { ...chosen, [diet]: isOn ? null : 'yes' }];
      }),
    );
  },
};

function input(
  { draft, values }: Filled,
  { name, type = 'text', max = 500, required = false }: FieldRow,
  choices?: Options,
) {
  const value = values[name];
  return field(
    {
      ...{ name, label: labels[name] ?? '', type, max, required },
      value: typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
      ...(hints[name] && { hint: hints[name] }),
      ...(choices && { choices }),
      onInput: (text) => {
        setFields(draft, { [name]: text });
      },
    },
    faultsNow(),
  );
}

const named = (url: string) => answer<readonly Named[]>(url) ?? [];

function optionsOf({ name, required }: FieldRow): Options {
  const own = choices[name];
  if (own) return [...(required ? [] : [['', words.none] as const]), ...Object.entries(own)];
  if (name === 'price_level')
    return [['', words.none], ...[1, 2, 3, 4].map((level) => [String(level), price(level)] as const)];
  return [['', words.noCategory], ...named('/categories').map(({ id, name }) => [String(id), name] as const)];
}

const chips = (
  { draft }: Filled,
  name: string,
  options: readonly [text: string, isOn: boolean, next: unknown][],
) =>
  html`<fieldset class="field">
    <legend>${labels[name]} <span class="soft tiny">${common.optional}</span></legend>
    <div class="chips">
      ${options.map(([text, isOn, next]) => chip(text, isOn, () => setFields(draft, { [name]: next })))}
    </div>
    ${faultsNow()[name] ? html`<p class="small bad" role="alert">${icon('warning', 14)} ${faultsNow()[name]}</p>` : nothing}
  </fieldset>`;

function position(form: Filled, row: FieldRow) {
  const { draft, values } = form;
  const { isPicking = false, notLocated = false } = state.ui.place ?? {};
  const { lat, lng } = positionOf(values.position);
  // Browsers tell a place only to pages that came over HTTPS or from this computer.
  const canLocate = isSecureContext && 'geolocation' in navigator;
  return html`${input(form, row)}
    <div class="acts where">
      ${canLocate ? html`<button type="button" class="button" @click=${() => setHere(draft)}>${icon('here', 16)}${words.iAmHere}</button>` : nothing}
      <button
        type="button"
        class="button"
        aria-expanded=${isPicking}
        @click=${() => setForm({ isPicking: !isPicking })}
      >
        ${icon('pin', 16)}${words.pick}
      </button>
    </div>
    ${notLocated ? html`<p class="small warn" role="status">${words.notLocated}</p>` : nothing}
    ${
      isPicking && state.config
        ? placeMap(state.config, {
            position: lat === undefined || lng === undefined ? undefined : { lat, lng },
            around: shownArea(state),
            onPick: ({ lat, lng }) => {
              setFields(draft, { position: positionText(lat, lng) });
            },
          })
        : nothing
    }`;
}

/** What is wrong with the form as a whole; where the place is here already, the ways to it. */
function placeFault() {
  const twin = twinOf(faultsNow()['']);
  if (!twin) return formFault(faultsNow());
  return html`${formFault({ '': fill(words.exists, { name: twin.name }) })}
    <div class="acts twin">
      <a class="button" href=${twin.isSuggestion ? `/suggestions?sel=${twin.id}` : `/restaurants/${twin.id}`}
        >${common.opening.open}</a
      >
      ${
        twin.isSuggestion
          ? nothing
          : html`<button type="button" class="button" @click=${() => openRate(twin)}>${words.rate}</button>`
      }
    </div>`;
}
