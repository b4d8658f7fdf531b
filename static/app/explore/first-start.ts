import { texts } from '../base/texts.js';
import { isAdmin, mayWrite } from '../state/actions.js';
import { addSamples, revertBatch, sampleBatch } from '../state/import-actions.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { empty, icon } from '../parts/parts.js';
import type { State } from '../base/types.js';

const words = texts.import;

/** A catalogue without any place, and how to begin it. */
export function firstStart(state: State) {
  const { config, session } = state;
  if (isAdmin(state) && config?.read_only !== true) {
    return empty(
      words.empty,
      html`<a class="button primary" href="/settings/import">${words.import}</a>
        <a class="button" href="/add">${words.addFirst}</a>
        <button type="button" class="button" @click=${addSamples}>${words.samples}</button>`,
    );
  }
  if (config?.read_only || !(session.user || mayWrite(state)))
    return empty(words.empty, html`<p class="soft">${words.nobodyYet}</p>`);
  const text = mayWrite(state) ? words.addFirst : words.suggestFirst;
  return empty(words.empty, html`<a class="button primary" href="/add">${text}</a>`);
}

/** A chip that takes the sample places away again, while they are there. */
export function samplesChip(state: State) {
  const batch = isAdmin(state) ? sampleBatch() : undefined;
  if (!batch) return nothing;
  return html`<button
    type="button"
    class="chip"
    title=${words.samplesAdded}
    @click=${() => void revertBatch(batch.id)}
  >
    ${icon('close', 14)}${words.removeSamples}
  </button>`;
}
