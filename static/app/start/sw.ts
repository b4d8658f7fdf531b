const BASE = '{{base}}/';
const VERSION = '{{version}}';
const CACHE = `shell ${VERSION}`;
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment -- the service writes it there
const SHELL: string[] = JSON.parse('{{shell}}');
// Has no data, which would become outdated here.
const PAGE = '/?shell';
// The pages of this origin that are not the app's.
const OTHERS = /^\/(?:api|manual)(?:\/|$)/;
const PATIENCE_MS = 2500;
// This version and the one before it, of which pages may still be open.
const KEPT_SHELLS = 2;

const PICTURES = 'thumbnails';
const KEPT_PICTURES = 200;
// Photos come from the same folder as their thumbnails and would fill the disk.
const LARGEST_PICTURE = 200_000;

// A module is asked for with its origin, on which answers seem to depend.
const ANY = { ignoreVary: true };

/** The worker itself; the types of pages know it as a window. */
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions
const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => event.waitUntil(fill()));
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin || request.headers.has('range')) return;
  if (pathname.startsWith('/app/')) event.respondWith(fromShell(request, pathname));
  else if (pathname.startsWith('/api/uploads/')) event.respondWith(picture(request));
  else if (request.mode === 'navigate' && !OTHERS.test(pathname)) event.respondWith(openPage(request));
});

type Message = Omit<ExtendableMessageEvent, 'data'> & { readonly data: { readonly version?: string } };

// A page of this version needs no other worker any more; one of another version has to know.
worker.addEventListener('message', ({ data, source }: Message) => {
  if (data.version === VERSION) void worker.skipWaiting();
  else source?.postMessage({ version: VERSION });
});

async function fill() {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...SHELL]);
}

async function takeOver() {
  const shells = (await caches.keys()).filter((name) => name.startsWith('shell '));
  const others = shells.filter((name) => name !== CACHE);
  await Promise.all(others.slice(0, -(KEPT_SHELLS - 1)).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** A file of this version or of an older one whose page is still open; what is not in the shell is kept once used. */
async function fromShell(request: Request, pathname: string) {
  const known = await caches.match(request, ANY);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.status === 200 && pathname.startsWith(BASE)) await keep(CACHE, request, answer);
  return answer;
}

async function picture(request: Request) {
  const cache = await caches.open(PICTURES);
  const known = await cache.match(request, ANY);
  if (known) return known;
  const answer = await fetch(request);
  const size = Number(answer.headers.get('content-length') ?? Infinity);
  if (answer.status !== 200 || size > LARGEST_PICTURE) return answer;
  await keep(PICTURES, request, answer);
  const all = await cache.keys();
  await Promise.all(all.slice(0, -KEPT_PICTURES).map((one) => cache.delete(one)));
  return answer;
}

/** @param name of the cache */
async function keep(name: string, request: Request, answer: Response) {
  const cache = await caches.open(name);
  // A full disk must not cost the answer.
  await cache.put(request, answer.clone()).catch(() => undefined);
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
