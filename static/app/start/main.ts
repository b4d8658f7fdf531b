import { goOn, toast, undoLast } from '../state/actions.js';
import { CONFIG } from '../base/api.js';
import { load, refreshOld, seed, setOnline, sync } from '../state/data.js';
import { MARKS } from '../state/places.js';
import { isField, keyName } from '../base/keys.js';
import { renewLanguage, withoutLanguage } from '../state/language.js';
import { startLive } from '../state/live.js';
import { startOutbox } from '../state/outbox.js';
import { afterDraw, matchRoute, navigate, saved, startRouter } from '../state/router.js';
import { startSession } from '../state/session.js';
import { answer, onChange, readStored, setUi, state, writeStored } from '../state/store.js';
import { shell } from './shell.js';
import { ROUTES } from './routes.js';
import { openKeys } from '../parts/mine.js';
import { render } from '../vendor/lit-html/lit-html.js';
import { type State, trust } from '../base/types.js';

// Nothing more will come for it by itself.
const SETTLED = ['ok', 'offline', 'failed'];
/** After so long the first screen is settled. */
const IDLE = 500;
/** Where this browser stores at which places Explore begins. */
const START = 'start';

// Between these a name moves to its new place: that of the row becomes the title.
const TURNING = ['/', '/restaurants/:id'];
const still = matchMedia('(prefers-reduced-motion: reduce)');

let isSettled = false;
let shownPattern = '';
const root = document.getElementById('app') ?? document.body;

// All the HTML that Leaflet writes for us, and our own scripts; the browser refuses everything else.
const HTML = /^(<svg\/>|[^<&]*)$/;
const SCRIPT = /^\/(sw\.js|app\/[\w.-]+\/vendor\/[\w/-]+\.js)$/;
type Rule = (text: string) => string | null;
trust<{ trustedTypes?: { createPolicy: (name: string, rules: Record<string, Rule>) => unknown } }>(
  window,
).trustedTypes?.createPolicy('default', {
  createHTML: (text) => (HTML.test(text) ? text : null),
  createScriptURL: (text) => (SCRIPT.test(text) ? text : null),
});

// What the document showed until now; the first frame draws the page.
root.replaceChildren();
onChange(show);
addEventListener('keydown', onKey);
for (const name of ['online', 'offline']) addEventListener(name, () => setOnline(name === 'online'));
addEventListener('beforeinstallprompt', (event: Event & { prompt?: () => Promise<void> }) => {
  // The settings offer it, instead of a bar over the screen.
  event.preventDefault();
  setUi({ install: () => void event.prompt?.() });
});
addEventListener('appinstalled', () => setUi({ install: undefined }));
void start();

async function start() {
  // What the document brought along: answers of the API, and where Explore begins.
  const text = document.getElementById('data')?.textContent ?? '{}';
  const { answers, at, start } = trust<{ answers: Record<string, unknown>; at: number; start: unknown }>(
    JSON.parse(text),
  );
  // The copy for when nothing can be reached says nothing of it; then it is as it was last.
  const known = at > 0 ? JSON.stringify(start ?? {}) : (readStored(START) ?? '{}');
  writeStored(START, known);
  state.start = trust(JSON.parse(known));
  const storeSeeds = seed(answers, at);
  state.config = answer(CONFIG);
  startRouter(ROUTES);
  const { said } = saved();
  if (said) {
    history.replaceState(null, '');
    toast({ text: said });
  }
  if (!state.config) {
    // The copy for when nothing can be reached carries no settings; those of the last time will do.
    void load(CONFIG);
    await new Promise((resolve) => onChange(({ config }) => config && resolve(config)));
  }
  startOutbox();
  await startSession();
  storeSeeds();
  startLive();
  addEventListener('visibilitychange', () => document.hidden || refreshOld());
  setInterval(() => {
    if (document.hidden) return;
    // Whether places are open is said anew.
    refreshOld(/^\/(?:restaurants|shared)/);
    // The stream does not say who joins a list or leaves it.
    refreshOld(/^\/lists/, 0);
  }, 60_000);
}

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
  const { route, session, ui, data } = state;
  const { view, pattern } = route;
  state.config ??= answer(CONFIG);
  const isReady = state.config !== undefined && session.user !== undefined;
  const needs = isReady ? [...(view?.needs?.(state) ?? []), ...(ui.dialog?.needs?.(state) ?? [])] : [];
  const isComplete =
    isReady && view !== undefined && needs.every((url) => SETTLED.includes(data[url]?.state ?? ''));
  if (isReady) sync([...needs, ...(session.user ? [MARKS] : [])]);
  const focused = document.activeElement;
  render(shell(state), root);
  // What a change of others moves in the page loses the focus.
  if (focused instanceof HTMLElement && focused.isConnected && document.activeElement === document.body)
    focused.focus({ preventScroll: true });
  const title = view && state.config ? view.title(state) : '';
  document.title = [title, state.config?.name].filter(Boolean).join(' - ');
  document.documentElement.toggleAttribute('data-whole', matchRoute(route.path)?.row.whole === true);
  document.documentElement.toggleAttribute('data-loading', !isComplete);
  afterDraw(isComplete);
  if (isReady && view) goOn();
  if (!isComplete) return;
  // Most readers of Explore open a place next: its modules are there before they press.
  if (pattern === '/') setTimeout(() => void import('../place/view.js').catch(() => undefined), IDLE);
  if (!isSettled) {
    renewLanguage();
    startWorker();
  }
  isSettled = true;
}

function onKey(event: KeyboardEvent) {
  const name = isField(event.target) ? undefined : keyName(event);
  if (name === undefined || (name.length === 1 && readStored('keys') === 'off')) return;
  const { route, ui } = state;
  const action = ui.dialog ? { u: undoLast }[name] : (route.view?.keys?.[name] ?? GLOBAL[name]);
  // A key on a control is the control's: Enter on a link, arrows among radio buttons.
  const controls = { Enter: 'a, button, input, summary', ArrowLeft: 'input', ArrowRight: 'input' }[name];
  const isOfControl = controls && event.target instanceof Element && event.target.closest(controls);
  if (!action || isOfControl) return;
  event.preventDefault();
  action(state);
}

const GLOBAL: Readonly<Record<string, (state: State) => void>> = {
  '/': () => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input[type=search]')];
    const field = fields.find((one) => one.checkVisibility());
    if (!field) return navigate('/');
    field.focus();
    field.select();
  },
  n: () => navigate('/add'),
  u: undoLast,
  '?': openKeys,
};

/** Has the app open without a connection, once the page has nothing else to do; pages over plain HTTP cannot. */
function startWorker() {
  if (!('serviceWorker' in navigator)) return;
  const { serviceWorker: workers } = navigator;
  // Another language is another version to the worker, but not to the reader.
  const version = withoutLanguage(document.documentElement.dataset.base?.split('/').at(-1));
  // A worker that takes over says its version.
  workers.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (withoutLanguage(data) !== version) setUi({ reload: () => location.reload() });
  });
  // Where the service cannot be reached, or the browser allows none, what was registered before stays.
  const ignore = () => undefined;
  setTimeout(() => void workers.register('/sw.js', { updateViaCache: 'none' }).catch(ignore), IDLE);
  // A page may stay open for days, and is the same one for the browser all the time.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void workers.ready.then((worker) => worker.update()).catch(ignore);
  });
}
