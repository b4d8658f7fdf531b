import { hasPasswords, providerHref } from '../account.js';
import { words } from '../texts/account.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { State } from '../types.js' */
/** @import { Field } from './form.js' */

/**
 * The field for the email by which people sign in, which is what password managers call the username.
 * @param {string | null} [value] one that cannot be changed
 * @returns {Field}
 */
export const emailField = (value) => ({
  name: 'email',
  type: 'email',
  label: words.email,
  autocomplete: 'username',
  required: true,
  ...(value && { value, readonly: true }),
});

/**
 * @param {string} name
 * @param {'current-password' | 'new-password'} autocomplete
 * @param {string} [label]
 * @returns {Field}
 */
export const passwordField = (name, autocomplete, label = words.password) => ({
  name,
  type: 'password',
  label,
  autocomplete,
  required: true,
  ...(autocomplete === 'new-password' && { hint: words.passwordHint }),
});

/**
 * The fields of a new account.
 * @param {string | null} [email] the one it is for
 * @returns {Field[]}
 */
export const newAccountFields = (email) => [
  {
    name: 'username',
    label: words.name,
    hint: words.nameHint,
    autocomplete: 'nickname',
    required: true,
    max: 100,
    ...(email && { value: email.split('@')[0] ?? '' }),
  },
  emailField(email),
  passwordField('password', 'new-password'),
];

/**
 * A link for each provider that signs in here.
 * @param {State} state
 * @param {string} to where to go afterwards
 * @param {string} [invitation]
 */
export function providerButtons({ config }, to, invitation) {
  const providers = /** @type {(keyof typeof words.providers)[]} */ (config?.providers ?? []);
  if (providers.length === 0) return nothing;
  return html`${hasPasswords() ? html`<p class="or small soft">${words.or}</p>` : nothing}
  ${providers.map((name) => html`<a class="button wide" href=${providerHref(name, to, invitation)}>${words.providers[name]}</a>`)}`;
}
