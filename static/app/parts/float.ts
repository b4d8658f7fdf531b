import { texts } from '../base/texts.js';
import { closeDialog, toast, undoLast } from '../state/actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { ref } from '../vendor/lit-html/directives/ref.js';
import { button, icon, iconButton } from './parts.js';
import type { State } from '../base/types.js';

const words = texts.common;

const STANDS = 10_000;

let opener: Element | null = null;

/** The dialog that is open. Escape and a press beside it close it; the focus returns to what opened it. */
export function dialogPart(state: State) {
  const { dialog } = state.ui;
  if (!dialog) return nothing;
  return html`<dialog
    class=${dialog.shape ?? 'sheet'}
    aria-label=${dialog.label}
    ${ref(show)}
    @close=${closeDialog}
    @cancel=${(event: Event) => (event.preventDefault(), closeDialog())}
    @click=${(event: Event) => event.target === event.currentTarget && closeDialog()}
  >
    <div class="inner">
      ${iconButton('close', words.close, closeDialog, 'plain shut')} ${dialog.body(state)}
    </div>
    ${toastPart(state)}
  </dialog>`;
}

function show(element: Element | undefined) {
  if (element instanceof HTMLDialogElement) {
    opener = document.activeElement;
    // It is made before it is put into the page.
    queueMicrotask(() => element.isConnected && !element.open && element.showModal());
    return;
  }
  // It is gone from the page: the focus goes back to where it came from.
  const before = opener;
  opener = null;
  queueMicrotask(() => before instanceof HTMLElement && before.focus({ preventScroll: true }));
}

let shown: object | undefined;
let left = STANDS;
let isHeld = false;
let ticker = 0;

/** The toast, which stands ten seconds, and longer while it is pointed at, has the focus, or the tab is hidden. */
export function toastPart({ ui: { toast: current } }: State) {
  if (current !== shown) {
    [shown, left, isHeld] = [current, STANDS, false];
    clearInterval(ticker);
    if (current) ticker = setInterval(tick, 250);
  }
  const hold = ({ type }: Event) => (isHeld = type === 'pointerenter');
  return html`<div class="toasts" role="status">
    ${
      current
        ? html`<div class=${`toast ${current.kind ?? 'done'}`} @pointerenter=${hold} @pointerleave=${hold}>
            <span>${current.text}</span>
            ${current.undo ? button(html`${current.isUndo ? words.redo : words.undo} <kbd class="desk">u</kbd>`, undoLast, '') : nothing}
            ${current.action ? button(current.action.text, current.action.run, '') : nothing}
            ${button(icon('close', 16), () => toast(undefined), '', { label: words.close })}
          </div>`
        : nothing
    }
  </div>`;
}

function tick() {
  const hasFocus = Boolean(document.activeElement?.closest('.toast'));
  if (isHeld || hasFocus || document.hidden || (left -= 250) > 0) return;
  clearInterval(ticker);
  toast(undefined);
}
