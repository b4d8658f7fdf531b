import { texts } from '../base/texts.js';
import { act, closeDialog, faultText, openDialog } from '../state/actions.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { button, icon } from './parts.js';
import type { Write } from '../state/actions.js';
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
  /** by the names of the fields, where the caller knows better than `fault` */
  readonly faults?: Texts;
}

/** A label, the field, its hint and its fault, which `sends` shows. */
export function field(field: Field) {
  const { name, label, hint, required = false } = field;
  return html`<div class="field">
    <label for=${`field-${name}`}
      ><span>${label}</span
      >${required ? nothing : html` <span class="soft tiny">${words.optional}</span>`}</label
    >
    ${control(field)} ${hint ? html`<p class="tiny soft" id=${`field-${name}-hint`}>${hint}</p>` : nothing}
    <p class="small bad" id=${`field-${name}-fault`} hidden>${icon('warning', 14)} <span></span></p>
  </div>`;
}

function control(field: Field) {
  const { name, type = 'text', value = '', required = false, choices, onInput } = field;
  const id = `field-${name}`;
  const by = `${id}-hint ${id}-fault`;
  const input = ({ target }: { target: Control }) => {
    target.ariaInvalid = null;
    document.getElementById(`${id}-fault`)?.setAttribute('hidden', '');
    onInput?.(target.value);
  };
  const own = onInput ? live(value) : noChange;
  const max = field.max ?? nothing;
  if (choices) {
    return html`<select id=${id} name=${name} aria-describedby=${by} @change=${input}>
      ${choices.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select>`;
  }
  if (type === 'area') {
    return html`<textarea
      id=${id}
      name=${name}
      rows="3"
      ?required=${required}
      ?autofocus=${field.autofocus ?? false}
      maxlength=${max}
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
    aria-describedby=${by}
    .defaultValue=${value}
    .value=${own}
    @input=${input}
  />`;
}

/** What is wrong with the form as a whole. */
export const formFault = (text = '') =>
  html`<p class="bad" role="alert" tabindex="-1" ?hidden=${text === ''}>
    ${icon('warning', 16)} <span .textContent=${text}></span>
  </p>`;

interface SendForm {
  name: string;
  fields: readonly Field[];
  /** what its button says */
  submit: string;
  run: Run;
  isDanger?: boolean;
  /** whose passwords are in it, for password managers */
  account?: string;
  /** what Cancel does */
  cancel?: () => void;
}

/** A form that sends what was typed, and is empty again afterwards. */
export function sendForm({ name, fields, submit, run, isDanger, account, cancel }: SendForm) {
  // Browsers remember of a field what it was, so that the fields of one form never become those of another.
  return keyed(
    name,
    html`<form novalidate @submit=${sends(run)}>
      ${formFault()} ${account === undefined ? nothing : accountField(account)}
      ${fields.map((one) => field(one))}
      <p class=${cancel ? 'acts end' : 'acts'}>
        ${cancel ? button(words.cancel, cancel) : nothing}
        <button class=${isDanger ? 'button danger' : 'button primary'}>${submit}</button>
      </p>
    </form>`,
  );
}

/** Nobody needs to see it; without it password managers do not know whose password it is. */
const accountField = (email: string) =>
  html`<span class="vh" aria-hidden="true">
    <input type="email" autocomplete="username" .value=${email} readonly tabindex="-1" />
  </span>`;

/** Opens a form in a dialog. */
export const openForm = (label: string, form: SendForm, text: unknown = nothing) =>
  openDialog({ label, body: () => html`${text} ${sendForm(form)}` });

/** Sends what a form holds, which shows itself what is refused. */
export async function send<Body>(write: Write, then: (body: Body) => unknown = closeDialog) {
  const outcome = await act<Body>({ ...write, quiet: true });
  if (outcome.ok) then(outcome.body);
  return outcome;
}

type Run = (values: Values, form: HTMLFormElement) => Promise<Sent>;

/** Listens to the submit of a form, and shows what its fields or the service refuse. */
export const sends = (run: Run) => async (event: Event) => {
  event.preventDefault();
  if (event.target instanceof HTMLFormElement) await submit(event.target, run);
};

/** Sends a form unless its fields refuse what was typed; `isUnchecked` leaves that to the service, which says all at once. */
export async function submit(form: HTMLFormElement, run: Run, isUnchecked = false) {
  if (form.ariaBusy === 'true' || !(isUnchecked || show(form, {}))) return;
  form.ariaBusy = 'true';
  const { ok, fault, faults } = await run(valuesOf(form), form);
  form.ariaBusy = null;
  if (faults) show(form, faults);
  else if (fault?.status === 400 || fault?.status === 409)
    show(form, faultsOf(fault, controlsOf(form).map(apiName)));
  // That somebody has to wait after wrong passwords is said by the service alone.
  else if (fault) show(form, { '': fault.status === 429 ? fault.message : faultText(fault) });
  if (ok) form.reset();
}

const controlsOf = (form: HTMLFormElement) => [
  ...form.querySelectorAll<Control>(':is(input, select, textarea)[name]'),
];

/** Of a new password the API speaks as of any. */
const apiName = ({ name }: Control) => name.replace(/^new_/, '');

/** Shows faults at their fields, or what the browser misses there, with the focus on the first; says whether there are none. */
function show(form: HTMLFormElement, { '': whole = '', ...faults }: Texts) {
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
    // One that is folded away could not have the focus.
    if (text !== '') control.closest('details')?.setAttribute('open', '');
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
      names.find((name) => name === 'name' && one.includes('already exists')) ??
      '';
    faults[name] = faults[name] === undefined ? one : `${faults[name]}; ${one}`;
  }
  return faults;
}

/** What was typed into a form, by name, without blanks at the ends; passwords are as they were typed. */
export function valuesOf(form: HTMLFormElement): Values {
  const values: Values = {};
  for (const [name, value] of new FormData(form)) {
    const field = form.elements.namedItem(name);
    const isPassword = field instanceof HTMLInputElement && field.type === 'password';
    const text = typeof value === 'string' && !isPassword ? value.trim() : value;
    if (typeof text === 'string' && text !== '') values[name] = text;
  }
  return values;
}
