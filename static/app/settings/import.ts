import { causeOf, faultText } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import { isAdmin, isSignedIn, mayWrite } from '../state/actions.js';
import * as format from '../base/format.js';
import * as imports from '../state/import-actions.js';
import { setUi } from '../state/store.js';
import { loaded } from '../parts/mine.js';
import { button, icon, lines, section } from '../parts/parts.js';
import { copyBox } from '../parts/secret.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { Batch, Fault, Import, ImportResult, Page, State } from '../base/types.js';

const common = texts.common;
const words = texts.import;

export function importPart(state: State) {
  const mayImport = isSignedIn(state) && state.config?.read_only !== true;
  const { import: current } = state.ui;
  return html`${
    mayImport
      ? html`<div aria-live="polite">${current ? step(state, current) : chooser(state)}</div>
          ${section(words.earlier, batches())}`
      : nothing
  }
  ${section(words.export, html`<p class="small soft">${words.exportText}</p>`, Object.entries(words.exports).map(exportLink))}`;
}

const exportLink = ([format, text]: readonly [string, string]) =>
  html`<a class="button" href=${`/api/export?format=${format}${format === 'csv' ? '&bom=true' : ''}`} download
    >${text}</a
  >`;

function chooser(state: State) {
  const take = (files: FileList | null | undefined) => files?.[0] && void imports.checkFile(files[0]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (event.type === 'drop') take(event.dataTransfer?.files);
  };
  // Of any kind: phones do not know some of them by their endings, and would not let them be chosen.
  return html`<label class="drop" @dragover=${drop} @drop=${drop}>
      <strong>${words.drop}</strong>
      <span class="small soft">${words.formats}</span>
      ${isAdmin(state) ? html`<span class="small soft">${words.formatsOfAdmins}</span>` : nothing}
      <span class="small soft">${words.before}</span>
      <input
        class="vh"
        type="file"
        @change=${({ target }: { target: HTMLInputElement }) => take(target.files)}
      />
    </label>
    <p class="small soft">
      ${words.how} <a href="https://takeout.google.com/" target="_blank" rel="noopener">${words.takeout}</a>
    </p>`;
}

function step(state: State, { file, phase, share = 0, rows, result, fault }: Import) {
  const end = (said: unknown, ...deeds: unknown[]) =>
    html`${said}
      <p class="acts">${deeds} ${button(words.another, () => setUi({ import: undefined }))}</p>
      ${result ? unknownPart(result) : nothing}`;
  if (fault) return end(faultPart(state, file, fault), againButton(file, phase, fault));
  if (result && phase === 'checking') return end(findings(state, file.name, result), goButton(file, result));
  if (result)
    return end(
      html`<p class="found">${icon('check')} ${imports.resultText(result)}</p>
        ${alikePart(state, result)}`,
      result.list
        ? html`<a class="button primary" href=${`/lists/${result.list.id}`}>${words.see}</a>`
        : html`<a class="button primary" href="/">${common.tabs.explore}</a>`,
      undoButton(result.batch_id),
    );
  const text = fill(phase === 'adding' ? words.adding : words.checking, { name: file.name });
  return html`<p>${rows ? format.dotted([text, fill(words.rows, { count: rows })]) : text}</p>
    <progress aria-label=${text} .value=${share}></progress>`;
}

function faultPart(state: State, file: File, fault: Fault) {
  const size = format.bytes(state.config?.max_body_bytes ?? 0);
  const text = fill(faultText(fault, words.faults), { size });
  const isForServer = fault.status === 413 && isAdmin(state);
  const rows = /the first ([\d,]+) rows/.exec(fault.message)?.[1]?.replaceAll(',', '');
  return html`<p class="bad lead" role="alert">
      ${icon('warning', 16)} ${text} ${rows ? fill(words.part, { count: Number(rows) }) : nothing}
    </p>
    ${
      isForServer
        ? html`<p class="small soft">${words.onServer}</p>
            ${copyBox({ name: words.command, text: `catalogue import ${quoted(file.name)}` })}`
        : nothing
    }`;
}

const againButton = (file: File, phase: Import['phase'], { status }: Fault) =>
  status === 0 || status === 409 || status >= 500
    ? button(common.retry, () => imports.importFile(file, phase), 'button primary')
    : nothing;

const undoButton = (batch: number | null) =>
  batch === null ? nothing : button(common.undo, () => imports.revertBatch(batch));

/** In quotes of a shell, which end for a quote of the name itself. */
const quoted = (name: string) => `'${name.replaceAll("'", String.raw`'\''`)}'`;

const goButton = (file: File, { created, updated }: ImportResult) =>
  created + updated === 0
    ? html`<span>${words.nothing}</span>`
    : button(
        fill(words.go, { count: created + updated }),
        () => imports.importFile(file, 'adding'),
        'button primary',
      );

/** How many of the new places look like some that were here before, which those who may write can merge. */
function alikePart(state: State, { duplicates: count = 0, batch_id: batch }: ImportResult) {
  const see = batch !== null && mayWrite(state) ? html` <a href="/duplicates">${words.compare}</a>` : nothing;
  return count === 0 ? nothing : html`<p class="lead">${fill(words.alike, { count })}${see}</p>`;
}

/** The places that the user may not add. */
function unknownPart({ unknown, unknown_total: count }: ImportResult) {
  if (count === 0) return nothing;
  const line = ({ name }: { name: string }) =>
    [
      name,
      html`<a class="button" href=${`/add?title=${encodeURIComponent(name)}`}
        >${words.suggest}<span class="vh"> ${name}</span></a
      >`,
    ] as const;
  const shown = unknown.length;
  return html`<p class="unknown">
      ${words.unknown} ${shown < count ? fill(words.first, { shown }) : nothing}
    </p>
    ${lines(unknown.map(line))}`;
}

/** The fields that a message of the API names, in the reader's language. */
export function fieldsIn(message: string) {
  const fields: Readonly<Record<string, string>> = texts.add.fields;
  const named = message
    .replaceAll(/\b(?:latitude|longitude)\b/g, 'position')
    .replaceAll(/^category(?=:)|(?<=; )category(?=:)/g, 'category_id')
    .replaceAll(/\bfood[ _]types?\b/g, 'food_type_ids')
    .split('; ')
    .flatMap((one) => fields[/^\w+/.exec(one)?.[0] ?? ''] ?? []);
  return format.listed([...new Set(named)]);
}

/** Why a line of a file cannot be imported. */
function lineFault(reason: string) {
  const other = /same restaurant as on line (\d+)/.exec(reason)?.[1];
  if (other !== undefined) return fill(words.twice, { other });
  if (reason.includes('no header')) return words.noHeader;
  if (/rest of the file|ends in the middle/.test(reason)) return words.restOfFile;
  return causeOf(reason) ?? (fieldsIn(reason) || words.faultOther);
}

function findings(state: State, name: string, result: ImportResult) {
  const { failed, ignored, list, notes_cut: cut } = result;
  const found = imports.countsText(list ? words.countsOfList : words.counts, result) || words.noPlaces;
  const faults = result.faults.map(({ line, name, reason }) =>
    fill(name === null ? words.fault : words.faultOf, { line, name: name ?? '', reason: lineFault(reason) }),
  );
  const soft = (text: string) => html`<p class="small soft lead">${text}</p>`;
  const all = html`<details class="lead">
    <summary>${words.faultsTitle}</summary>
    ${failed > faults.length ? soft(fill(words.first, { shown: faults.length })) : nothing}
    <ul class="small">
      ${faults.map((text) => html`<li>${text}</li>`)}
    </ul>
  </details>`;
  return html`<p class="small soft" dir="auto">${name}</p>
    <p class="found">${found}${faults.length === 1 ? ` (${faults[0]})` : ''}</p>
    ${faults.length > 1 ? all : nothing} ${alikePart(state, result)}
    ${ignored.length > 0 ? soft(fill(words.ignored, { columns: format.listed(ignored.map((one) => one.name)) })) : nothing}
    ${list && result.created + result.updated > 0 ? soft(fill(words.goTo, { list: list.name })) : nothing}
    ${cut > 0 ? soft(fill(words.cut, { count: cut })) : nothing}`;
}

const batches = () =>
  loaded(imports.BATCHES, ({ data }: Page<Batch>) => {
    const files = data.filter(({ reverts }) => reverts === null);
    if (files.length === 0) return html`<p class="soft">${words.none}</p>`;
    return lines(
      files.map(({ id, file, at, changes, actor, reverted_by: reverted }) => [
        file ?? words.unnamed,
        reverted === null ? undoButton(id) : html`<span class="small soft">${common.undone}</span>`,
        format.dayAndTime(at),
        fill(words.changes, { count: changes }),
        actor && fill(words.by, { name: actor.username }),
      ]),
    );
  });
