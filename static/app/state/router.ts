import { refreshOld } from './data.js';
import { state, update } from './store.js';
import { type Route, type RouteRow, trust } from '../base/types.js';

let routes: readonly (RouteRow & { path: RegExp })[] = [];

let toRestore: { scroll: number; focus: string | null } | undefined;
let wantsTitleFocus = false;
/** The heading that got the focus. */
let title: HTMLHeadingElement | null = null;

/** What an entry of the browser's history holds; `said` is what a page that was loaded anew says. */
type Saved = Partial<Record<'depth' | 'scroll', number> & Record<'focus' | 'said', string | null>>;

export const saved = (): Saved => trust(history.state ?? {});

export function matchRoute(path: string) {
  const row = routes.find((one) => one.path.test(path));
  return row && { row, params: { ...row.path.exec(path)?.groups } };
}

/** Takes over links, Back and Forward, and opens the page of the address. */
export function startRouter(table: readonly RouteRow[]) {
  routes = table.map((row) => ({
    ...row,
    path: new RegExp(`^${row.pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }));
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => void open(saved()));
  addEventListener('click', followLink);
  addEventListener('scroll', remember, { capture: true, passive: true });
  addEventListener('focusin', remember);
  void open(saved());
}

type HowToGo = Partial<Record<'replace' | 'top', boolean>>;

/** Goes to an address of the app; with `replace` in place of the current one, and with `top` to its top. */
export function navigate(href: string, { replace = false, top = false }: HowToGo = {}) {
  const url = new URL(href, location.href);
  if (url.origin !== location.origin || !matchRoute(url.pathname)) return location.assign(url.href);
  if (replace) history.replaceState(top ? { ...saved(), scroll: 0 } : saved(), '', url);
  else {
    saveNow();
    history.pushState({ depth: (saved().depth ?? 0) + 1 }, '', url);
  }
  void open(replace ? saved() : {});
}

/** Changes parameters of the current address; undefined and '' take one out. */
export const setQuery = (changes: Readonly<Record<string, string | undefined>>, how?: HowToGo) =>
  navigate(queryHref(changes), how);

/** The current address with other parameters. */
export function queryHref(changes: Readonly<Record<string, string | undefined>>) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString().replaceAll('%2C', ',');
  return location.pathname + (text === '' ? '' : `?${text}`);
}

/** Goes back where there is a page of the app behind this one, else to `otherwise`. */
export function goBack(otherwise: string) {
  if ((saved().depth ?? 0) > 0) history.back();
  else navigate(otherwise, { replace: true });
}

function followLink(event: MouseEvent) {
  const { metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || event.button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || !matchRoute(link.pathname)) return;
  // A link to a part of this page, such as the one to the content, is the browser's.
  if (link.hash !== '' && link.pathname + link.search === location.pathname + location.search) return;
  event.preventDefault();
  navigate(link.href);
}

async function open({ scroll, focus = null }: Saved) {
  const { pathname, search, hash } = location;
  const match = matchRoute(pathname);
  if (match?.row.secret) hideReferrer();
  const before = state.route;
  const isSamePage = before.path === pathname;
  const pattern = match?.row.pattern ?? '';
  const query = Object.fromEntries(new URLSearchParams(search));
  const route: Route = { path: pathname, pattern, params: match?.params ?? {}, query, hash };
  if (before.pattern === pattern && before.view) route.view = before.view;
  toRestore = scroll === undefined ? undefined : { scroll, focus };
  if (!isSamePage) {
    wantsTitleFocus = before.path !== '' && toRestore === undefined;
    toRestore ??= { scroll: 0, focus: null };
    refreshOld();
  }
  update((state) => {
    if (!isSamePage) {
      before.view?.leave?.(state);
      state.ui.dialog = undefined;
    }
    state.route = route;
    if (!isSamePage) route.view?.enter?.(state);
  });
  if (!match || route.view) return;
  try {
    const view = await match.row.view();
    update((state) => {
      route.view = view;
      if (state.route === route) view.enter?.(state);
    });
  } catch {
    update(() => (route.failed = true));
  }
}

/** From here on no request names the address, as the header of the page demands where it is loaded. */
const hideReferrer = () =>
  document.head.append(
    Object.assign(document.createElement('meta'), { name: 'referrer', content: 'no-referrer' }),
  );

let timer = 0;

// While scrolling, not on leaving: a tab may be closed or discarded at any time.
function remember() {
  clearTimeout(timer);
  timer = setTimeout(saveNow, 150);
}

function saveNow() {
  clearTimeout(timer);
  if (toRestore) return;
  const focus = document.activeElement?.closest('[data-focus]')?.getAttribute('data-focus') ?? null;
  const scroll = Math.round(scroller().scrollTop);
  history.replaceState({ ...saved(), scroll, focus }, '');
}

function scroller() {
  const own = document.querySelector('[data-scroll]');
  // On a phone the part does not scroll by itself; the page does.
  if (own && getComputedStyle(own).overflowY !== 'visible') return own;
  return document.scrollingElement ?? document.documentElement;
}

/** Puts scroll and focus where they belong, once enough of the page is drawn. */
export function afterDraw(isComplete: boolean) {
  // A screen may draw another heading when its answers are there, which must not lose the focus.
  const isLost = title?.isConnected === false && document.activeElement === document.body;
  const heading = wantsTitleFocus || isLost ? document.querySelector('h1') : null;
  if (heading) {
    wantsTitleFocus = false;
    title = heading;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
  if (!toRestore) return;
  const element = scroller();
  if (!isComplete && element.scrollHeight - element.clientHeight < toRestore.scroll) return;
  const { scroll, focus } = toRestore;
  const target = focus === null ? null : document.querySelector(`[data-focus="${CSS.escape(focus)}"]`);
  // It may be part of what is still to come, such as the module of the screen.
  if (!isComplete && focus !== null && !target) return;
  toRestore = undefined;
  // Rows out of sight have guessed heights until they were drawn once; to come back to the very line, all are drawn.
  const { documentElement: root } = document;
  root.toggleAttribute('data-restoring', true);
  element.scrollTop = scroll;
  requestAnimationFrame(() => requestAnimationFrame(() => root.removeAttribute('data-restoring')));
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
