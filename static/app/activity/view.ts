import { fill, texts } from '../base/texts.js';
import { act, faultText, isAdmin, isSignedIn } from '../state/actions.js';
import { invalidate } from '../state/data.js';
import {
  mayPurge,
  mayRevert,
  pageUrls,
  placeOf,
  runsOf,
  sentenceParts,
  valuesOf,
  whoOf,
  whyNot,
} from '../parts/activity-log.js';
import * as format from '../base/format.js';
import { groupBy } from '../base/group.js';
import { setQuery } from '../state/router.js';
import { setUi } from '../state/store.js';
import { askFirst } from '../parts/ask.js';
import { ofPerson } from '../parts/mine.js';
import { chip, empty, icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { repeat } from '../vendor/lit-html/directives/repeat.js';
import type { Change, State } from '../base/types.js';

const common = texts.common;
const words = texts.activity;

const isTrash = ({ route }: State) => route.query.action === 'delete';

export const title = (state: State) => (isTrash(state) ? words.trash : words.title);

export const needs = (state: State) => (isSignedIn(state) ? pageUrls(state) : []);

export function view(state: State) {
  const urls = pageUrls(state);
  const { about } = words;
  return ofPerson(state, { url: urls[0] ?? '', title: title(state), about }, () => {
    const pages = urls.flatMap((url) => (state.data[url]?.body as any) ?? []);
    const changes = pages.flatMap(({ data }) => data) as Change[];
    const hasMore = pages.length === urls.length && pages.at(-1).has_more;
    return html`
      <div class="chips filters">${filters(state)}</div>
      <div role="status">${news(state, changes)}</div>
      ${changes.length > 0 ? days(state, changes) : empty(emptyText(state))}
      ${hasMore ? html`<p class="acts more"><button type="button" class="button" @click=${() => showOlder(state)}>${words.older}</button></p>` : nothing}
    `;
  });
}

const emptyText = ({ route }: State) => {
  const { kind, actor, action } = route.query;
  if (kind || actor) return words.noMatch;
  return action === 'delete' ? words.emptyTrash : words.empty;
};

function showOlder(state: State) {
  const first = pageUrls(state)[0] ?? '';
  setUi({ pages: { ...state.ui.pages, [first]: (state.ui.pages?.[first] ?? 1) + 1 } });
}

function filters({ route }: State) {
  const { action, actor, kind = '' } = route.query;
  const toggle = (on: Record<string, string>, isOn = false) =>
    setQuery(isOn ? Object.fromEntries(Object.keys(on).map((name) => [name, undefined])) : on);
  const isMine = actor === 'me';
  const isDeleted = action === 'delete';
  return html`
    ${chip(words.mine, isMine, () => toggle({ actor: 'me' }, isMine), 'mine')}
    ${chip(words.trash, isDeleted, () => toggle({ action: 'delete' }, isDeleted), 'trash')}
    <select
      class="sort"
      aria-label=${words.kind}
      @change=${(event: any) => setQuery({ kind: event.target.value })}
    >
      ${Object.entries(words.kinds).map(([value, text]) => html`<option value=${value} ?selected=${value === kind}>${text}</option>`)}
    </select>
  `;
}

/** What came in meanwhile waits to be asked for, so that nothing moves under the reader. */
function news({ ui, route, session }: State, [newest]: readonly Change[]) {
  const { kind, action, actor } = route.query;
  const isAsked = (change: Change) =>
    change.id > (newest?.id ?? 0) &&
    (!kind || kind === change.kind) &&
    (!action || action === change.action) &&
    (!actor || (actor === 'me' ? session.user?.id : Number(actor)) === change.actor?.id);
  const count = (ui.news ?? []).filter(isAsked).length;
  if (count === 0) return nothing;
  return html`<button
    type="button"
    class="button news"
    @click=${() => invalidate((url) => url.startsWith('/changes'))}
  >
    ${icon('up', 16)}${fill(words.news, { count })}
  </button>`;
}

function days(state: State, changes: Change[]) {
  const byDay = groupBy(changes, ({ at }) => format.day(at));
  return [...byDay].map(
    ([day, ofDay]) =>
      html`<h2 class="month">${day}</h2>
        <ul class="rows">
          ${repeat(
            runsOf(ofDay),
            ([first]) => first?.id,
            (run) => (run.length > 1 ? runRow(state, run) : run.map((change) => changeRow(state, change))),
          )}
        </ul>`,
  );
}

/** @param run of one import */
function runRow(state: State, run: readonly Change[]) {
  const [first] = run;
  if (!first) return nothing;
  return html`<li class="visit change run">
    <span class="tiny soft time">${format.time(first.at)}</span>
    <p class="in">${fill(words.atOnce, { who: whoOf(state, first), count: run.length })}</p>
    <div class="undo small soft">
      ${isAdmin(state) ? html`<a href="/settings/import">${words.whole}</a>` : nothing}
    </div>
    <details>
      <summary class="small">${words.each}</summary>
      <ul class="rows">
        ${run.map((change) => changeRow(state, change))}
      </ul>
    </details>
  </li>`;
}

function changeRow(state: State, change: Change) {
  const { id, at, name, reverts } = change;
  const [before, after] = sentenceParts(state, change);
  const place = placeOf(change);
  const refusal = state.ui.refusal;
  return html`<li class="visit change" data-change=${id}>
    <span class="tiny soft time">${format.time(at)}</span>
    <div class="in">
      <p>
        ${reverts === null ? nothing : words.reverts}${before}${place ? html`<a class="thing" href=${place} data-focus=${`change-${id}`}>${name}</a>` : html`<b class="thing">${name}</b>`}${after}
      </p>
      ${valuesOf(change).map((text) => html`<p class="small soft">${text}</p>`)}
      ${refusal?.id === id ? html`<p class="small bad" role="alert">${icon('warning', 14)} ${refusal.text}</p>` : nothing}
    </div>
    <div class="undo small soft">${undoPart(state, change, `${before}${name}${after}`)}</div>
  </li>`;
}

function undoPart(state: State, change: Change, sentence: string) {
  const { action, reverted_by: by, kept_until: until, fields } = change;
  const isDeleted = action === 'delete';
  if (by !== null) return words.reverted;
  if (change.purged) return purgedText(state, change.purged);
  if (action === 'update' && fields.length === 0) return nothing;
  const left = Math.ceil((new Date(until ?? 0).getTime() - Date.now()) / 86_400_000);
  if (isDeleted && left <= 0) return words.gone;
  return html`
    ${isDeleted ? html`<span>${fill(words.daysLeft, { count: left })}</span>` : nothing}
    ${
      mayRevert(state, change)
        ? html`<button
            type="button"
            class="link"
            aria-label=${fill(isDeleted ? words.restoreOf : words.revertOf, { sentence })}
            @click=${() => takeBack(change)}
          >
            ${isDeleted ? words.restore : words.revert}
          </button>`
        : nothing
    }
    ${isTrash(state) && mayPurge(state, change) ? purgePart(change) : nothing}
  `;
}

function purgedText({ session }: State, { at, by }: NonNullable<Change['purged']>) {
  const day = format.day(at);
  if (!by) return fill(words.purgedOn, { day });
  return fill(words.purgedBy, { who: by.id === session.user?.id ? words.byYou : by.username, day });
}

/** @param change a deletion */
function purgePart(change: Change) {
  const { id, name, before, kind } = change;
  const purge = async () => {
    const path = `/changes/${id}/purge`;
    setUi({ refusal: undefined });
    const said = fill(words.purged, { name });
    const outcome = await act({
      method: 'POST',
      path,
      said,
      noUndo: true,
      quiet: true,
    });
    if (outcome.ok) return;
    const { fault } = outcome;
    setUi({
      refusal: {
        id,
        text: fault.status === 403 ? words.ofOthers : fill(common.notSaved, { reason: faultText(fault) }),
      },
    });
  };
  const { ratings = [], photos = [], ratings_total: all = ratings.length } = before ?? {};
  const text =
    kind === 'restaurant' && before
      ? fill(words.alongWith, {
          ratings: fill(words.ratings, { count: all }),
          photos: fill(words.photos, { count: before['photos_total'] ?? photos.length }),
        })
      : common.forGood;
  const ask = () => askFirst({ title: fill(words.askPurge, { name }), text, yes: words.purge, run: purge });
  return html`<button type="button" class="link" aria-label=${fill(words.purgeOf, { name })} @click=${ask}>
    ${words.purge}
  </button>`;
}

async function takeBack(change: Change) {
  const { id, name, action } = change;
  setUi({ refusal: undefined });
  const outcome = await act({
    method: 'POST',
    path: `/changes/${id}/revert`,
    said: action === 'delete' ? fill(words.restored, { name }) : words.done,
    quiet: true,
  });
  if (!outcome.ok) setUi({ refusal: { id, text: whyNot(change, outcome.fault) } });
}

// Nothing brings the log up to date while it is not looked at.
export const enter = () => invalidate((url) => url.startsWith('/changes'));

export const leave = () => setUi({ refusal: undefined });
