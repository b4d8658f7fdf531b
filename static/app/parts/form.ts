import { texts } from '../base/texts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { icon } from './parts.js';
import type { Fault } from '../base/types.js';

const words = texts.common;

/** A field of a form. `name` is the API's, so that its faults find their fields. */
export interface Field {
  name: string;
  label: string;
  hint?: string;
  /** of the input; `area` for several lines */
  type?: string;
  value?: string;
  required?: boolean;
  autocomplete?: string;
  /** characters */
  max?: number;
  inputmode?: string;
  /** makes it a select */
  choices?: readonly (readonly [value: string, text: string])[];
  /** stores what is typed, so that `value` follows it */
  onInput?: (value: string) => void;
  readonly?: boolean;
  autofocus?: boolean;
}

/**
 * A label, the field, its hint and its fault.
 * @param faults by name of the field
 */
export function field(field: Field, faults: Readonly<Record<string, string>> = {}) {
  const { name, label, hint, required = false } = field;
  const fault = faults[name];
  const id = `field-${name}`;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}
      >${label}${required ? nothing : html` <span class="soft tiny">${words.optional}</span>`}</label
    >
    ${control(field, id, described, fault !== undefined)}
    ${hint ? html`<p class="tiny soft" id=${`${id}-hint`}>${hint}</p>` : nothing}
    ${fault ? html`<p class="small bad" id=${`${id}-fault`}>${icon('warning', 14)} ${fault}</p>` : nothing}
  </div>`;
}

function control(field: Field, id: string, described: string, isFaulty: boolean) {
  const { name, type = 'text', value = '', required = false, choices, onInput } = field;
  const invalid = isFaulty ? 'true' : nothing;
  const by = described || nothing;
  const input = (event: any) => onInput?.(event.target.value);
  // Without onInput only the form holds what was typed, and drawing the screen again must not reset it.
  const text = onInput ? live(value) : value;
  if (choices) {
    return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${by} @change=${input}>
      ${choices.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select>`;
  }
  const max = field.max ?? nothing;
  if (type === 'area') {
    return html`<textarea
      id=${id}
      name=${name}
      rows="3"
      maxlength=${max}
      aria-invalid=${invalid}
      aria-describedby=${by}
      .value=${text}
      @input=${input}
    ></textarea>`;
  }
  return html`<input
    id=${id}
    name=${name}
    type=${type}
    ?required=${required}
    ?readonly=${field.readonly ?? false}
    ?autofocus=${field.autofocus ?? false}
    maxlength=${max}
    inputmode=${field.inputmode ?? nothing}
    autocomplete=${field.autocomplete ?? 'off'}
    aria-invalid=${invalid}
    aria-describedby=${by}
    .value=${text}
    @input=${input}
  />`;
}

/**
 * Sends the faults of an answer, which are joined by "; " and begin with a field's name, to their fields; the rest
 * stands under ''.
 * @param names of the form's fields
 */
export function faultsOf({ message }: Fault, names: readonly string[]): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const one of message.split('; ')) {
    const name =
      names.find((name) => one.startsWith(`${name} `)) ??
      names.find((name) => new RegExp(`\\b${name}\\b`, 'i').test(one)) ??
      '';
    faults[name] = faults[name] === undefined ? one : `${faults[name]}; ${one}`;
  }
  return faults;
}

/** Puts the focus on the first field with a fault, once it is drawn. */
export function focusFault() {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field =
        document.querySelector('[aria-invalid="true"]') ?? document.querySelector('form [role="alert"]');
      if (field instanceof HTMLElement) field.focus();
    }),
  );
}

/** What is wrong with the form as a whole. */
export const formFault = (faults: Readonly<Record<string, string>>) =>
  faults['']
    ? html`<p class="bad" role="alert" tabindex="-1">${icon('warning', 16)} ${faults['']}</p>`
    : nothing;

/**
 * The values of a form by name, without blanks at their ends; passwords are as they were typed.
 * @param event its submit
 */
export function valuesOf(event: Event): Record<string, string> {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const values = {} as Record<string, string>;
  for (const [name, value] of new FormData(form)) {
    const field = form.elements.namedItem(name);
    const isPassword = field instanceof HTMLInputElement && field.type === 'password';
    if (typeof value === 'string') values[name] = isPassword ? value : value.trim();
  }
  return values;
}
