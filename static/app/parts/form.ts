import { texts } from '../base/texts.js';
import { faultText } from '../state/actions.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { keyed } from '../vendor/lit-html/directives/keyed.js';
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
  /** stores what is typed, so that `value` follows it; without it the form holds it */
  onInput?: (value: string) => void;
  readonly?: boolean;
  autofocus?: boolean;
}

type Texts = Readonly<Record<string, string>>;
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What was typed into a form, by the names of its fields. */
export type Values = Record<string, string>;

/** How the sending of a form ended, such as an `Outcome`. */
export interface Sent {
  readonly ok: boolean;
  readonly fault?: Fault;
}

/**
 * A label, the field, its hint and its fault.
 * @param faults by name of the field, where the screen draws them; `sends` shows those of its form
 */
export function field(field: Field, faults: Texts = {}) {
  const { name, label, hint, required = false } = field;
  return html`<div class="field">
    <label for=${`field-${name}`}
      ><span>${label}</span
      >${required ? nothing : html` <span class="soft tiny">${words.optional}</span>`}</label
    >
    ${control(field, faults[name] !== undefined)}
    ${hint ? html`<p class="tiny soft" id=${`field-${name}-hint`}>${hint}</p>` : nothing}
    ${faultLine(faults[name], `field-${name}-fault`)}
  </div>`;
}

/** A fault that `show` can set, too: it changes properties, which are drawn again only where `text` has changed. */
const faultLine = (text: string | undefined, id: string) =>
  html`<p class="small bad" id=${id} ?hidden=${!text}>
    ${icon('warning', 14)} <span .textContent=${text ?? ''}></span>
  </p>`;

function control(field: Field, isFaulty: boolean) {
  const { name, type = 'text', value = '', required = false, choices, onInput } = field;
  const id = `field-${name}`;
  const by = `${id}-hint ${id}-fault`;
  const invalid = isFaulty ? 'true' : nothing;
  const input = ({ target }: { target: Control }) => onInput?.(target.value);
  const own = onInput ? live(value) : noChange;
  const max = field.max ?? nothing;
  if (choices) {
    return html`<select id=${id} name=${name} aria-invalid=${invalid} aria-describedby=${by} @change=${input}>
      ${choices.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select>`;
  }
  if (type === 'area') {
    return html`<textarea
      id=${id}
      name=${name}
      rows="3"
      ?required=${required}
      maxlength=${max}
      aria-invalid=${invalid}
      aria-describedby=${by}
      .defaultValue=${value}
      .value=${own}
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
    .defaultValue=${value}
    .value=${own}
    @input=${input}
  />`;
}

/** What is wrong with the form as a whole. */
export const formFault = (faults: Texts = {}) =>
  html`<p class="bad" role="alert" tabindex="-1" ?hidden=${!faults['']}>
    ${icon('warning', 16)} <span .textContent=${faults[''] ?? ''}></span>
  </p>`;

/**
 * A form that sends what was typed, and is empty again afterwards.
 * @param options.submit what its button says
 * @param options.other buttons beside it
 * @param options.account whose passwords are in it, for password managers
 */
export function sendForm({
  name,
  fields,
  submit,
  run,
  other = nothing,
  isDanger = false,
  account,
}: {
  name: string;
  fields: readonly Field[];
  submit: string;
  run: (values: Values) => Promise<Sent>;
  other?: unknown;
  isDanger?: boolean;
  account?: string;
}) {
  // Browsers remember of a field what it was, so that the fields of one form never become those of another.
  return keyed(
    name,
    html`<form novalidate @submit=${sends(run)}>
      ${formFault()} ${account === undefined ? nothing : accountField(account)}
      ${fields.map((one) => field(one))}
      <p class="acts">
        <button class=${isDanger ? 'button danger' : 'button primary'}>${submit}</button>
        ${other}
      </p>
    </form>`,
  );
}

/** Nobody needs to see it; without it password managers do not know whose password it is. */
const accountField = (email: string) =>
  html`<span class="vh" aria-hidden="true">
    <input type="email" autocomplete="username" .value=${email} readonly tabindex="-1" />
  </span>`;

/** Listens to the submit of a form, and shows what its fields or the service refuse. */
export const sends = (run: (values: Values) => Promise<Sent>) => async (event: Event) => {
  const values = valuesOf(event);
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.ariaBusy === 'true' || !show(form, {})) return;
  form.ariaBusy = 'true';
  const { ok, fault } = await run(values);
  form.ariaBusy = null;
  if (fault) refuse(form, fault);
  if (ok) form.reset();
};

/** Shows the fault of an answer at the fields of a form, and above it what is of none. */
export function refuse(form: HTMLFormElement, fault: Fault) {
  const isOfFields = fault.status === 400 || fault.status === 409;
  // That somebody has to wait after wrong passwords is said by the service alone.
  const text = fault.status === 429 ? fault.message : faultText(fault);
  show(form, isOfFields ? faultsOf(fault, controlsOf(form).map(apiName)) : { '': text });
}

const controlsOf = (form: HTMLFormElement) => [
  ...form.querySelectorAll<Control>(':is(input, select, textarea)[name]'),
];

/** Of a new password the API speaks as of any. */
const apiName = ({ name }: Control) => name.replace(/^new_/, '');

/**
 * Shows the faults at their fields, or what the browser misses there, and puts the focus on the first.
 * @returns whether nothing is wrong
 */
export function show(form: HTMLFormElement, { '': whole = '', ...faults }: Texts) {
  let first: HTMLElement | undefined;
  const put = (line: Element | null, text: string, focused: HTMLElement | null) => {
    if (!(line instanceof HTMLElement)) return;
    line.hidden = text === '';
    if (line.lastElementChild) line.lastElementChild.textContent = text;
    if (text !== '') first ??= focused ?? line;
  };
  for (const control of controlsOf(form)) {
    const { validity, validationMessage, labels, name } = control;
    // An address of another alphabet is one for the service, but not for browsers.
    const missed = validity.valid || validity.typeMismatch ? '' : validationMessage;
    const label = labels?.[0]?.firstElementChild?.textContent ?? name;
    const text =
      faults[apiName(control)]?.replace(new RegExp(`^(.*: )?${apiName(control)}\\b`), label) ?? missed;
    control.ariaInvalid = text === '' ? null : 'true';
    put(form.querySelector(`#field-${name}-fault`), text, control);
  }
  put(form.querySelector('[role="alert"]'), whole, null);
  first?.focus();
  return first === undefined;
}

/**
 * Sends the faults of an answer, which are joined by "; " and begin with a field's name, to their fields; the rest
 * stands under ''.
 * @param names of the form's fields
 */
export function faultsOf({ message }: Fault, names: readonly string[]): Values {
  const faults: Values = {};
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

/**
 * What was typed into a form, by name, without blanks at the ends; passwords are as they were typed.
 * @param event its submit
 */
export function valuesOf(event: Event): Values {
  event.preventDefault();
  const form = event.target;
  const values: Values = {};
  if (!(form instanceof HTMLFormElement)) return values;
  for (const [name, value] of new FormData(form)) {
    const field = form.elements.namedItem(name);
    const isPassword = field instanceof HTMLInputElement && field.type === 'password';
    const text = typeof value === 'string' && !isPassword ? value.trim() : value;
    if (typeof text === 'string' && text !== '') values[name] = text;
  }
  return values;
}
