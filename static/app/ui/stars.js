import { keyName } from '../keys.js';
import { words } from '../texts.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { icon } from './parts.js';

/**
 * Stars of a rating; undefined where nothing was chosen. Drafts were filled by the first choice and not by the person.
 * @typedef {{ food?: number, service?: number, ambiance?: number, drafts: readonly string[] }} Stars
 */

export const KINDS = /** @type {const} */ (['food', 'service', 'ambiance']);

/**
 * A choice in one row; the first choice of all fills the other rows as drafts.
 * @param {Stars} stars
 * @param {typeof KINDS[number]} kind
 * @param {number} value
 * @returns {Stars}
 */
export function choose(stars, kind, value) {
  const isFirst = KINDS.every((one) => stars[one] === undefined);
  if (!isFirst) return { ...stars, [kind]: value, drafts: stars.drafts.filter((one) => one !== kind) };
  return { food: value, service: value, ambiance: value, drafts: KINDS.filter((one) => one !== kind) };
}

/**
 * Three rows of five stars, as radio buttons.
 * @param {string} scope makes the names of the radio buttons unique
 * @param {Stars} stars
 * @param {(kind: typeof KINDS[number], value: number) => void} onChoose
 */
export const starRows = (scope, stars, onChoose) => html`
  ${KINDS.map((kind) => {
    const chosen = stars[kind] ?? 0;
    const isDraft = stars.drafts.includes(kind);
    return html`<fieldset
      class=${isDraft ? 'stars draft' : 'stars'}
      data-kind=${kind}
      @keydown=${(/** @type {KeyboardEvent} */ event) => chooseByKey(event, (value) => onChoose(kind, value))}
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
              /><span class="vh">${words.stars(value)}</span
              >${icon('star', 26, value <= chosen && !isDraft)}</label
            >`,
        )}
      </div>
    </fieldset>`;
  })}
`;

/**
 * A figure chooses in the row that has the focus.
 * @param {KeyboardEvent} event
 * @param {(value: number) => void} choose
 */
function chooseByKey(event, choose) {
  const value = Number(keyName(event, false));
  if (!(value >= 1 && value <= 5)) return;
  event.stopPropagation();
  choose(value);
  const radio = /** @type {HTMLElement} */ (event.currentTarget).querySelectorAll('input')[value - 1];
  if (!radio) return;
  // Before it is drawn, so that Tab leaves this row.
  radio.checked = true;
  radio.focus();
}
