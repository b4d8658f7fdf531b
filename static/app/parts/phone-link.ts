import { phoneHref } from '../base/phone.js';
import { html } from '../vendor/lit-html/lit-html.js';

/** A telephone number, which a phone calls if it is one. */
export function phoneLink(phone: string) {
  const href = phoneHref(phone);
  return href === undefined ? html`<bdi>${phone}</bdi>` : html`<a href=${href} dir="ltr">${phone}</a>`;
}
