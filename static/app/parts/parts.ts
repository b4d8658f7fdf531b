import { faultText } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import * as format from '../base/format.js';
import { closeDialog, toast, undoLast } from '../state/actions.js';
import { setUi, state } from '../state/store.js';
import { html, nothing, svg } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import type { Dialog, Entry, Means, Restaurant, State, Toast } from '../base/types.js';

const words = texts.common;

const PATHS = {
  add: svg`<path d="M12 5v14M5 12h14" />`,
  back: svg`<path d="m14 5-7 7 7 7" />`,
  list: svg`<path d="M9 6h11M9 12h11M9 18h11M4 6h.5M4 12h.5M4 18h.5" />`,
  next: svg`<path d="m10 5 7 7-7 7" />`,
  up: svg`<path d="m6 14 6-6 6 6" />`,
  down: svg`<path d="m6 10 6 6 6-6" />`,
  calendar: svg`<rect x="4" y="5" width="16" height="15" rx="2" /><path d="M4 10h16M8 3v4M16 3v4" />`,
  camera: svg`<path d="M4 8h3.5L9 5.5h6L16.5 8H20v11H4z" /><circle cx="12" cy="13" r="3.5" />`,
  check: svg`<path d="m5 12.5 4.5 4.5L19 7.5" />`,
  clock: svg`<circle cx="12" cy="12" r="8.5" /><path d="M12 7v5l3.5 2" />`,
  close: svg`<path d="M6 6l12 12M18 6 6 18" />`,
  cutlery: svg`<path d="M7 3v7a3 3 0 0 0 6 0V3M10 3v18M18 21V3c-2 1-3 4-3 8h3" />`,
  edit: svg`<path d="M5 19h3L19 8l-3-3L5 16z" />`,
  filter: svg`<path d="M4 6h16M7 12h10M10 18h4" />`,
  globe: svg`<circle cx="12" cy="12" r="8.5" /><path d="M3.5 12h17M12 3.5c5 5 5 12 0 17M12 3.5c-5 5-5 12 0 17" />`,
  go: svg`<path d="M4 11 20 4l-7 16-2-7z" />`,
  here: svg`<circle cx="12" cy="12" r="6.5" /><path d="M12 2.5V7M12 17v4.5M2.5 12H7M17 12h4.5" />`,
  map: svg`<path d="m9 4-6 2.5v14L9 18l6 2.5 6-2.5V4l-6 2.5zM9 4v14M15 6.5v14" />`,
  mark: svg`<path d="M6 4h12v17l-6-4.5L6 21z" />`,
  more: svg`<circle cx="5" cy="12" r="1.2" /><circle cx="12" cy="12" r="1.2" /><circle cx="19" cy="12" r="1.2" />`,
  phone: svg`<path d="M6 3.5 9 4l1.5 4-2 1.5a12 12 0 0 0 6 6l1.5-2 4 1.5.5 3c-7 2.5-17-7.5-14.5-14.5z" />`,
  pin: svg`<path d="M12 21s7-6.2 7-11.5A7 7 0 0 0 5 9.5C5 14.8 12 21 12 21z" /><circle cx="12" cy="9.5" r="2.5" />`,
  search: svg`<circle cx="11" cy="11" r="7" /><path d="m20 20-4-4" />`,
  star: svg`<path d="m12 3.5 2.7 5.5 6 .9-4.35 4.25 1 6L12 17.3l-5.35 2.85 1-6L3.3 9.9l6-.9z" />`,
  warning: svg`<path d="M12 4 2.5 20h19zM12 10v5M12 17.5v.5" />`,
};

export type IconName = keyof typeof PATHS;

/** Those that point along the text. */
const POINTING: readonly IconName[] = ['back', 'next', 'go'];

/** An icon of a size in pixels, which says nothing by itself to those who do not see it. */
export const icon = (name: IconName, size = 18, isFilled = false) =>
  html`<svg
    class=${POINTING.includes(name) ? 'icon pointing' : 'icon'}
    width=${size}
    height=${size}
    viewBox="0 0 24 24"
    fill=${isFilled ? 'currentColor' : 'none'}
    aria-hidden="true"
  >
    ${PATHS[name]}
  </svg>`;

/** The mean of all ratings as a figure with three bars: food, service, room. A mean of one or two says little. */
export function scoreMark(means: Means) {
  if (means.count === 0) return html`<span class="tiny soft">${words.notRated}</span>`;
  const bar = (kind: 'food' | 'service' | 'ambiance', x: number) => {
    const height = Math.min(1, means[kind] / 5) * 16;
    return svg`<rect class="track" x=${x} width="4" height="16" rx="1" /><rect class="value" x=${x} y=${16 - height} width="4" height=${height} rx="1" />`;
  };
  return html`<span class="score">
    <span aria-hidden="true">${format.score(means.overall)}</span>
    <svg class=${means.count < 3 ? 'few' : ''} width="16" height="16" aria-hidden="true">
      ${bar('food', 0)}${bar('service', 6)}${bar('ambiance', 12)}
    </svg>
    <span class="vh">${format.means(means)}</span>
  </span>`;
}

/** A long bar of a share from 0 to 1. */
export const track = (share: number) =>
  html`<svg class="long" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8" />
    <rect class="value" width=${share * 100} height="8" />
  </svg>`;

/** A name, a dotted line, and what belongs to its end. */
export const leader = (start: unknown, end: unknown) =>
  html`<div class="leader">${start}<span class="dots"></span>${end}</div>`;

/** A list: of each its name, what can be done with it, and more about it below. */
export const lines = (
  all: readonly (readonly [name: string, end: unknown, ...about: (string | null | false | undefined)[]])[],
) =>
  html`<ul class="lines">
    ${all.map(
      ([name, end, ...about]) =>
        html`<li>
          ${leader(html`<strong dir="auto">${name}</strong>`, end)}
          <p class="small soft">${format.dotted(about)}</p>
        </li>`,
    )}
  </ul>`;

/** Part of a page under a title, with what can be done at its end. */
export const section = (title: string, content: unknown, end?: unknown) =>
  html`<section aria-label=${title}>
    <h2>${title}</h2>
    ${content} ${end ? html`<p class="acts">${end}</p>` : nothing}
  </section>`;

/** @param focus its name for the focus after Back */
export const chip = (text: unknown, isOn: boolean, onClick: () => void, focus?: string) =>
  button(html`${isOn ? icon('check', 14) : nothing}${text}`, onClick, 'chip', { pressed: isOn, focus });

/** Whether a place is open; `isShort` leaves out that its hours are unknown. */
export function openingLine({ opening, time_zone: zone, status }: Restaurant, isShort = false) {
  if (status === 'closed' || status === 'temporarily_closed')
    return html`<span class="soft">${icon('close', 12)} ${words.status[status]}</span>`;
  const text = format.openingText(opening, zone);
  if (!text || (isShort && opening?.state === 'unknown')) return nothing;
  return html`<span class=${text.kind}
    >${text.kind === 'soft' ? nothing : html`<i class="dot"></i>`}${text.text}</span
  >`;
}

type ButtonOptions = Partial<
  Record<'label' | 'focus', string | undefined> & Record<'pressed' | 'expanded' | 'isOff', boolean>
>;

/** @param options `focus` is its name for the focus after Back */
export const button = (
  text: unknown,
  run: () => unknown,
  kind = 'button',
  { label, focus, pressed, expanded, isOff = false }: ButtonOptions = {},
) =>
  html`<button
    type="button"
    class=${kind}
    aria-label=${label ?? nothing}
    aria-pressed=${pressed ?? nothing}
    aria-expanded=${expanded ?? nothing}
    aria-disabled=${isOff ? 'true' : nothing}
    data-focus=${focus ?? nothing}
    @click=${() => !isOff && run()}
  >
    ${text}
  </button>`;

/** A button that shows an icon alone. */
export const iconButton = (picture: IconName, label: string, run: () => unknown, kind = '') =>
  button(icon(picture, 20), run, `button only ${kind}`, { label });

/** Rows that are being loaded. */
export const skeleton = (count = 6) =>
  html`<ul class="skeleton" aria-label=${words.loading}>
    ${Array.from({ length: count }, () => html`<li><i></i><i></i></li>`)}
  </ul>`;

/** Nothing to show: a sentence and what can be done; with a title in place of all else. */
export const empty = (sentence: unknown, actions?: unknown, title?: string) =>
  html`<div class="empty" role=${title ? 'alert' : nothing}>
    ${title && html`<h1>${title}</h1>`}
    <p>${sentence}</p>
    <div class="acts">${actions}</div>
  </div>`;

/** What a screen shows where an answer is missing, for all the ways it can be. */
export function missing(entry: Entry | undefined, onRetry: () => unknown) {
  if (entry?.state !== 'failed' || !entry.fault) return skeleton();
  const { status, requestId: id } = entry.fault;
  if (status === 404) return gone();
  const { failed } = words;
  const reason = status === 403 ? failed.forbidden : faultText(entry.fault);
  const request = id && html`<br /><small class="soft">${fill(failed.request, { id })}</small>`;
  return empty([reason, request], button(words.retry, onRetry, 'button primary'), failed.title);
}

/** What a screen shows in place of what was deleted, or never was. */
export const gone = (text = words.missing.text, title = words.missing.title, way?: unknown) =>
  empty(text, way ?? html`<a class="button" href="/">${words.tabs.explore}</a>`, title);

/** The age of what is shown while nothing can be reached, or the service is busy. */
export function age(entry: Entry | undefined) {
  if (entry?.at === undefined || (entry.state !== 'offline' && entry.state !== 'busy')) return nothing;
  const text = entry.state === 'busy' ? words.busySince : words.offlineSince;
  return html`<p class="notice warn" role="status">
    ${icon('clock', 14)} ${fill(text, { time: format.time(entry.at) })}
  </p>`;
}

/** The first letter of a name in a disc. */
export const avatar = (name: string) =>
  html`<span class="who" aria-hidden="true">${Array.from(name)[0]}</span>`;

/** What leads from the list to the map and back, on a phone. */
export const swapButton = (to: 'map' | 'list', text: string, onClick: () => void) =>
  button(html`${icon(to)}${text}`, onClick, 'button swap phone', { focus: 'swap' });

const STANDS = 10_000;
const STEP = 250;

/** The dialog that is open, with its label as its title. Escape and a press on what is around it close it. */
export function dialogPart(now: State, { label, body }: Dialog) {
  const show = (element?: Element) =>
    // It is made before it is put into the page.
    queueMicrotask(() => element instanceof HTMLDialogElement && !element.open && element.showModal());
  return html`<dialog
    aria-label=${label}
    ${ref(show)}
    @cancel=${closeDialog}
    @click=${(event: Event) => event.target === event.currentTarget && closeDialog()}
  >
    <div class="inner">
      ${iconButton('close', words.close, closeDialog, 'plain shut')}
      <h2>${label}</h2>
      ${body(now)}
    </div>
    ${toastPart(now)}
  </dialog>`;
}

let shown: Toast | undefined;

export function toastPart({ ui: { toast: current } }: State) {
  if (current && current !== shown) expire(current);
  shown = current;
  return html`<div class="toasts" role="status">
    ${
      current &&
      html`<div class=${`toast ${current.kind ?? ''}`}>
        <span>${current.text}</span>
        ${current.undo ? button(html`${current.isUndo ? words.redo : words.undo} <kbd class="desk">u</kbd>`, undoLast, '') : nothing}
        ${current.action ? button(current.action.text, current.action.run, '') : nothing}
        ${button(icon('close', 16), () => toast(undefined), '', { label: words.close })}
      </div>`
    }
  </div>`;
}

/** Takes a toast away ten seconds after it was last pointed at, had the focus, or was in a hidden tab. */
function expire(toast: Toast, left = STANDS) {
  if (state.ui.toast !== toast) return;
  const isHeld = document.hidden || document.querySelector('.toast:is(:hover, :focus-within)');
  if (left > 0) setTimeout(expire, STEP, toast, isHeld ? STANDS : left - STEP);
  else setUi({ toast: undefined });
}
