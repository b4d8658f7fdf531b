import * as format from '../base/format.js';
import { texts } from '../base/texts.js';
import { isSignedIn } from '../state/actions.js';
import { refreshOld } from '../state/data.js';
import { queryHref } from '../state/router.js';
import { ofPerson } from '../parts/mine.js';
import { empty, icon } from '../parts/parts.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { nameOf, stateText } from './words.js';
import type { Outing, Page, State } from '../base/types.js';

const words = texts.outing;

export const title = () => words.all;

const pageUrl = ({ route: { query } }: State) =>
  `/outings?limit=50${query.cursor ? `&cursor=${encodeURIComponent(query.cursor)}` : ''}`;

export const needs = (state: State) => (isSignedIn(state) ? [pageUrl(state)] : []);

/** Others vote, too. */
export const enter = () => refreshOld(/^\/outings/, 0);

export function view(state: State) {
  const actions = html`<a class="button" href="/settings/feeds">${words.feed}</a>
    <a class="button primary" href="/outings/new">${icon('add', 16)}${words.new}</a>`;
  const screen = { url: pageUrl(state), title: words.all, about: words.about, actions };
  const older = (cursor: string) =>
    html`<p class="acts more"><a class="button" href=${queryHref({ cursor })}>${words.older}</a></p>`;
  return ofPerson(state, screen, ({ data, next_cursor: next }: Page<Outing>) =>
    data.length === 0
      ? empty(words.none)
      : html`<ul class="rows">
            ${data.map(row)}
          </ul>
          ${next === null ? nothing : older(next)}`,
  );
}

const row = (outing: Outing) =>
  html`<li class="row">
    <div class="in">
      <a class="name" href=${outing.url} data-focus=${`outing-${outing.id}`} dir="auto">${nameOf(outing)}</a>
      <p class="small soft">${format.moment(outing.at)} · ${stateText(outing)}</p>
    </div>
  </li>`;
