import { fill, texts } from '../base/texts.js';
import { faultText } from '../state/actions.js';
import * as format from '../base/format.js';
import * as imports from '../state/import-actions.js';
import { setUi } from '../state/store.js';
import { loaded } from '../parts/mine.js';
import { button, icon, lines, section } from '../parts/parts.js';
import { copyBox } from './account.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Batch, Import, ImportResult, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.import;

export const importPart = ({ config, ui }: State) =>
  html`<div aria-live="polite">${ui.import ? step(config, ui.import) : chooser()}</div>
    ${section(words.earlier, batches())}`;

function chooser() {
  const take = (files: FileList | null | undefined) => files?.[0] && void imports.checkFile(files[0]);
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

function step(config: State['config'], { file, phase, share = 0, rows, result, fault }: Import) {
  const end = (said: unknown, ...deeds: unknown[]) =>
    html`${said}
      <p class="acts">${deeds} ${button(words.another, () => setUi({ import: undefined }))}</p>`;
  const size = format.bytes(config?.max_body_bytes ?? 0);
  if (fault?.status === 413)
    return end(
      html`<p>${fill(words.tooLarge, { size })}</p>
        ${copyBox(words.command, `catalogue import ${quoted(file.name)}`)}`,
    );
  if (fault) return end(html`<p class="bad" role="alert">${icon('warning', 16)} ${faultText(fault)}</p>`);
  if (result && phase === 'checking') return end(findings(file.name, result), addButton(file, result));
  if (result)
    return end(
      html`<p class="found">${icon('check')} ${imports.resultText(result)}</p>`,
      html`<a class="button primary" href="/">${common.tabs.explore}</a>`,
      undoButton(result.batch_id),
    );
  const text = fill(phase === 'adding' ? words.adding : words.checking, { name: file.name });
  return html`<p>${text}${rows ? `, ${fill(words.rows, { count: rows })}` : ''}</p>
    <progress aria-label=${text} .value=${share}></progress>`;
}

const undoButton = (batch: number | null) =>
  batch === null ? nothing : button(common.undo, () => imports.revertBatch(batch));

/** In quotes of a shell, which end for a quote of the name itself. */
const quoted = (name: string) => `'${name.replaceAll("'", String.raw`'\''`)}'`;

const addButton = (file: File, { created, updated }: ImportResult) =>
  created + updated === 0
    ? html`<span>${words.nothingNew}</span>`
    : button(
        fill(words.go[updated === 0 ? 'create' : created === 0 ? 'update' : 'both'], { created, updated }),
        () => imports.importFile(file, 'adding'),
        'button primary',
      );

function findings(name: string, result: ImportResult) {
  const { failed, ignored } = result;
  const found = imports.countsText(words.counts, result) || words.noPlaces;
  const faults = result.faults.map((one) =>
    fill(one.name === null ? words.fault : words.faultOf, { ...one, name: one.name ?? '' }),
  );
  const soft = (text: string) => html`<p class="small soft lead">${text}</p>`;
  const list = html`<details class="lead">
    <summary>${words.faultsTitle}</summary>
    ${failed > faults.length ? soft(fill(words.firstFaults, { shown: faults.length })) : nothing}
    <ul class="small">
      ${faults.map((text) => html`<li>${text}</li>`)}
    </ul>
  </details>`;
  return html`<p class="small soft">${name}</p>
    <p class="found">${found}${faults.length === 1 ? ` (${faults[0]})` : ''}</p>
    ${faults.length > 1 ? list : nothing}
    ${ignored.length > 0 ? soft(fill(words.ignored, { columns: ignored.join(', ') })) : nothing}`;
}

const batches = () =>
  loaded(imports.BATCHES, ({ data }: Page<Batch>) => {
    const files = data.filter(({ reverts }) => reverts === null);
    if (files.length === 0) return html`<p class="soft">${words.none}</p>`;
    return lines(
      files.map(({ id, file, at, changes, actor, reverted_by: reverted }) => [
        file ?? words.unnamed,
        reverted === null ? undoButton(id) : html`<span class="small soft">${common.undone}</span>`,
        `${format.day(at)}, ${format.time(at)}`,
        fill(words.changes, { count: changes }),
        actor && fill(words.by, { name: actor.username }),
      ]),
    );
  });
