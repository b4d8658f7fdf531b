import { copyButton } from './docs-dom.js';

// The pages work without this: it adds what only a script can do.

for (const code of document.querySelectorAll('.code'))
  code.append(copyButton('Copy', () => code.querySelector('pre').textContent));

// What scrolls by itself must be reachable by the keyboard, and what does not should not be a stop on its way.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
});
for (const element of document.querySelectorAll('.table, .code pre')) sizes.observe(element);

// A link to a part of the same page would leave the list open above it.
const pages = document.getElementById('pages');
pages.addEventListener('click', ({ target }) => {
  if (target.closest('a') && pages.matches(':popover-open')) pages.hidePopover();
});
