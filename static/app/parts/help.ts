import { openDialog } from '../state/actions.js';
import { define } from '../base/texts.js';
import { html } from '../vendor/lit-html/lit-html.js';

const words = define({
  title: 'Keys',
  where: {
    everywhere: 'Everywhere',
    explore: 'In Explore',
    place: 'On a place',
    suggestions: 'In Suggestions',
  },
  rows: {
    everywhere: [
      ['/', 'Search'],
      ['n', 'Add a place'],
      ['u', 'Undo the last change'],
      ['?', 'These keys'],
    ],
    explore: [
      ['j k', 'Next and previous place'],
      ['Enter', 'Open the place'],
      ['r', 'Rate'],
      ['w', 'Want to go'],
      ['b', 'Been here'],
      ['m', 'Map or list'],
    ],
    place: [
      ['r', 'Rate'],
      ['1 - 5', 'Stars'],
      ['w', 'Want to go'],
      ['b', 'Been here'],
      ['p', 'Add photos'],
      ['e', 'Edit'],
      ['g', 'Go there'],
    ],
    suggestions: [
      ['a t r', 'Approve, tested, reject'],
      ['c', 'Convert to a restaurant'],
      ['e', 'Edit and convert'],
      ['x', 'Select'],
      ['j k', 'Next and previous suggestion'],
    ],
  },
});

/** Opens the list of all keys. */
export function openKeys() {
  openDialog({
    label: words.title,
    body: () =>
      html`<h2>${words.title}</h2>
        ${(['everywhere', 'explore', 'place', 'suggestions'] as const).map(
          (where) =>
            html`<h3>${words.where[where]}</h3>
              <dl class="keys">
                ${words.rows[where].map(
                  ([key, text]) =>
                    html`<dt><kbd>${key}</kbd></dt>
                      <dd>${text}</dd>`,
                )}
              </dl>`,
        )}`,
  });
}
