import { setUi } from '../state/store.js';

const version = document.documentElement.dataset.base?.split('/').at(-1);
let isStarted = false;

/** Has the app open without a connection, once the page has nothing else to do; pages over plain HTTP cannot. */
export function startWorker() {
  if (!('serviceWorker' in navigator) || isStarted) return;
  isStarted = true;
  const container = navigator.serviceWorker;
  const hadOne = container.controller !== null;
  container.addEventListener('controllerchange', () => hadOne && askOther(container.controller));
  container.addEventListener('message', ({ data }: MessageEvent<{ version?: string }>) => {
    if (data.version && data.version !== version) setUi({ reload: () => location.reload() });
  });
  // Safari has none.
  const later = 'requestIdleCallback' in globalThis ? requestIdleCallback : setTimeout;
  later(() => void register(container));
}

async function register(container: ServiceWorkerContainer) {
  try {
    const registration = await container.register('/sw.js', { updateViaCache: 'none' });
    follow(registration);
    // A page may stay open for days, and is the same one for the browser all the time.
    document.addEventListener('visibilitychange', () => document.hidden || void look(registration));
  } catch {
    // The service cannot be reached, or the browser allows none: what was registered before stays.
  }
}

const look = (registration: ServiceWorkerRegistration) => registration.update().catch(() => undefined);

function follow(registration: ServiceWorkerRegistration) {
  askOther(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => worker.state === 'installed' && askOther(worker));
  });
}

/** Tells a worker of which version this page is: one of the same takes over, another one answers with its own. */
function askOther(worker: ServiceWorker | null) {
  worker?.postMessage({ version });
}
