import { texts } from '../base/texts.js';
import { act, toast } from '../state/actions.js';
import { setUi, state } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
import type { Made } from '../base/types.js';

const words = texts.secret;

/** What can be handed on: a text or a link with its name, and what is said with it. */
type Passed = Pick<Made, 'name' | 'text' | 'message'>;

const canShare = ({ text }: Passed) => 'share' in navigator && URL.canParse(text);

/** Without the invisible characters that hold lines together which run in two directions. */
const plain = (message: string) => message.replaceAll(/[\u200f\u2066-\u2069]/g, '');

const copy = ({ text, message }: Passed) =>
  navigator.clipboard
    .writeText(message ? `${plain(message)}\n${text}` : text)
    .then(() => toast({ text: words.copied }));

const share = ({ name: title, text: url, message: text }: Passed) =>
  navigator.share({ title: plain(title), url, ...(text && { text: plain(text) }) });

const ignore = () => undefined;

/** The name of the field for the focus. */
export const COPY = 'copy';

/** Hands a link on, at best to the system, which knows how to send it; where neither works, it is on the screen. */
export async function passOn(made: Passed) {
  // It is refused, too, where the sheet is closed again.
  if (canShare(made)) await share(made).catch(ignore);
  else if ('clipboard' in navigator) await copy(made).catch(ignore);
}

/** Something to copy, in a field, since browsers copy only over HTTPS. Links can be shared where the system does that. */
export function copyBox(passed: Passed) {
  const select = ({ target }: { target: HTMLInputElement }) => target.select();
  return html`<p class="copy">
    <input readonly data-focus=${COPY} aria-label=${passed.name} .value=${passed.text} @focus=${select} />
    ${canShare(passed) ? button(texts.common.share, () => share(passed).catch(ignore), 'button primary') : nothing}
    ${'clipboard' in navigator ? button(words.copy, () => copy(passed)) : nothing}
  </p>`;
}

const LOOPBACK = /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])[:/]/;

/** What was made at a path, with its secret, which the API says once. */
export const secretBox = (made: Made | undefined, path: string) =>
  made?.path === path
    ? html`<div class="box" role="status">
        <p><strong>${made.name}</strong> ${words.once}</p>
        ${copyBox(made)} ${made.code ? qrCode(made.code) : nothing}
        ${LOOPBACK.test(made.text) ? html`<p class="small warn">${words.loopback}</p>` : nothing}
      </div>`
    : nothing;

const qrCode = ({ size, path }: NonNullable<Made['code']>) =>
  html`<svg class="qr" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${words.qrCode}>
    <path d=${path} />
  </svg>`;

/** Adds the QR code of a link, for the camera of a phone, once its module is loaded; without it the link is enough. */
async function addCode(made: Made) {
  if (!URL.canParse(made.text)) return;
  const { encode } = await import('../vendor/uqr/dist/index.mjs');
  const { data, size } = encode(made.text, { border: 2 });
  const square = (isDark: boolean, x: number, y: number) => (isDark ? `M${x} ${y}h1v1h-1z` : '');
  const path = data.flatMap((row, y) => row.map((isDark, x) => square(isDark, x, y))).join('');
  if (state.ui.made === made) setUi({ made: { ...made, code: { size, path } } });
}

/** Makes something with a secret, which `secretBox` shows; `quiet` where the caller shows faults itself. */
export async function makeSecret(
  about: Pick<Made, 'path' | 'name' | 'message'>,
  body?: object,
  quiet = false,
) {
  const outcome = await act<{ url?: string; token?: string; expires_at?: string }>({
    method: 'POST',
    path: about.path,
    body,
    quiet,
  });
  if (!outcome.ok) return outcome;
  const { url, token: text = `${location.origin}${url}`, expires_at: end = '' } = outcome.body;
  const made = { ...about, text, end };
  setUi({ made });
  void addCode(made).catch(ignore);
  return outcome;
}
