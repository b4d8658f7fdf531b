const BASE = '{{base}}/';
const VERSION = '{{version}}';
const CACHE = `shell ${VERSION}`;
const SHELL = '{{shell}}'.split(' ');
// Has no data, which would become outdated here.
const PAGE = '/?shell';
// The pages of this origin that are not the app's.
const OTHERS = /^\/(?:api|manual)(?:\/|$)/;
const PATIENCE_MS = 2500;

const PICTURES = 'thumbnails';
const KEPT_PICTURES = 200;
// Photos come from the same folder as their thumbnails and would fill the disk.
const LARGEST_PICTURE = 200_000;

// A module is asked for with its origin, on which answers seem to depend.
const ANY = { ignoreVary: true };

/** The worker itself; the types of pages know it as a window. */
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions
const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([PAGE, ...SHELL])));
  void worker.skipWaiting();
});
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin || request.headers.has('range')) return;
  // Of an older version, too, whose page is still open; what is not in the shell stays once used.
  if (pathname.startsWith('/app/'))
    event.respondWith(cached(request, CACHE, pathname.startsWith(BASE) ? Infinity : 0));
  else if (pathname.startsWith('/api/uploads/'))
    event.respondWith(cached(request, PICTURES, LARGEST_PICTURE, KEPT_PICTURES));
  else if (request.mode === 'navigate' && !OTHERS.test(pathname)) event.respondWith(openPage(request));
});

/** Serves all pages that are open. Those of the version before this one load more of it, and are to say so. */
async function takeOver() {
  const others = (await caches.keys()).filter((name) => name.startsWith('shell ') && name !== CACHE);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await worker.clients.claim();
  for (const page of await worker.clients.matchAll()) page.postMessage(VERSION);
}

/** What any cache has, else what the network answers, which goes into the cache of this name if it is not too large. */
async function cached(request: Request, name: string, largest: number, most = Infinity) {
  const known = await caches.match(request, ANY);
  if (known) return known;
  const answer = await fetch(request);
  const size = Number(answer.headers.get('content-length') ?? Infinity);
  if (answer.status !== 200 || size > largest) return answer;
  const cache = await caches.open(name);
  // A full disk must not cost the answer.
  await cache.put(request, answer.clone()).catch(() => undefined);
  const all = await cache.keys();
  await Promise.all(all.slice(0, -most).map((one) => cache.delete(one)));
  return answer;
}

/** The page from the network, so that a new version is noticed, but from the cache where the network is slow or away. */
async function openPage(request: Request) {
  const answer = fetch(request);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const first = await Promise.race([answer.catch(() => undefined), late]);
  if (first instanceof Response && first.status < 500 && first.status !== 429) return first;
  const cache = await caches.open(CACHE);
  return (await cache.match(PAGE, ANY)) ?? answer;
}
