import { fill, texts } from '../base/texts.js';
import { keyName } from '../base/keys.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { KINDS } from '../state/rate-actions.js';
import type { Stars } from '../state/rate-actions.js';
import { icon } from './parts.js';

const words = texts.common;

/**
 * Three rows of five stars, as radio buttons.
 * @param scope makes the names of the radio buttons unique
 */
export const starRows = (
  scope: string,
  stars: Stars,
  onChoose: (kind: (typeof KINDS)[number], value: number) => void,
) => html`
  ${KINDS.map((kind) => {
    const chosen = stars[kind] ?? 0;
    const isDraft = stars.drafts.includes(kind);
    return html`<fieldset
      class=${isDraft ? 'stars draft' : 'stars'}
      data-kind=${kind}
      @keydown=${(event: KeyboardEvent) => chooseByKey(event, (value) => onChoose(kind, value))}
    >
      <legend>${words.kinds[kind]}</legend>
      <div>
        ${[1, 2, 3, 4, 5].map(
          (value) =>
            html`<label class=${value <= chosen ? 'on' : ''}
              ><input
                class="vh"
                type="radio"
                name=${`${scope}-${kind}`}
                value=${value}
                .checked=${live(value === chosen)}
                @change=${() => onChoose(kind, value)}
              /><span class="vh">${fill(words.stars, { count: value })}</span
              >${icon('star', 26, value <= chosen && !isDraft)}</label
            >`,
        )}
      </div>
    </fieldset>`;
  })}
`;

/** A figure chooses in the row that has the focus. */
function chooseByKey(event: KeyboardEvent, choose: (value: number) => void) {
  const value = Number(keyName(event, false));
  if (!(value >= 1 && value <= 5)) return;
  event.stopPropagation();
  choose(value);
  const radio = (event.currentTarget as HTMLElement).querySelectorAll('input')[value - 1];
  if (!radio) return;
  // Before it is drawn, so that Tab leaves this row.
  radio.checked = true;
  radio.focus();
}
