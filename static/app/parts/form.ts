import { ago } from '../base/format.js';
import { faultText, type Reasons } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog } from '../state/actions.js';
import { html, noChange, nothing } from '../vendor/lit-html/lit-html.js';
import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { button, icon } from './parts.js';
import type { Write } from '../state/actions.js';
import type { Fault } from '../base/types.js';

const words = texts.common;
const { account } = texts;

/**
 * A field of a form. `name` is the API's, so that its faults find their fields; `type` is that of the input, or `area` for
 * several lines; `choices` make it a select; `max` counts characters. `onInput` stores what is typed, so that `value`
 * follows it; without it the form holds it.
 */
export interface Field extends Partial<
  Record<'hint' | 'type' | 'value' | 'autocomplete' | 'inputmode', string> &
    Record<'required' | 'readonly' | 'autofocus', boolean>
> {
  name: string;
  label: string;
  max?: number;
  choices?: readonly (readonly [value: string, text: string])[];
  onInput?: (value: string) => void;
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

/** The email by which people sign in, which is what password managers call the username; with a value it is fixed. */
export const emailField = (value?: string | null): Field => ({
  name: 'email',
  type: 'email',
  label: account.email,
  autocomplete: 'username',
  required: true,
  ...(value && { value, readonly: true }),
});

export const passwordField = (
  name: string,
  autocomplete: `${'current' | 'new'}-password`,
  label: string = account.password,
): Field => ({
  name,
  type: 'password',
  label,
  autocomplete,
  required: true,
  ...(autocomplete === 'new-password' && { hint: account.passwordHint }),
});

export const nameField = (value = ''): Field => ({
  name: 'username',
  label: account.name,
  hint: account.nameHint,
  value,
  autocomplete: 'nickname',
  required: true,
  max: 100,
});

/** A label, the field, its hint and its fault, which `sends` shows. */
export function field(field: Field) {
  const { name, label, hint, required } = field;
  const id = `field-${name}`;
  return html`<div class="field">
    <label for=${id}
      ><span>${label}</span
      >${required ? nothing : html` <span class="soft tiny">${words.optional}</span>`}</label
    >
    ${control(field, id)} ${hint && html`<p class="tiny soft" id=${`${id}-hint`}>${hint}</p>`}
    <p class="small bad" id=${`${id}-fault`}>${icon('warning', 14)} <span></span></p>
  </div>`;
}

function control(field: Field, id: string) {
  const { name, type = 'text', value = '', required = false, choices, onInput, max = nothing } = field;
  const by = `${id}-hint ${id}-fault`;
  const input = ({ target }: { target: Control }) => {
    target.ariaInvalid = null;
    onInput?.(target.value);
  };
  const own = onInput ? live(value) : noChange;
  if (choices) {
    return html`<select id=${id} name=${name} aria-describedby=${by} @change=${input}>
      ${choices.map(([one, text]) => {
        const isOn = one === value;
        // Where the value follows what is chosen, it also takes back what could not be done.
        return onInput
          ? html`<option value=${one} .selected=${live(isOn)}>${text}</option>`
          : html`<option value=${one} ?selected=${isOn}>${text}</option>`;
      })}
    </select>`;
  }
  if (type === 'area') {
    return html`<textarea
      id=${id}
      name=${name}
      rows="3"
      dir="auto"
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
    dir=${type === 'text' ? 'auto' : nothing}
    ?required=${required}
    ?readonly=${field.readonly}
    ?autofocus=${field.autofocus}
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

/**
 * `submit` is what its button says, `owner` whose passwords are in it, for password managers; `faults` are reasons why it may be
 * refused, by status.
 */
interface SendForm {
  name: string;
  fields: readonly Field[];
  submit: string;
  run: Run;
  isDanger?: boolean;
  owner?: string;
  faults?: Reasons;
}

/** A form that sends what was typed, and is empty again afterwards. */
export function sendForm({ name, fields, submit, run, isDanger, owner, faults }: SendForm, isDialog = false) {
  // Invisible; without it password managers do not know whose password it is.
  const hidden = html`<span class="vh" aria-hidden="true">
    <input type="email" autocomplete="username" .value=${owner ?? ''} readonly tabindex="-1" />
  </span>`;
  // Browsers remember of a field what it was, so that the fields of one form never become those of another.
  return keyed(
    name,
    html`<form novalidate @submit=${sends(run, faults)}>
      ${formFault()} ${owner === undefined ? nothing : hidden} ${fields.map(field)}
      <p class=${isDialog ? 'acts end' : 'acts'}>
        ${isDialog ? button(words.cancel, closeDialog) : nothing}
        <button class=${isDanger ? 'button danger' : 'button primary'}>${submit}</button>
      </p>
    </form>`,
  );
}

/** Opens a form in a dialog. */
export const openForm = (label: string, form: SendForm, text?: string) =>
  openDialog({
    label,
    body: () => html`${text && html`<p class="lead">${text}</p>`} ${sendForm(form, true)}`,
  });

/** Sends what a form holds, which shows itself what is refused. */
export async function send<Body>(write: Write, then: (body: Body) => unknown = closeDialog) {
  const outcome = await act<Body>({ ...write, quiet: true });
  if (outcome.ok) then(outcome.body);
  return outcome;
}

type Run = (values: Values, form: HTMLFormElement) => Promise<Sent>;

/** Listens to the submit of a form, and shows what its fields or the service refuse. */
export const sends = (run: Run, reasons?: Reasons) => async (event: Event) => {
  event.preventDefault();
  if (event.target instanceof HTMLFormElement) await submit(event.target, run, false, reasons);
};

/** Sends a form unless its fields refuse what was typed; `isUnchecked` leaves that to the service, which says all at once. */
export async function submit(form: HTMLFormElement, run: Run, isUnchecked = false, reasons?: Reasons) {
  if (form.ariaBusy === 'true' || !(isUnchecked || show(form, {}))) return;
  form.ariaBusy = 'true';
  const { ok, fault, faults } = await run(valuesOf(form), form);
  form.ariaBusy = null;
  if (faults) show(form, faults);
  else if (fault) show(form, faultsOf(fault, controlsOf(form).map(apiName), reasons));
  if (ok) form.reset();
}

const controlsOf = (form: HTMLFormElement) => [
  ...form.querySelectorAll<Control>(':is(input, select, textarea)[name]'),
];

/** Of a new password the API speaks as of any. */
const apiName = ({ name }: Control) => name.replace(/^new_/, '');

/** Shows faults at their fields, or what the browser misses there, with the focus on the first; says whether there are none. */
function show(form: HTMLFormElement, { '': whole = '', ...faults }: Texts) {
  const wrong = controlsOf(form).filter((control) => {
    const { validity, name } = control;
    // An address of another alphabet is one for the service, but not for browsers.
    const isFine = validity.valid || validity.typeMismatch;
    const refused = faults[apiName(control)] ?? (isFine ? '' : words.faults.other);
    const text = validity.valueMissing ? words.faults.missing : refused;
    const line = form.querySelector(`#field-${name}-fault`)?.lastElementChild;
    if (line) line.textContent = text;
    control.ariaInvalid = text === '' ? null : 'true';
    // One that is folded away could not have the focus.
    if (text !== '') control.closest('details')?.setAttribute('open', '');
    return text !== '';
  });
  const line = form.querySelector<HTMLElement>('.bad[role="alert"]');
  if (line?.lastElementChild) line.lastElementChild.textContent = whole;
  if (line) line.hidden = whole === '';
  const [first = whole === '' ? undefined : line] = wrong;
  first?.focus();
  return !first;
}

/** What to say where an answer refuses these fields, which it names; what is wrong besides is under ''. */
function faultsOf(fault: Fault, names: readonly string[], reasons?: Reasons): Values {
  const { status, message, retryAfter } = fault;
  // After wrong passwords it takes longer than after too many requests.
  if (status === 429 && retryAfter !== null)
    return {
      '': fill(words.failed.later, { when: ago(Date.now() + Math.ceil(retryAfter / 60) * 60_000 + 1000) }),
    };
  const messages = status === 400 || status === 409 ? message.split('; ') : [];
  const known: Texts = words.faults;
  const { missing, long, taken, other } = words.faults;
  const textOf = (name: string, message: string) => {
    if (status === 409) return known[`${name}_taken`] ?? taken;
    if (message.endsWith(' is required')) return missing;
    const most = /at most (\d+) characters/.exec(message)?.[1];
    return most && name !== 'password' ? fill(long, { count: Number(most) }) : (known[name] ?? other);
  };
  const faults: Values = messages.length > 0 ? {} : { '': faultText(fault, reasons) };
  for (const one of messages) {
    const about = names.filter((name) => isAbout(one, name));
    for (const name of about) faults[name] ??= textOf(name, one);
    if (about.length === 0) faults[''] = faultText(fault, reasons);
  }
  return faults;
}

/** Whether a message of the API is about a field: it begins with its name, or says that something else has this value. */
const isAbout = (message: string, name: string) =>
  new RegExp(`^${name}[ .[]|\\b${name}\\b.* taken$`).test(message) ||
  (name === 'name' && message.includes(' already exists'));

/** What was typed into a form, by name, without blanks at the ends; passwords are as they were typed. */
function valuesOf(form: HTMLFormElement) {
  const values: Values = {};
  for (const [name, value] of new FormData(form)) {
    const text = typeof value !== 'string' ? '' : name.endsWith('password') ? value : value.trim();
    if (text !== '') values[name] = text;
  }
  return values;
}
