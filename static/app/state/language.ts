import { setUi, state } from './store.js';
import { toast } from './actions.js';
import { UNREACHABLE, faultText } from '../base/api.js';
import { texts } from '../base/texts.js';
import { trust } from '../base/types.js';
import type * as Texts from '../texts/texts.js';

type Tree = Record<string, unknown>;

const YEAR = 31_536_000;

const remember = (tag: string) =>
  (document.cookie = `language=${tag}; path=/; max-age=${YEAR}; samesite=lax`);

/** What is named by a version of the app, in any language, such as the address of its files. */
export const withoutLanguage = (edition: unknown) => String(edition).replace(/\..*/, '');

/** Renews the cookie of a chosen language: some browsers forget within a week what a page has set. */
export function renewLanguage() {
  const tag = /(?:^|; )language=([\w-]+)/.exec(document.cookie)?.[1];
  if (tag) remember(tag);
}

/** Shows the page in another language without loading it again, and has the service use it from now on. */
export async function chooseLanguage(tag: string) {
  const { documentElement: root } = document;
  const base = withoutLanguage(root.dataset.base);
  const edition = tag === 'en' ? base : `${base}.${tag}`;
  try {
    const module = trust<typeof Texts>(await import(`${edition}/texts/texts.js`));
    // The screens hold parts of the texts.
    replace(trust(texts), trust(module.texts));
    root.lang = tag;
    root.dir = module.direction;
    remember(tag);
    setUi({});
    // So that the app starts in this language without a connection.
    if ('serviceWorker' in navigator) await (await navigator.serviceWorker.getRegistration())?.update();
  } catch {
    if (root.lang === tag) return;
    if (!state.online) return toast({ text: faultText(UNREACHABLE), kind: 'fault' });
    // The service has another version of the app by now.
    remember(tag);
    location.reload();
  }
}

/** Puts the texts of another tree into this one, whose objects stay the same. */
function replace(tree: Tree, other: Tree) {
  // Forms for numbers that the other language does not have.
  for (const name of Object.keys(tree)) if (!(name in other)) Reflect.deleteProperty(tree, name);
  for (const [name, value] of Object.entries(other)) {
    const own = tree[name];
    if (typeof own === 'object' && typeof value === 'object') replace(trust(own), trust(value));
    else tree[name] = structuredClone(value);
  }
}
