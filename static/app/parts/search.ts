import { texts } from '../base/texts.js';
import type { State } from '../base/types.js';
import { navigate, setQuery } from '../state/router.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { live } from '../vendor/lit-html/directives/live.js';
import { icon } from './parts.js';

const words = texts.common;

const TYPING = 250;

let timer = 0;
/** What is being typed, which no answer that comes in meanwhile may take away. */
let typed = '';

/** The field of the header that searches everywhere. */
export function search({ route }: State) {
  const { q = '' } = route.query;
  const type = ({ target }: { target: HTMLInputElement }) => {
    typed = target.value;
    clearTimeout(timer);
    timer = setTimeout(searchFor, TYPING, typed);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (timer !== 0) searchFor(typed);
  };
  return html`<form class="search" role="search" @submit=${submit}>
    ${icon('search', 16)}
    <input
      type="search"
      name="q"
      maxlength="200"
      autocomplete="off"
      aria-label=${words.search.label}
      placeholder=${words.search.placeholder}
      .value=${live(timer !== 0 || typed.trim() === q ? typed : q)}
      @input=${type}
    />
    <kbd class="desk" aria-hidden="true">/</kbd>
  </form>`;
}

function searchFor(text: string) {
  clearTimeout(timer);
  timer = 0;
  const q = text.trim();
  const query = new URLSearchParams(location.search);
  if (location.pathname !== '/') return q === '' ? undefined : navigate(`/?q=${encodeURIComponent(q)}`);
  if ((query.get('q') ?? '') === q) return;
  // Everywhere: what is looked for by its name may be far away. One entry of the history for a search, not for each letter.
  const everywhere = { bbox: undefined, lat: undefined, lng: undefined, radius: undefined };
  setQuery({ q, sel: undefined, ...everywhere }, { replace: query.has('q') });
}
