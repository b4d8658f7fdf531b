import { faultText } from '../actions.js';
import { state, update } from '../store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { keyed } from '../vendor/lit-html/directives/keyed.js';
import { faultsOf, field, focusFault, formFault, valuesOf } from './form.js';

/** @import { Fault } from '../types.js' */
/** @import { Field } from './form.js' */

/** @typedef {{ values: Record<string, string>, faults: Record<string, string>, isBusy: boolean }} Typed */

const NEW = { values: {}, faults: {}, isBusy: false };

/** @param {string} name @returns {Typed} */
const typedIn = (name) => state.ui['forms']?.[name] ?? NEW;

/**
 * @param {string} name
 * @param {Partial<Typed>} change
 */
const alter = (name, change) =>
  update((state) => (state.ui['forms'] = { ...state.ui['forms'], [name]: { ...typedIn(name), ...change } }));

/** Forgets what was typed into forms, passwords above all. */
export const forgetForms = () => update((state) => (state.ui['forms'] = undefined));

/**
 * A form that sends what was typed. What is refused stays, with the faults at their fields.
 * @param {object} options
 * @param {string} options.name
 * @param {readonly Field[]} options.fields
 * @param {string} options.submit what its button says
 * @param {(values: Record<string, string>) => Promise<Fault | undefined>} options.run
 * @param {(fault: Fault) => string | undefined} [options.say] other words for a fault of the whole
 * @param {boolean} [options.isDanger]
 * @param {string} [options.account] whose passwords are in it, for password managers
 */
export function sendForm({ name, fields, submit, run, say, isDanger = false, account }) {
  const { values, faults, isBusy } = typedIn(name);
  const onSubmit = async (/** @type {Event} */ event) => {
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

/**
 * @param {Fault} fault
 * @param {readonly Field[]} fields
 */
function fieldFaults(fault, fields) {
  const names = fields.map(({ name }) => name);
  const { password, ...faults } = faultsOf(fault, [...names, 'password']);
  if (password === undefined) return faults;
  // Of a new password the API speaks as of any.
  return { ...faults, [names.find((name) => name.startsWith('new_')) ?? 'password']: password };
}

/** Nobody needs to see it; without it password managers do not know whose password it is. @param {string} email */
const accountField = (email) =>
  html`<span class="vh" aria-hidden="true">
    <input type="email" autocomplete="username" .value=${email} readonly tabindex="-1" />
  </span>`;
