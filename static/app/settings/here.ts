import { texts } from '../base/texts.js';
import { streetsPart } from '../parts/streets.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { button } from './parts.js';
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

export function appearancePart({ ui: { install }, config }: State) {
  const theme = readStored('theme') ?? 'system';
  const setKeys = ({ target }: { target: HTMLInputElement }) =>
    choose('keys', target.checked ? undefined : 'off');
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
          @change=${setKeys}
        />${words.keys}</label
      >
      <p class="small soft">${words.keysText}</p>
    </div>
    ${streetsPart(config)}
    ${
      install
        ? html`<p class="small soft">${words.installText}</p>
            <p class="acts">${button(words.install, install)}</p>`
        : nothing
    }
    ${isSecureContext ? nothing : html`<p class="small soft">${words.plain}</p>`}`;
}

/** Leads an administrator to a map with streets. */
export function mapPart({ config }: State) {
  const { kind, attribution } = config?.tiles ?? {};
  return html`<p class="lead">${words.mapKinds[kind ?? 'none']} ${attribution ?? ''}</p>
    <p class="small soft lead">${words.mapText}</p>
    <ol class="steps">
      ${words.mapSteps.map((step) => html`<li>${step}</li>`)}
    </ol>
    <p class="small"><a href="/manual/maps">${words.mapManual}</a></p>`;
}
