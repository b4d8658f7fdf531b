import type { Page } from 'playwright-core';
import { holds } from './web-app.ts';

/** What a browser made of texts that a page put into itself as HTML. */
export interface Shown {
  /** The texts that became more than text, or another text. */
  readonly wrong: readonly string[];
  /** Whether a script ran. */
  readonly hit: boolean;
  /** What the texts made the browser ask for. */
  readonly requests: readonly string[];
}

// Character references are told apart from markup: once a text is shown with what it means by them, once as typed.
const SHOW = `(texts) => {
  const parents = [
    document.createElement('div'),
    document.createElement('td'),
    document.createElementNS('http://www.w3.org/2000/svg', 'text'),
    document.createElement('template'),
  ];
  const isText = (node) => [...node.childNodes].every(({ nodeType }) => nodeType === Node.TEXT_NODE);
  return texts.filter((text) => {
    const shown = parents.map((parent) => {
      const place = document.body.appendChild(parent.cloneNode());
      place.innerHTML = text;
      const inside = place.content ?? place;
      const isPlain = isText(inside) && (text.includes('&') || inside.textContent === text);
      place.innerHTML = text.replaceAll('&', '&amp;');
      return isPlain && isText(inside) && inside.textContent === text && place.attributes.length === 0;
    });
    return shown.includes(false);
  });
}`;
// What an element sets off that is shown after all others comes after what those set off.
const LAST = 'data:,last';
const SHOW_LAST = `(() => {
  const last = document.body.appendChild(document.createElement('div'));
  last.innerHTML = '<img src="${LAST}" onerror="requestAnimationFrame(() => (isOver = true))">';
})()`;

/** Puts texts into the `innerHTML` of elements of a page, and waits until what they set off has happened. */
export async function showAsHtml(page: Page, texts: readonly string[]): Promise<Shown> {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== LAST) requests.push(request.url());
  });
  const wrong = await page.evaluate<string[]>(`(${SHOW})(${JSON.stringify(texts)})`);
  await page.evaluate(SHOW_LAST);
  await holds(page, `'isOver' in window`);
  return { wrong, hit: await page.evaluate<boolean>(`'hit' in window`), requests };
}
