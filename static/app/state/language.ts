import { setUi } from './store.js';
import { texts } from '../base/texts.js';
import { trust } from '../base/types.js';
import type * as Texts from '../texts/texts.js';

type Tree = Record<string, unknown>;

const YEAR = 31_536_000;

/** Shows the page in another language without loading it again, and has the service use it from now on. */
export async function chooseLanguage(tag: string) {
  const { documentElement: root } = document;
  const base = root.dataset.base?.replace(/\..*$/, '') ?? '';
  const edition = tag === 'en' ? base : `${base}.${tag}`;
  const module = trust<typeof Texts>(await import(`${edition}/texts/texts.js`));
  // The screens hold parts of the texts.
  replace(trust(texts), trust(module.texts));
  root.lang = tag;
  root.dir = module.direction;
  document.cookie = `language=${tag}; path=/; max-age=${YEAR}; samesite=lax`;
  setUi({});
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
