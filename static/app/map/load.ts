const loaded = new Map<string, Promise<void>>();

/** Loads a classic script or a style sheet of a package once; a failure may be tried again. */
export function loadOnce(path: string): Promise<void> {
  const known = loaded.get(path);
  if (known) return known;
  const url = `${document.documentElement.dataset.base ?? ''}/vendor/${path}`;
  const isStyle = path.endsWith('.css');
  const element = isStyle
    ? Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })
    : Object.assign(document.createElement('script'), { src: url });
  const done = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => {
      loaded.delete(path);
      element.remove();
      reject(new Error(`${path} did not load`));
    };
  });
  loaded.set(path, done);
  // In front of the app's own style sheet, so that this one wins.
  document.head[isStyle ? 'prepend' : 'append'](element);
  return done;
}
