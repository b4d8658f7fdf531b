import { texts } from '../base/texts.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { State } from '../base/types.js';

const words = texts.settings;

/** @param value undefined is the default */
function choose(name: string, value: string | undefined) {
  // Where storage is switched off it holds for this page, as far as the page itself can do it.
  writeStored(name, value);
  // The script that sets the theme listens to other tabs, which get this event from the browser.
  dispatchEvent(new Event('storage'));
  setUi({});
}

export function appearancePart({ ui }: State) {
  const theme = readStored('theme') ?? 'system';
  const install = ui.install as (() => void) | undefined;
  return html`<fieldset class="box">
      <legend>${words.theme}</legend>
      ${Object.entries(words.themes).map(
        ([value, text]) =>
          html`<label class="check"
            ><input
              type="radio"
              name="theme"
              .checked=${theme === value}
              @change=${() => choose('theme', value === 'system' ? undefined : value)}
            />${text}</label
          >`,
      )}
    </fieldset>
    <div class="box">
      <label class="check"
        ><input
          type="checkbox"
          .checked=${readStored('keys') !== 'off'}
          @change=${(event: any) => choose('keys', event.target.checked ? undefined : 'off')}
        />${words.keys}</label
      >
      <p class="small soft">${words.keysText}</p>
    </div>
    ${
      install
        ? html`<p>${words.installText}</p>
            <p class="acts">
              <button type="button" class="button" @click=${install}>${words.install}</button>
            </p>`
        : nothing
    }
    ${isSecureContext ? nothing : html`<p class="soft">${words.plain}</p>`}`;
}
