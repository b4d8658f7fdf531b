import { faultText, isAdmin } from '../actions.js';
import { load } from '../data.js';
import * as format from '../format.js';
import { BATCHES, addFile, checkFile, forgetFile, revertBatch } from '../import-actions.js';
import { words as common } from '../texts.js';
import { words } from '../texts/import.js';
import { icon, missing, track } from '../ui/parts.js';
import { copyBox, line } from '../ui/settings-parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';

/** @import { Batch, ImportResult, Page, State } from '../types.js' */
/** @import { Import } from '../import-actions.js' */

export const title = () => words.title;

/** @param {State} state */
export const needs = (state) => (isAdmin(state) ? [BATCHES] : []);

/** @param {State} state */
export function view(state) {
  if (!isAdmin(state))
    return html`<h1 class="rule">${words.title}</h1>
      <p>${common.failed.forbidden}</p>`;
  const current = /** @type {Import | undefined} */ (state.ui['import']);
  return html`<div class="import">
    <a class="small" href="/settings">${icon('back', 14)} ${common.tabs.settings}</a>
    <h1 class="rule">${words.title}</h1>
    <div aria-live="polite">${current ? step(state, current) : chooser()}</div>
    <section>
      <h2>${words.earlier}</h2>
      ${batches(state)}
    </section>
  </div>`;
}

function chooser() {
  const take = (/** @type {FileList | null | undefined} */ files) => files?.[0] && void checkFile(files[0]);
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    if (event.type === 'drop') take(event.dataTransfer?.files);
  };
  return html`<label class="drop" @dragover=${drop} @drop=${drop}>
    <strong>${words.drop}</strong>
    <span class="small soft">${words.formats} ${words.before}</span>
    <input
      class="vh"
      type="file"
      accept=".csv,.tsv,.json,.geojson,.ndjson,.jsonl"
      @change=${(/** @type {any} */ event) => take(event.target.files)}
    />
  </label>`;
}

/**
 * @param {State} state
 * @param {Import} current
 */
function step({ config }, { file, phase, share = 0, rows, result, fault }) {
  const another = html`<button type="button" class="button" @click=${forgetFile}>${words.another}</button>`;
  if (fault?.status === 413) {
    return html`<p>${words.tooLarge(format.bytes(config?.max_body_bytes ?? 0))}</p>
      ${copyBox(words.command, `catalogue import ${quoted(file.name)}`)}
      <p class="acts">${another}</p>`;
  }
  if (fault) {
    return html`<p class="bad" role="alert">${icon('warning', 16)} ${faultText(fault)}</p>
      <p class="acts">${another}</p>`;
  }
  if (!result) {
    const text = (phase === 'adding' ? words.adding : words.checking)(file.name);
    return html`<p>${text}${rows ? `, ${words.rows(rows)}` : ''}</p>
      <div
        role="progressbar"
        aria-label=${text}
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${Math.round(share * 100)}
      >
        ${track(share)}
      </div>`;
  }
  return html`${phase === 'done' ? html`<p class="found">${icon('check')} ${words.done(result)}</p>` : findings(file.name, result)}
    <p class="acts">
      ${phase === 'done' ? html`<a class="button primary" href="/">${common.tabs.explore}</a>` : addButton(result)}
      ${another}
    </p>`;
}

/** In quotes of a shell, which end for a quote of the name itself. @param {string} name */
const quoted = (name) => `'${name.replaceAll("'", String.raw`'\''`)}'`;

/** @param {ImportResult} result */
const addButton = ({ created, updated }) =>
  created + updated === 0
    ? html`<span>${words.nothingNew}</span>`
    : html`<button type="button" class="button primary" @click=${addFile}>
        ${words.go(created, updated)}
      </button>`;

/**
 * @param {string} name
 * @param {ImportResult} result
 */
function findings(name, result) {
  const faults = result.faults.map((one) => words.fault(one.line, one.reason, one.name));
  const [first] = faults;
  return html`<p class="small soft">${name}</p>
    <p class="found">${words.found(result)}${faults.length === 1 ? ` (${first})` : ''}</p>
    ${
      faults.length > 1
        ? html`<details>
            <summary>${words.faultsTitle}</summary>
            ${result.failed > faults.length ? html`<p class="small soft">${words.firstFaults(faults.length)}</p>` : nothing}
            <ul class="small">
              ${faults.map((text) => html`<li>${text}</li>`)}
            </ul>
          </details>`
        : nothing
    }
    ${result.ignored.length > 0 ? html`<p class="small soft lead">${words.ignored(result.ignored.join(', '))}</p>` : nothing}`;
}

/** @param {State} state */
function batches({ data }) {
  const page = /** @type {Page<Batch> | undefined} */ (data[BATCHES]?.body);
  if (!page) return missing(data[BATCHES], () => load(BATCHES));
  const imports = page.data.filter(({ reverts }) => reverts === null);
  if (imports.length === 0) return html`<p class="soft">${words.none}</p>`;
  return html`<ul class="lines">
    ${imports.map(({ id, file, at, changes, actor, reverted_by: reverted }) =>
      line(
        file ?? words.unnamed,
        reverted === null
          ? html`<button type="button" class="button" @click=${() => void revertBatch(id)}>
              ${words.takeBack}
            </button>`
          : html`<span class="small soft">${words.takenBack}</span>`,
        [`${format.day(at)}, ${format.time(at)}`, words.changes(changes), actor && words.by(actor.username)],
      ),
    )}
  </ul>`;
}
