import { goOn, toast, undoLast } from '../state/actions.js';
import { CONFIG } from '../base/api.js';
import { load, refreshOld, refreshPassed, seed, storeSeeds, sync } from '../state/data.js';
import { MARKS } from '../state/places.js';
import { isField, keyName } from '../base/keys.js';
import { startLive } from '../state/live.js';
import { startOutbox } from '../state/outbox.js';
import { afterDraw, matchRoute, navigate, saved, startRouter } from '../state/router.js';
import { startSession } from '../state/session.js';
import { answer, onChange, readStored, state, update, writeStored } from '../state/store.js';
import { shell } from './shell.js';
import { ROUTES } from './routes.js';
import { startWorker } from './worker.js';
import { trust } from '../base/trust.js';
import { render } from '../vendor/lit-html/lit-html.js';
import type { AppConfig, State } from '../base/types.js';

declare global {
  interface WindowEventMap {
    beforeinstallprompt: Event & { prompt: () => Promise<void> };
  }
}

// Nothing more will come for it by itself.
const SETTLED = ['ok', 'offline', 'failed'];
const MINUTE = 60_000;
/** After so long the first screen is settled. */
const IDLE = 500;
/** Where this browser stores at which places Explore begins. */
const START = 'start';

let isDrawn = false;
let isPreloaded = false;
const root = document.getElementById('app') ?? document.body;

onChange(show);
addEventListener('keydown', onKey);
addEventListener('online', () => update((state) => (state.online = true)));
addEventListener('beforeinstallprompt', (event) => {
  // The settings offer it, instead of a bar over the screen.
  event.preventDefault();
  update((state) => (state.ui.install = () => void event.prompt()));
});
addEventListener('appinstalled', () => update((state) => (state.ui.install = undefined)));
addEventListener('offline', () => update((state) => (state.online = false)));
void start();

async function start() {
  const seeds = readDocument();
  startRouter(ROUTES);
  const { said } = saved();
  if (said) {
    history.replaceState(null, '');
    toast({ text: said });
  }
  if (!state.config) {
    // The copy for when nothing can be reached carries no settings; those of the last time will do.
    const known = new Promise((resolve) => onChange(({ config }) => config && resolve(config)));
    await Promise.race([load(CONFIG), known]);
    takeConfig();
  }
  startOutbox();
  await startSession();
  storeSeeds(seeds.answers, seeds.at);
  startLive();
  addEventListener('visibilitychange', () => document.hidden || refreshOld());
  // Whether places are open is said anew.
  setInterval(() => document.hidden || refreshPassed(), MINUTE);
}

/** Takes over what the document brought along: answers of the API, and where Explore begins. */
function readDocument() {
  const text = document.getElementById('data')?.textContent ?? '{}';
  const {
    answers = {},
    at = 0,
    start,
  } = trust<{ answers?: Record<string, unknown>; at?: number; start?: State['start'] | null }>(
    JSON.parse(text),
  );
  // The copy for when nothing can be reached says nothing of it; then it is as it was last.
  if (at > 0) writeStored(START, JSON.stringify(start ?? {}));
  state.start = at > 0 ? (start ?? {}) : trust<State['start']>(JSON.parse(readStored(START) ?? '{}'));
  seed(answers, at);
  takeConfig();
  return { answers, at };
}

/** Most readers open a place next: its modules are there before they press. */
function preloadPlace() {
  if (isPreloaded) return;
  isPreloaded = true;
  setTimeout(
    () =>
      void matchRoute('/restaurants/1')
        ?.row.view()
        .catch(() => undefined),
    IDLE,
  );
}

function takeConfig() {
  state.config = answer<AppConfig>(CONFIG) ?? state.config;
}

// Between these a name moves to its new place: that of the row becomes the title.
const TURNING = ['/', '/restaurants/:id'];
const still = matchMedia('(prefers-reduced-motion: reduce)');
let shownPattern = '';

function show(state: State) {
  const { view, pattern } = state.route;
  const before = shownPattern;
  if (view) shownPattern = pattern;
  const isTurn = before !== shownPattern && TURNING.includes(before) && TURNING.includes(shownPattern);
  if (!isTurn || still.matches || document.hidden || !('startViewTransition' in document)) return draw(state);
  // It is given up where another one begins; the page is drawn all the same.
  document.startViewTransition(() => draw(state)).ready.catch(() => undefined);
}

function draw(state: State) {
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
  if (isComplete && state.route.pattern === '/') preloadPlace();
  if (isReady && view) goOn();
}

/**
 * Loads what the screen needs, and when that is there, what its frame does.
 * @returns whether nothing more will come by itself
 */
function loadNeeds(state: State): boolean {
  const { route, session, ui, data } = state;
  const needs = [...(route.view?.needs?.(state) ?? []), ...(ui.dialog?.needs?.(state) ?? [])];
  const isIdle = needs.every((url) => SETTLED.includes(data[url]?.state ?? ''));
  sync([...new Set([...needs, ...(session.user ? [MARKS] : [])])]);
  return isIdle && route.view !== undefined;
}

function onKey(event: KeyboardEvent) {
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

const GLOBAL: Readonly<Record<string, (state: State) => void>> = {
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
  '?': () => void import('../parts/help.js').then(({ openKeys }) => openKeys()),
};
