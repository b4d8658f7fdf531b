import { fill, texts } from '../base/texts.js';
import { signInHref } from '../state/actions.js';
import { hasPasswords, providerHref } from '../state/account.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { avatar, icon } from './parts.js';
import type { State } from '../base/types.js';
import type { Field } from './form.js';

const common = texts.common;
const words = texts.account;

/** The email by which people sign in, which is what password managers call the username; with a value it is fixed. */
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
  autocomplete: `${'current' | 'new'}-password`,
  label: string = words.password,
): Field => ({
  name,
  type: 'password',
  label,
  autocomplete,
  required: true,
  ...(autocomplete === 'new-password' && { hint: words.passwordHint }),
});

export const nameField = (value = ''): Field => ({
  name: 'username',
  label: words.name,
  hint: words.nameHint,
  autocomplete: 'nickname',
  required: true,
  max: 100,
  value,
});

/** The fields of a new account, for an email where that is fixed. */
export const newAccountFields = (email?: string | null): Field[] => [
  nameField(email?.replace(/@.*/, '')),
  emailField(email),
  passwordField('password', 'new-password'),
];

/** A link for each provider that signs in here, and leads to an address afterwards. */
export function providerButtons({ config }: State, to: string, invitation?: string) {
  const providers = Object.entries(words.providers).filter(([name]) => config?.providers.includes(name));
  if (providers.length === 0) return nothing;
  return html`${hasPasswords() ? html`<p class="or small soft">${words.or}</p>` : nothing}
  ${providers.map(([name, text]) => html`<a class="button wide" href=${providerHref(name, to, invitation)}>${text}</a>`)}`;
}

/** Leads to the settings, or to the sign-in of who is signed out. */
export function accountLink({ session: { user }, config }: State) {
  const link = (shown: unknown, label: string, kind: string) =>
    html`<a class=${kind} href="/settings" aria-label=${label}>${shown}</a>`;
  if (config?.auth_mode === 'none') return link(icon('more'), common.tabs.settings, 'button plain only');
  if (user) return link(avatar(user.username), fill(common.settingsOf, { name: user.username }), 'account');
  return user === null ? html`<a class="button" href=${signInHref()}>${common.signIn}</a>` : nothing;
}
