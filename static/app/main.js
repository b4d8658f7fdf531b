import { goOn, toast, undoLast } from './actions.js';
import { CONFIG } from './api.js';
import { load, sync } from './data.js';
import { isField, keyName } from './keys.js';
import { startLive } from './live.js';
import { startOutbox } from './outbox.js';
import { afterDraw, matchRoute, navigate, startRouter } from './router.js';
import { startSession } from './session.js';
import { onChange, readStored, state, update } from './store.js';
import { language } from './texts.js';
import { PENDING, shell } from './ui/shell.js';
import { startWorker } from './worker.js';
import { render } from './vendor/lit-html/lit-html.js';

/** @import { AppConfig, State } from './types.js' */

// Nothing more will come for it by itself.
const SETTLED = ['ok', 'offline', 'failed'];

let isDrawn = false;
const root = /** @type {HTMLElement} */ (document.getElementById('app'));

language.pseudo = readStored('language') === 'pseudo';

onChange(show);
addEventListener('keydown', onKey);
addEventListener('online', () => update((state) => (state.online = true)));
addEventListener('beforeinstallprompt', (/** @type {any} */ event) => {
  // The settings offer it, instead of a bar over the screen.
  event.preventDefault();
  update((state) => (state.ui['install'] = () => event.prompt()));
});
addEventListener('appinstalled', () => update((state) => (state.ui['install'] = undefined)));
addEventListener('offline', () => update((state) => (state.online = false)));
void start();

async function start() {
  startRouter();
  const { said } = history.state ?? {};
  if (said) {
    history.replaceState(null, '');
    toast({ text: said });
  }
  // Those of the last time will do where the service is slow to answer.
  const known = new Promise((resolve) => onChange(({ config }) => config && resolve(config)));
  await Promise.race([load(CONFIG), known]);
  takeConfig();
  startOutbox();
  await startSession();
  startLive();
}

function takeConfig() {
  const config = /** @type {AppConfig | undefined} */ (state.data[CONFIG]?.body);
  state.config = config ?? state.config;
}

// Between these a name moves to its new place: that of the row becomes the title.
const TURNING = ['/', '/restaurants/:id'];
const still = matchMedia('(prefers-reduced-motion: reduce)');
let shownPattern = '';

/** @param {State} state */
function show(state) {
  const { view, pattern } = state.route;
  const before = shownPattern;
  if (view) shownPattern = pattern;
  const isTurn = before !== shownPattern && TURNING.includes(before) && TURNING.includes(shownPattern);
  if (!isTurn || still.matches || document.hidden || !document.startViewTransition) return draw(state);
  // It is given up where another one begins; the page is drawn all the same.
  document.startViewTransition(() => draw(state)).ready.catch(() => {});
}

/** @param {State} state */
function draw(state) {
  const { view } = state.route;
  takeConfig();
  const isReady = state.config !== undefined && state.session.user !== undefined;
  const isComplete = isReady && loadNeeds(state);
  if (!isDrawn) root.replaceChildren();
  isDrawn = true;
  render(shell(state), root);
  const title = view && state.config ? view.title(state) : '';
  document.title = [title, state.config?.name].filter(Boolean).join(' - ');
  document.documentElement.toggleAttribute('data-whole', matchRoute(state.route.path)?.row.whole === true);
  document.documentElement.toggleAttribute('data-loading', !isComplete);
  afterDraw(isComplete);
  if (isComplete) startWorker();
  if (isReady && view) goOn();
}

/**
 * Loads what the screen needs, and when that is there, what its frame does.
 * @param {State} state
 * @returns {boolean} whether nothing more will come by itself
 */
function loadNeeds(state) {
  const { route, session, ui, data } = state;
  const needs = [...(route.view?.needs?.(state) ?? []), ...(ui.dialog?.needs?.(state) ?? [])];
  const isIdle = needs.every((url) => SETTLED.includes(data[url]?.state ?? ''));
  // The screen of suggestions has all of them.
  const wantsCount = isIdle && session.user && route.view && route.pattern !== '/suggestions';
  const background = wantsCount ? [PENDING] : [];
  sync([...new Set([CONFIG, ...needs, ...background])]);
  return isIdle && route.view !== undefined;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const name = keyName(event, isField(event.target));
  if (name === undefined || readStored('keys') === 'off') return;
  const { view } = state.route;
  const isInDialog = state.ui.dialog !== undefined;
  const action = isInDialog ? { u: undoLast }[name] : (view?.keys?.[name] ?? GLOBAL[name]);
  // A key on a control is the control's: Enter on a link, arrows among radio buttons.
  const isOfControl =
    event.target instanceof HTMLElement && event.target.closest('a, button, input, summary') !== null;
  if (!action || (isOfControl && (name === 'Enter' || name === ' ' || name.startsWith('Arrow')))) return;
  event.preventDefault();
  action(state);
}

/** @type {Readonly<Record<string, (state: State) => void>>} */
const GLOBAL = {
  '/': () => {
    const fields = [...document.querySelectorAll('input[type=search]')];
    const field = fields.find((one) => one instanceof HTMLElement && one.offsetParent !== null);
    if (field instanceof HTMLInputElement) {
      field.focus();
      field.select();
    } else navigate('/');
  },
  n: () => navigate('/add'),
  u: undoLast,
  '?': () => void import('./ui/help.js').then(({ openKeys }) => openKeys()),
};
