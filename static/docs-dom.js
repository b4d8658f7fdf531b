// Functions with which all parts of the page create elements. Text is inserted as text: markup in an answer stays text.

/** The media type of bodies, except files. */
export const JSON_TYPE = 'application/json';

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * An element with attributes and children. An attribute whose name starts with `on` is a listener, `false` and
 * `undefined` leave an attribute out; children are nodes, texts, or lists of both, and falsy ones are left out.
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

let lastId = 0;

/** An id that no other element has. */
export function newId() {
  lastId += 1;
  return `id-${lastId}`;
}

/** A button that copies the result of `text` when it is pressed, and confirms it. */
export function copyButton(label, text) {
  const button = h('button', { type: 'button', class: 'copy', onclick: copy }, label);
  async function copy() {
    const done = await copyText(text());
    button.textContent = done ? 'Copied' : 'Select and copy it yourself';
    setTimeout(() => (button.textContent = label), 2000);
  }
  return button;
}

/** Whether the text is in the clipboard now. Only secure pages have the clipboard, hence the older way. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { readonly: true, class: 'skip' });
    const { activeElement } = document;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.value = text;
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    activeElement?.focus();
    return done;
  }
}

/**
 * Tabs, of which one is visible: a list of `[label, node]`. A single one needs no tabs. `onSelect` is called with the
 * index of a tab that the user selects; the arrow keys go from one to the next.
 */
export function tabs(label, choices, { selected = 0, onSelect = () => undefined } = {}) {
  if (choices.length < 2) return choices.map(([, node]) => node);
  const buttons = choices.map(([name], index) =>
    h('button', { type: 'button', role: 'tab', id: newId(), onclick: () => select(index) }, name),
  );
  const panels = choices.map(([, node], index) =>
    h('div', { role: 'tabpanel', 'aria-labelledby': buttons[index].id }, node),
  );
  function show(index) {
    for (const [each, button] of buttons.entries()) {
      button.setAttribute('aria-selected', each === index);
      button.tabIndex = each === index ? 0 : -1;
      panels[each].hidden = each !== index;
    }
  }
  function select(index) {
    show(index);
    onSelect(index);
  }
  function move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    select(next);
    buttons[next].focus();
  }
  show(selected);
  return [
    h('div', { class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: move }, buttons),
    panels,
  ];
}

/** A number of bytes as people write it: `950 bytes`, `1.4 KB`, `12 KB`. */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, amount] = bytes < 999_500 ? ['KB', bytes / 1000] : ['MB', bytes / 1e6];
  return `${Number(amount.toFixed(amount < 9.95 ? 1 : 0))} ${unit}`;
}

/** JSON, indented, with numbers in a list on one line. */
export function formatted(value) {
  const lines = /\[\n[\d\s,.eE+-]*\]/g;
  return JSON.stringify(value, null, 2).replace(lines, (list) =>
    JSON.stringify(JSON.parse(list)).replaceAll(',', ', '),
  );
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MAX_COLOURED = 100_000;

/** JSON, indented and coloured, in an element that scrolls by itself. */
export function jsonBlock(value, label) {
  const text = formatted(value);
  return codeBlock(text.length > MAX_COLOURED ? [text] : coloured(text), label);
}

/** Code in an element that scrolls by itself, and that the keyboard can therefore reach. */
export function codeBlock(content, label) {
  return h('pre', { tabindex: 0, role: 'group', 'aria-label': label }, h('code', {}, content));
}

function coloured(text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon] = match;
    pieces.push(text.slice(end, match.index));
    const kind = colon ? 'key' : string ? 'string' : 'literal';
    pieces.push(h('span', { class: kind }, string ?? token), colon);
    end = match.index + token.length;
  }
  return [...pieces, text.slice(end)];
}

/** The Markdown of descriptions: paragraphs, lists, headings, fenced code; links, code and bold within them. */
export function markdown(text = '') {
  return text
    .split(/(```[\s\S]*?```)|\n\s*\n/)
    .filter((block) => block?.trim())
    .map((block) => markdownBlock(block.trim()));
}

function markdownBlock(block) {
  const fenced = /^```\w*\n([\s\S]*?)\n?```$/.exec(block);
  if (fenced) return codeBlock(fenced[1], 'Code');
  const heading = /^##+ (.*)\n?([\s\S]*)$/.exec(block);
  if (heading) return [h('h2', {}, inline(heading[1])), markdown(heading[2])];
  const marker = /^(- |\d+\. )/m.exec(block);
  if (!marker) return h('p', {}, inline(block));
  const before = block.slice(0, marker.index).trim();
  const items = block.slice(marker.index).split(/^(?:- |\d+\. )/m);
  return [
    before && h('p', {}, inline(before)),
    h(
      marker[1] === '- ' ? 'ul' : 'ol',
      {},
      items.slice(1).map((item) => h('li', {}, inline(item))),
    ),
  ];
}

/** The Markdown within a line. */
export function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((piece) => {
    if (piece.startsWith('`')) return h('code', {}, piece.slice(1, -1));
    if (piece.startsWith('**')) return h('strong', {}, piece.slice(2, -2));
    const link = /^\[([^\]]+)\]\(([#/][^)]*)\)$/.exec(piece);
    return link ? h('a', { href: link[2] }, inline(link[1])) : piece;
  });
}
