import { fill, texts } from '../base/texts.js';
import { faultText, isAdmin } from '../state/actions.js';
import { load } from '../state/data.js';
import { answer } from '../state/store.js';
import * as format from '../base/format.js';
import {
  BATCHES,
  addFile,
  checkFile,
  forgetFile,
  revertBatch,
  countsText,
  resultText,
} from '../state/import-actions.js';
import { icon, missing } from '../parts/parts.js';
import { button, copyBox, line, section } from './parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Batch, Import, ImportResult, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.import;

export const title = () => words.title;

export const needs = (state: State) => (isAdmin(state) ? [BATCHES] : []);

export function view(state: State) {
  if (!isAdmin(state))
    return html`<h1 class="rule">${words.title}</h1>
      <p>${common.failed.forbidden}</p>`;
  const current = state.ui.import;
  return html`<div class="import">
    <a class="small" href="/settings">${icon('back', 14)} ${common.tabs.settings}</a>
    <h1 class="rule">${words.title}</h1>
    <div aria-live="polite">${current ? step(state, current) : chooser()}</div>
    ${section(words.earlier, batches(state))}
  </div>`;
}

function chooser() {
  const take = (files: FileList | null | undefined) => files?.[0] && void checkFile(files[0]);
  const drop = (event: DragEvent) => {
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
      @change=${({ target }: { target: HTMLInputElement }) => take(target.files)}
    />
  </label>`;
}

function step({ config }: State, { file, phase, share = 0, rows, result, fault }: Import) {
  const another = button(words.another, forgetFile);
  const size = format.bytes(config?.max_body_bytes ?? 0);
  if (fault)
    return html`${
        fault.status === 413
          ? html`<p>${fill(words.tooLarge, { size })}</p>
              ${copyBox(words.command, `catalogue import ${quoted(file.name)}`)}`
          : html`<p class="bad" role="alert">${icon('warning', 16)} ${faultText(fault)}</p>`
      }
      <p class="acts">${another}</p>`;
  if (!result) {
    const text = fill(phase === 'adding' ? words.adding : words.checking, { name: file.name });
    return html`<p>${text}${rows ? `, ${fill(words.rows, { count: rows })}` : ''}</p>
      <progress aria-label=${text} .value=${share}></progress>`;
  }
  const { batch_id: batch } = result;
  return html`${phase === 'done' ? html`<p class="found">${icon('check')} ${resultText(result)}</p>` : findings(file.name, result)}
    <p class="acts">
      ${phase === 'done' ? html`<a class="button primary" href="/">${common.tabs.explore}</a>` : addButton(result)}
      ${phase === 'done' && batch !== null ? button(common.undo, () => revertBatch(batch)) : nothing}
      ${another}
    </p>`;
}

const foundText = (result: ImportResult) => countsText(words.counts, result) || words.noPlaces;

/** In quotes of a shell, which end for a quote of the name itself. */
const quoted = (name: string) => `'${name.replaceAll("'", String.raw`'\''`)}'`;

const addButton = ({ created, updated }: ImportResult) =>
  created + updated === 0
    ? html`<span>${words.nothingNew}</span>`
    : button(
        fill(words.go[updated === 0 ? 'create' : created === 0 ? 'update' : 'both'], { created, updated }),
        addFile,
        'button primary',
      );

function findings(name: string, result: ImportResult) {
  const faults = result.faults.map((one) =>
    fill(one.name === null ? words.fault : words.faultOf, { ...one, name: one.name ?? '' }),
  );
  const [first] = faults;
  return html`<p class="small soft">${name}</p>
    <p class="found">${foundText(result)}${faults.length === 1 ? ` (${first})` : ''}</p>
    ${
      faults.length > 1
        ? html`<details>
            <summary>${words.faultsTitle}</summary>
            ${result.failed > faults.length ? html`<p class="small soft">${fill(words.firstFaults, { shown: faults.length })}</p>` : nothing}
            <ul class="small">
              ${faults.map((text) => html`<li>${text}</li>`)}
            </ul>
          </details>`
        : nothing
    }
    ${result.ignored.length > 0 ? html`<p class="small soft lead">${fill(words.ignored, { columns: result.ignored.join(', ') })}</p>` : nothing}`;
}

function batches({ data }: State) {
  const page = answer<Page<Batch>>(BATCHES);
  if (!page) return missing(data[BATCHES], () => load(BATCHES));
  const imports = page.data.filter(({ reverts }) => reverts === null);
  if (imports.length === 0) return html`<p class="soft">${words.none}</p>`;
  return html`<ul class="lines">
    ${imports.map(({ id, file, at, changes, actor, reverted_by: reverted }) =>
      line(
        file ?? words.unnamed,
        reverted === null
          ? button(common.undo, () => revertBatch(id))
          : html`<span class="small soft">${common.undone}</span>`,
        [
          `${format.day(at)}, ${format.time(at)}`,
          fill(words.changes, { count: changes }),
          actor && fill(words.by, { name: actor.username }),
        ],
      ),
    )}
  </ul>`;
}
