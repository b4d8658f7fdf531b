import { faultText } from '../base/api.js';
import * as says from '../base/import-words.js';
import { type Text, fill, texts } from '../base/texts.js';
import { isAdmin, isSignedIn, mayWrite } from '../state/actions.js';
import * as format from '../base/format.js';
import * as imports from '../state/import-actions.js';
import { answer, setUi } from '../state/store.js';
import { field } from '../parts/form.js';
import { listName, loaded } from '../parts/mine.js';
import { button, icon, lines, section } from '../parts/parts.js';
import { copyBox } from '../parts/secret.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import type { Batch, Fault, Import, ImportAnswers, ImportResult, List, Page, State } from '../base/types.js';

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

function step(state: State, current: Import) {
  const { file, phase, isBusy, share = 0, rows, result, fault } = current;
  const text = fill(phase === 'adding' ? words.adding : words.checking, { name: file.name });
  const progress = html`<p>${rows ? format.dotted([text, fill(words.rows, { count: rows })]) : text}</p>
    <progress aria-label=${text} .value=${share}></progress>`;
  const end = (said: unknown, ...deeds: unknown[]) =>
    html`${said}
      <p class="acts">${deeds} ${button(words.another, () => setUi({ import: undefined }))}</p>
      ${isBusy ? progress : nothing} ${result ? unknownPart(result) : nothing}`;
  if (fault)
    return end(html`${faultPart(state, file, fault)} ${questions(current)}`, againButton(phase, fault));
  if (result && phase === 'checking') return end(findings(state, current, result), goButton(current, result));
  if (result)
    return end(
      html`<p class="found">${icon('check')} ${imports.resultText(result)}</p>
        ${alikePart(state, result)}`,
      result.list
        ? html`<a class="button primary" href=${`/lists/${result.list.id}`}>${words.see}</a>`
        : html`<a class="button primary" href="/">${common.tabs.explore}</a>`,
      undoButton(result.batch_id),
    );
  return progress;
}

function faultPart(state: State, file: File, fault: Fault) {
  const size = format.bytes(state.config?.max_body_bytes ?? 0);
  const text = says.refusalText(fault.code, fault.message) ?? fill(faultText(fault, words.faults), { size });
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

const againButton = (phase: Import['phase'], { status }: Fault) =>
  status === 0 || status === 409 || status >= 500
    ? button(common.retry, () => imports.send(phase), 'button primary')
    : nothing;

const undoButton = (batch: number | null) =>
  batch === null ? nothing : button(common.undo, () => imports.revertBatch(batch));

/** In quotes of a shell, which end for a quote of the name itself. */
const quoted = (name: string) => `'${name.replaceAll("'", String.raw`'\''`)}'`;

function goButton({ answers }: Import, { created, updated, needs }: ImportResult) {
  const count = created + updated;
  if (count === 0) return html`<span>${words.nothing}</span>`;
  const isOff = needs.some((name) => answers[name] === undefined);
  return button(fill(words.go, { count }), () => imports.send('adding'), 'button primary', { isOff });
}

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

/** What only the person knows, or may want otherwise than the file: its encoding, the order of coordinates, and the list. */
function questions({ answers, asked, result }: Import) {
  type Choices = readonly (readonly [value: string, ...shown: unknown[]])[];
  const radios = (name: keyof ImportAnswers, title: string, choices: Choices) =>
    html`<fieldset class="lead">
      <legend>${title}</legend>
      ${choices.map(([value, ...shown]) => {
        const choose = () => imports.send('checking', { [name]: value });
        const isOn = live(value === answers[name]);
        return html`<label class="check"
          ><input type="radio" name=${name} .checked=${isOn} @change=${choose} />${shown}</label
        >`;
      })}
    </fieldset>`;
  const encodings = asked?.encoding?.choices.map(({ encoding, examples }) => {
    const shown = html`<span>${format.dotted(examples)}</span>`;
    return [encoding, shown, html`<span class="tiny soft">${encoding}</span>`] as const;
  });
  const { swapped } = result ?? {};
  return html`${encodings ? radios('encoding', words.encoding, encodings) : nothing}
  ${swapped ? radios('swap_coordinates', fill(words.swapped, { ...swapped }), Object.entries(words.swap)) : nothing}
  ${asked?.lists.length ? listPart(answers.list, asked.lists) : nothing}`;
}

/** The list that the places go on: as the file has it, or another one of the person. */
function listPart(chosen: string | undefined, ofFile: ImportResult['lists']) {
  const lists = answer<readonly List[]>('/lists') ?? [];
  const names = new Map(lists.map((one) => [one.id, listName(one)]));
  const title = format.listed(ofFile.map(({ id, name }) => names.get(id ?? 0) ?? name));
  const others = lists.filter(
    ({ id, role }) => role === 'owner' && (ofFile.length > 1 || ofFile[0]?.id !== id),
  );
  const choices = [['', title] as const, ...others.map((one) => [String(one.id), listName(one)] as const)];
  const onInput = (list: string) => imports.send('checking', { list: list || undefined });
  return html`${field({ name: 'list', label: words.list, required: true, value: chosen ?? '', choices, onInput })}
    <p class="small soft lead">${words.private}</p>`;
}

// The first names, where there is no room for all of them.
const FIRST = 5;

function findings(state: State, current: Import, result: ImportResult) {
  const { failed, ignored, taken, files, list } = result;
  const found = imports.countsText(list ? words.countsOfList : words.counts, result) || words.noPlaces;
  const faults = result.faults.map(says.faultLine);
  const soft = (text: Text, count: number) =>
    count > 0 ? html`<p class="small soft lead">${fill(text, { count })}</p>` : nothing;
  const folded = (title: string, all: readonly (string | undefined)[], first: unknown = nothing) =>
    all.length === 0
      ? nothing
      : html`<details class="lead">
          <summary>${title}</summary>
          ${first}
          <ul class="small">
            ${all.map((text) => html`<li>${text}</li>`)}
          </ul>
        </details>`;
  const noted = (text: Text, notes: ImportResult['left_out']) => {
    const count = notes.reduce((sum, one) => sum + one.count, 0);
    return folded(fill(text, { count }), notes.map(says.noteLine));
  };
  const columns = (all: readonly { name: string }[]) =>
    format.listed(all.slice(0, FIRST).map(({ name }) => name));
  const isPart = failed > faults.length;
  const first = isPart
    ? html`<p class="small soft">${fill(words.first, { shown: faults.length })}</p>`
    : nothing;
  return html`<p class="small soft">${format.dotted([current.file.name, says.kindText(result.read_as)])}</p>
    <p class="found">${found}${faults.length === 1 ? ` (${faults[0]})` : ''}</p>
    ${faults.length > 1 ? folded(words.faultsTitle, faults, first) : nothing} ${alikePart(state, result)}
    ${soft(words.notPlaces, result.not_places)} ${soft(words.cut, result.notes_cut)}
    ${[result, ...files].some((one) => one.read_as === 'reviews') ? html`<p class="small soft lead">${words.reviews}</p>` : nothing}
    ${questions(current)} ${noted(words.leftOut, result.left_out)} ${noted(words.guessed, result.guessed)}
    ${folded(fill(words.ignored, { columns: columns(ignored) }), ignored.map(says.ignoredLine))}
    ${folded(fill(words.taken, { columns: columns(taken) }), taken.map(says.takenLine(list !== null)))}
    ${folded(words.files, files.map(says.fileLine))}`;
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
