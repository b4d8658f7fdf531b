import { texts } from '../base/texts.js';
import { hasPasswords, providerHref } from '../state/account.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';
import type { Field } from './form.js';

const words = texts.account;

/**
 * The field for the email by which people sign in, which is what password managers call the username.
 * @param value one that cannot be changed
 */
export const emailField = (value?: string | null): Field => ({
  name: 'email',
  type: 'email',
  label: words.email,
  autocomplete: 'username',
  required: true,
  ...(value && { value, readonly: true }),
});

export const passwordField = (
  name: string,
  autocomplete: 'current-password' | 'new-password',
  label: string = words.password,
): Field => ({
  name,
  type: 'password',
  label,
  autocomplete,
  required: true,
  ...(autocomplete === 'new-password' && { hint: words.passwordHint }),
});

/**
 * The fields of a new account.
 * @param email the one it is for
 */
export const newAccountFields = (email?: string | null): Field[] => [
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
 * @param to where to go afterwards
 */
export function providerButtons({ config }: State, to: string, invitation?: string) {
  const providers = (config?.providers ?? []) as (keyof typeof words.providers)[];
  if (providers.length === 0) return nothing;
  return html`${hasPasswords() ? html`<p class="or small soft">${words.or}</p>` : nothing}
  ${providers.map((name) => html`<a class="button wide" href=${providerHref(name, to, invitation)}>${words.providers[name]}</a>`)}`;
}
