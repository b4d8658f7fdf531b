import { faultText } from '../state/actions.js';
import { state, update } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { faultsOf, field, focusFault, formFault, valuesOf } from './form.js';
import type { Fault } from '../base/types.js';
import type { Field } from './form.js';

export interface Typed {
  values: Record<string, string>;
  faults: Record<string, string>;
  isBusy: boolean;
}

const NEW = { values: {}, faults: {}, isBusy: false };

const typedIn = (name: string): Typed => state.ui.forms?.[name] ?? NEW;

const alter = (name: string, change: Partial<Typed>) =>
  update((state) => (state.ui.forms = { ...state.ui.forms, [name]: { ...typedIn(name), ...change } }));

/** Forgets what was typed into forms, passwords above all. */
export const forgetForms = () => update((state) => (state.ui.forms = undefined));

/**
 * A form that sends what was typed. What is refused stays, with the faults at their fields.
 * @param options.submit what its button says
 * @param options.say other words for a fault of the whole
 * @param options.account whose passwords are in it, for password managers
 */
export function sendForm({
  name,
  fields,
  submit,
  run,
  say,
  isDanger = false,
  account,
}: {
  name: string;
  fields: readonly Field[];
  submit: string;
  run: (values: Record<string, string>) => Promise<Fault | undefined>;
  say?: (fault: Fault) => string | undefined;
  isDanger?: boolean;
  account?: string;
}) {
  const { values, faults, isBusy } = typedIn(name);
  const onSubmit = async (event: Event) => {
    const sent = valuesOf(event);
    if (isBusy) return;
    alter(name, { isBusy: true });
    const fault = await run(sent);
    if (!fault) return alter(name, NEW);
    const whole = say?.(fault);
    const isOfFields = whole === undefined && (fault.status === 400 || fault.status === 409);
    const refused = isOfFields ? fieldFaults(fault, fields) : { '': whole ?? faultText(fault) };
    alter(name, { faults: refused, isBusy: false });
    focusFault();
  };
  // Browsers remember of a field what it was, so that the fields of one form never become those of another.
  return keyed(
    name,
    html`<form novalidate @submit=${onSubmit}>
      ${formFault(faults)} ${account === undefined ? nothing : accountField(account)}
      ${fields.map((one) =>
        field(
          {
            ...one,
            value: values[one.name] ?? one.value ?? '',
            onInput: (value) => alter(name, { values: { ...typedIn(name).values, [one.name]: value } }),
          },
          faults,
        ),
      )}
      <p class="acts">
        <button
          class=${isDanger ? 'button danger' : 'button primary'}
          aria-disabled=${isBusy ? 'true' : nothing}
        >
          ${submit}
        </button>
      </p>
    </form>`,
  );
}

function fieldFaults(fault: Fault, fields: readonly Field[]) {
  const names = fields.map(({ name }) => name);
  const { password, ...faults } = faultsOf(fault, [...names, 'password']);
  if (password === undefined) return faults;
  // Of a new password the API speaks as of any.
  return { ...faults, [names.find((name) => name.startsWith('new_')) ?? 'password']: password };
}

/** Nobody needs to see it; without it password managers do not know whose password it is. */
const accountField = (email: string) =>
  html`<span class="vh" aria-hidden="true">
    <input type="email" autocomplete="username" .value=${email} readonly tabindex="-1" />
  </span>`;
