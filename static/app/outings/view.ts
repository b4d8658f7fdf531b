import * as format from '../base/format.js';
import { metresBetween } from '../base/geo.js';
import { faultText } from '../base/api.js';
import { fill, texts } from '../base/texts.js';
import { act, hasPosition, isSignedIn, locate, toast } from '../state/actions.js';
import { guestKey, invalidate, refreshOld, take } from '../state/data.js';
import { answer, readStored, setUi, state as current, update, writeStored } from '../state/store.js';
import { field, sends, submit } from '../parts/form.js';
import { askFirst, focusOn, loaded } from '../parts/mine.js';
import { age, button, gone, icon, section } from '../parts/parts.js';
import { goControl } from '../parts/place-bar.js';
import { copyBox, passOn } from '../parts/secret.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { localTime, nameOf, stateText, winnerOf } from './words.js';
import type { Sent } from '../parts/form.js';
import type { Write } from '../state/actions.js';
import type { Ballot, Fault, Option, Outing, Page, SharedOuting, State, Visit } from '../base/types.js';

const common = texts.common;
const words = texts.outing;

const POLL = 10_000;
/** As many as a visit has room for. */
const MOST_COMPANIONS = 20;
/** Under which a guest voted last. */
const NAME = 'guest name';
const OPTIONS = 'options';
const KINDS = ['yes', 'ok', 'no', 'veto'] as const;
type Kind = (typeof KINDS)[number];

const urlOf = ({ route: { params } }: State) => `/shared/${params.token}`;
const outingOf = (state: State) => answer<SharedOuting>(urlOf(state))?.outing;
const isOver = (state: State) => state.data[urlOf(state)]?.fault?.status === 404;
const again = (url: string) => invalidate((one) => one === url);

/** Where there are no accounts, everyone votes under a name. */
const isGuest = ({ session, config }: State) => session.user === null || config?.auth_mode === 'none';
const ownName = (state: State) => (isGuest(state) ? readStored(NAME)?.trim() : state.session.user?.username);

/** Whether the reader made it, as everyone did where there are no accounts. */
const isOwn = ({ session: { user }, config }: State, { created_by: creator }: Outing) =>
  config?.auth_mode === 'none' || (creator !== null && creator.id === user?.id);

export const needs = (state: State) => [urlOf(state), ...(mayAsk(state) ? [visitsUrl(state)] : [])];

export function title(state: State) {
  const outing = outingOf(state);
  return isOver(state) ? texts.sharedLink.ended : outing ? nameOf(outing) : words.title;
}

let timer: ReturnType<typeof setInterval> | undefined;

/**
 * The document does not know whose ballot it is: who may have voted gets the page with the own votes, so that a press does
 * not replace them. While the vote is open, others vote, too.
 */
export function enter(state: State) {
  const url = urlOf(state);
  if (state.session.user !== null || readStored(guestKey(url)) !== undefined)
    update(({ data }) => Reflect.deleteProperty(data, url));
  timer = setInterval(() => {
    if (document.hidden || outingOf(current)?.state !== 'open') return;
    if (current.ui.ballot?.url === url && !nameForm()) void send();
    else refreshOld(/^\/shared/, 0);
  }, POLL);
}

export const leave = () => clearInterval(timer);

export function view(state: State) {
  const url = urlOf(state);
  if (isOver(state)) return html`${gone(texts.sharedLink.endedText, texts.sharedLink.ended)}`;
  return html`${age(state.data[url])} ${loaded(url, ({ outing }: SharedOuting) => content(state, outing))}`;
}

function content(state: State, outing: Outing) {
  const { at, options, state: phase } = outing;
  const isOpen = phase === 'open';
  const { coming } = ballotOf(state, outing);
  const come = () => vote(state, outing, { coming: !coming });
  const find = () => locate((me) => setUi({ me }));
  return html`<article class="outing">
    <div class="head rule">
      <h1 dir="auto">${nameOf(outing)}</h1>
      <p>${icon('calendar', 16)} ${format.moment(at)}</p>
    </div>
    ${phase === 'decided' ? decided(outing) : html`<p class=${isOpen ? 'small soft' : 'notice warn'}>${icon('clock', 14)} ${stateText(outing)} ${isOpen ? html`· ${format.moment(outing.closes_at)}` : nothing}</p>`}
    ${isOwn(state, outing) ? message(outing) : nothing} ${thereQuestion(state, outing)}
    ${isOpen ? nameField(state) : nothing}
    <ul class="options" tabindex="-1" data-focus=${OPTIONS}>
      ${options.filter((option) => option !== winnerOf(outing)).map((option) => card(state, outing, option))}
    </ul>
    ${
      isOpen
        ? html`<p class="acts">
            ${button(coming ? words.cannotCome : words.canCome, come)}
            ${hasPosition && !state.ui.me ? button(html`${icon('here', 16)}${words.howFar}`, find) : nothing}
          </p>`
        : nothing
    }
    ${people(state, outing)} ${isOwn(state, outing) ? nothing : message(outing)} ${ending(state, outing)}
  </article>`;
}

/** What the reader chose, stored or not. */
function ballotOf(state: State, outing: Outing): Ballot {
  const { ballot } = state.ui;
  return ballot?.url === urlOf(state) ? ballot : (outing.ballot ?? { coming: true, choices: {}, veto: null });
}

/** Asks a guest for the name. */
function nameField(state: State) {
  const url = urlOf(state);
  if (!isGuest(state) || readStored(guestKey(url)) !== undefined) return nothing;
  const onInput = (name: string) => writeStored(NAME, name);
  const value = readStored(NAME) ?? '';
  const about = { label: words.name, hint: words.nameHint, autocomplete: 'nickname', max: 50 };
  const run = async () => {
    const sent = await send();
    // The field goes with the first vote.
    if (sent.ok) focusOn(OPTIONS);
    return sent;
  };
  return html`<form class="voter" novalidate @submit=${sends(run)}>
    ${field({ name: 'name', required: true, value, onInput, ...about })}
    ${state.ui.ballot?.url === url ? html`<button class="button primary">${words.vote}</button>` : nothing}
  </form>`;
}

function card(state: State, outing: Outing, option: Option) {
  const { id, name, out } = option;
  const { coming, choices, veto } = ballotOf(state, outing);
  const press = (kind: Kind) => {
    const isOn = (kind === 'veto' ? veto : choices[id]) === (kind === 'veto' ? id : kind);
    const changes =
      kind === 'veto'
        ? { veto: isOn ? null : id }
        : { choices: { ...choices, [id]: isOn ? undefined : kind } };
    return button(words.choices[kind], () => vote(state, outing, changes), `button ${kind}`, {
      pressed: isOn,
    });
  };
  return html`<li class=${out ? 'box option out' : 'box option'}>
    ${about(state, option)}
    ${
      outing.state === 'open' && coming && !out
        ? html`<div class="votes" role="group" aria-label=${name}>${KINDS.map(press)}</div>`
        : html`<p class="small soft votes">${sumsText(option)}</p>`
    }
  </li>`;
}

const sumsText = (option: Option) =>
  format.dotted(KINDS.flatMap((kind) => (option[kind] ? `${words.choices[kind]} ${option[kind]}` : [])));

/** What is known of an option, as everyone may know it. */
function about({ ui: { me } }: State, { id, name, restaurant: place, reasons, out }: Option) {
  if (!place)
    return html`<p class="what">
      <b class="name" dir="auto">${name}</b> <span class="small warn">${common.missing.title}</span>
    </p>`;
  const { latitude: lat, longitude: lng, cover, time_zone: zone } = place;
  const away = me && lat !== null && lng !== null ? format.distance(metresBetween(me, { lat, lng })) : '';
  const reason = (one: Option['reasons'][number]) => {
    if (one.kind === 'list') return fill(words.onList, { name: one.name });
    if (one.kind === 'rated') return fill(words.rated, { ...one, overall: format.score(one.overall) });
    if (one.kind === 'hours_unknown') return common.opening.unknown;
    if (one.until === null) return words.openThen;
    return format.atTime(common.opening.until, format.clockTime(one.until, zone));
  };
  return html`${cover ? html`<img class="thumb" src=${cover.thumbnail_url} alt="" />` : nothing}
    <div class="what">
      <a class="name" href=${`/restaurants/${id}`} data-focus=${`option-${id}`} dir="auto">${name}</a>
      <p class="small">
        ${out ? html`<span class="warn">${words.closedThen}</span>` : format.dotted(reasons.map(reason))}
      </p>
      <p class="small soft">${format.dotted([away, format.kindLine(place)])}</p>
    </div>`;
}

/** What was decided, and why. */
function decided(outing: Outing) {
  const { outcome, url } = outing;
  const why = outcome && words.outcomes[outcome];
  const winner = winnerOf(outing);
  if (!winner) return html`<p class="notice warn" role="status">${why}</p>`;
  return html`<section class="box winner" aria-label=${words.winner}>
    ${about(current, winner)}
    <p class="small" dir="auto">${winner.restaurant?.address}</p>
    <p class="small soft">${why} ${sumsText(winner)}</p>
    <p class="acts">
      ${winner.restaurant ? goControl(winner.restaurant, 'primary') : nothing}
      <a class="button" href=${`/api/shared${url.slice(2)}.ics`}>${icon('calendar', 16)}${words.calendar}</a>
    </p>
  </section>`;
}

function people(state: State, outing: Outing) {
  const { participants, created_by: creator } = outing;
  const isOpen = outing.state === 'open';
  const line = (one: Outing['participants'][number]) => {
    const { name, is_guest: isGuest, coming, has_voted: hasVoted } = one;
    const more = [isGuest && words.guest, coming === false ? words.notComing : hasVoted && words.voted];
    const mayRemove = isOpen && isOwn(state, outing) && (isGuest || name !== creator?.username);
    const label = fill(texts.share.removal.of, { person: name });
    return html`<li>
      <span><bdi>${name}</bdi> <span class="small soft">${format.dotted(more)}</span></span>
      ${mayRemove ? button(icon('close', 16), () => removeAsk(state, outing, one), 'button plain only', { label }) : nothing}
    </li>`;
  };
  const count = participants.length;
  const voted = participants.filter((one) => one.has_voted).length;
  const note = isOpen ? html`<p class="small soft">${fill(words.hidden, { voted, count })}</p>` : nothing;
  const list = html`${note}
    <ul class="people">
      ${participants.map(line)}
    </ul>`;
  return section(fill(words.people, { count }), list);
}

function removeAsk(state: State, outing: Outing, { id, name }: Outing['participants'][number]) {
  const path = `/outings/${outing.id}/participants/${id}`;
  const remove = async () => (await act({ method: 'DELETE', path, noUndo: true })).ok && again(urlOf(state));
  askFirst(fill(texts.share.removal.of, { person: name }), words.removeText, common.remove, remove);
}

/** A message to paste into a chat; over plain HTTP, where no page may copy, there is the link. */
function message(outing: Outing) {
  const { at, closes_at: end, options, state: phase, url } = outing;
  if (phase === 'cancelled') return nothing;
  const { name: chosen = '', restaurant } = winnerOf(outing) ?? {};
  const places = phase === 'open' ? options.map(({ name }) => name) : [chosen, restaurant?.address];
  const until = phase === 'open' ? fill(words.until, { time: format.moment(end) }) : '';
  const lines = [nameOf(outing), format.moment(at), places.filter(Boolean).join(common.separator), until];
  const made = { name: words.link, text: location.origin + url, message: lines.filter(Boolean).join('\n') };
  return 'share' in navigator || 'clipboard' in navigator
    ? html`<p class="acts">${button(html`${icon('go', 16)}${words.copy}`, () => passOn(made))}</p>`
    : copyBox(made);
}

/** How the creator ends the vote, or the outing. */
function ending(state: State, outing: Outing) {
  const isPast = Date.parse(outing.at) < Date.now();
  if (!isOwn(state, outing) || outing.state === 'cancelled' || isPast) return nothing;
  const [url, path] = [urlOf(state), `/outings/${outing.id}`];
  const end = async (write: Pick<Write, 'method' | 'path' | 'said'>) =>
    (await act({ ...write, noUndo: true })).ok && again(url);
  const cancel = () => end({ method: 'DELETE', path, said: words.cancelled });
  return html`<p class="acts">
    ${outing.state === 'open' ? button(words.decide, () => end({ method: 'POST', path: `${path}/close` })) : nothing}
    ${button(words.cancel, () => askFirst(words.cancelAsk, words.cancelText, words.cancel, cancel, { no: words.keep }), 'button danger')}
  </p>`;
}

/** Shows a choice at once, and sends it, with the name of a guest where it is asked for. */
function vote(state: State, outing: Outing, changes: Partial<Ballot>) {
  setUi({ ballot: { ...ballotOf(state, outing), ...changes, url: urlOf(state) } });
  const form = nameForm();
  void (form ? submit(form, send) : send());
}

const nameForm = () => document.querySelector<HTMLFormElement>('.voter');

let sending: Promise<Sent> | undefined;

/** One request at a time, until what is stored is what was chosen last. */
const send = () => (sending ??= sendAll().finally(() => (sending = undefined)));

async function sendAll(): Promise<Sent> {
  for (let { ballot } = current.ui; ballot; { ballot } = current.ui) {
    const { url, ...body } = ballot;
    const secret = readStored(guestKey(url));
    const guest = isGuest(current) && (secret ? { secret } : { name: ownName(current) });
    const write = { method: 'PUT', path: `${url}/ballot`, quiet: true, noUndo: true, reload: false };
    const all = { ...write, body: { ...body, ...guest } };
    const outcome = await act<SharedOuting & { secret?: string }>(all);
    if (!outcome.ok) return refused(url, outcome.fault);
    const { secret: made, ...stored } = outcome.body;
    if (made) writeStored(guestKey(url), made);
    take(url, stored);
    if (current.ui.ballot === ballot) setUi({ ballot: undefined });
  }
  return { ok: true };
}

const refusals = (message: string) => ({
  403: words.unknown,
  409: message.startsWith('Voting')
    ? words.over
    : message.startsWith('The last')
      ? words.fullGuests
      : message.endsWith('one address')
        ? words.fullAddress
        : words.full,
});

function refused(url: string, fault: Fault): Sent {
  const { message, status } = fault;
  if (message === 'name already exists') return { ok: false, faults: { name: words.taken } };
  if (message.startsWith('name ')) {
    const { missing, username } = common.faults;
    return { ok: false, faults: { name: message.endsWith('required') ? missing : username } };
  }
  // The guest is asked for the name again.
  if (status === 403) writeStored(guestKey(url), undefined);
  // What may work later is sent again by itself.
  const isFinal = status !== 403 && status !== 429 && status >= 400 && status < 500;
  if (isFinal) setUi({ ballot: undefined });
  if (isFinal) again(url);
  toast({ text: fill(common.notSaved, { reason: faultText(fault, refusals(message)) }), kind: 'fault' });
  return { ok: false };
}

const dayOf = (state: State) => localTime(outingOf(state)?.at ?? 0).slice(0, 10);
const visitsUrl = (state: State) => `/visits?limit=100&from=${dayOf(state)}&to=${dayOf(state)}`;
const denied = ({ id }: Outing) => `not at ${id}`;

/** Whether the reader came to the place that was chosen, as far as is known here. */
function mayAsk(state: State) {
  const outing = outingOf(state);
  if (!outing || !isSignedIn(state) || !winnerOf(outing)?.restaurant) return false;
  const isComing = outing.ballot?.coming ?? isOwn(state, outing);
  return isComing && Date.parse(outing.at) < Date.now() && readStored(denied(outing)) === undefined;
}

/** Offers a visit after the outing, until there is one of that day. */
function thereQuestion(state: State, outing: Outing) {
  const winner = winnerOf(outing);
  const visits = answer<Page<Visit>>(visitsUrl(state))?.data;
  if (!winner || !visits || !mayAsk(state)) return nothing;
  const { id, name } = winner;
  if (visits.some(({ restaurant }) => restaurant.id === id)) return nothing;
  const others = outing.participants.filter((one) => one.coming && one.name !== ownName(state));
  const companions = others.map((one) => one.name).slice(0, MOST_COMPANIONS);
  const said = fill(words.been, { name });
  const body = { restaurant_id: id, visited_on: dayOf(state), companions };
  const add = () =>
    act({ method: 'POST', path: '/visits', body, said, label: said, place: `restaurant ${id}` });
  const deny = () => {
    writeStored(denied(outing), '1');
    setUi({});
  };
  const buttons = html`${button(words.thereYes, add, 'button primary')} ${button(words.thereNo, deny)}`;
  return section(fill(words.there, { name }), nothing, buttons);
}
